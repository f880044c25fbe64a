"""A quick look whether a text can hold a person's full name at all: most posts cannot."""

from __future__ import annotations

import re

from .homoglyphs import LATIN_ONLY
from .lexicon import PLAIN
from .morphology import morphology
from .names import together
from .normalize import ACCENT_MARKS, UNSEEN, UNUSUAL

_CAPITAL = "[^\\W\\d_a-zа-яё]"
"""A letter that is not a small one of the common alphabets."""

_LETTER = "[^\\W\\d_]"
_COMMON = "A-Za-zА-яЁё"
# Each of these begins with one class of characters, to which a search leaps.
_BEGINNING = rf"{_CAPITAL}(?<!{_LETTER}.)"
_SIGN = rf"[^\x00-)+,/:-@\[-^`{{}}\x7f0-9{_COMMON}](?<=[\W_])"
_GAP = rf"[^!-*,-.:-@\[-`{{-\x7f0-9{_COMMON}](?<=\W)"

_WORD = "[^\\W_]*(?:['’ʼ`][^\\W_]*)*"
_GAP_OF_PARTS = r"(?=[.\s*_\[])\.?[\s*_]*(?:\[/?\w{1,10}\][\s*_]*)*"
"""What may stand between two parts of a name: of what looks like markup, a word in brackets. A dash parts them."""

_SIDE_BY_SIDE = re.compile(rf"{_BEGINNING}{_WORD}{_GAP_OF_PARTS}{_CAPITAL}", re.S)
_PAIR = re.compile(rf"({_BEGINNING})(?=({_WORD})({_GAP_OF_PARTS})({_CAPITAL}{_WORD})([\-‐‑'’ʼ`]?))", re.S)

_ANGLED = re.compile("<[^<>]*>")
"""What looks like a tag that stands between two names, and is none."""

_ODD = re.compile(
    rf"[\u2460-\u24ff\U0001f130-\U0001f18f]|[{UNSEEN}{ACCENT_MARKS}](?<={_LETTER}.)|[{UNSEEN}](?={_LETTER})",
    re.S,
)
"""Letters in circles, and beside a letter what a reader does not see."""

_PARTED = re.compile(f"{_SIGN}{_LETTER}{_SIGN}{_LETTER}{_SIGN}")
_SPACED_OUT = re.compile(
    f"{_GAP}(?<=(?<![{_COMMON}]){_LETTER}.)(?:{_GAP})*{_LETTER}(?:(?:{_GAP})+{_LETTER}){{2}}(?![{_COMMON}])",
    re.S,
)
"""Letters spaced out (``normalize.SPACED_OUT``), П-е-т-ров, also by what is folded to such a sign: one word."""

_HYPHENS = tuple("-‐‑")
_SURELY_LATIN = re.compile(f"[A-Za-z]*?{LATIN_ONLY.pattern}")


def may_name(text: str, language: str | None = None, synonyms: bool = False) -> bool:
    """Whether two capitalised words that may be parts of one name stand side by side in a text without its markup
    (``plain_text``); where it is False, ``Document.names`` of that text is empty.

    ``language``: that of the text; in one without a dictionary nobody is named, and words are left aside of which the
    dictionary knows that they are no name together, unless ``synonyms`` may stand for them."""
    if language is not None and not morphology(language).has_dictionary:
        return False
    if _is_unclear(text):
        return True
    if language is None or synonyms:
        return bool(_SIDE_BY_SIDE.search(text))
    return any(_may_be(match, language) for match in _PAIR.finditer(text))


def _is_unclear(text: str) -> bool:
    """Whether words may begin and end elsewhere than one sees, or parts of a name stand far from one another:
    characters that a reader does not see, letters spaced out, brackets of which nobody knows what they hold."""
    return bool(
        ("<" in text and _ANGLED.search(text))
        or (UNUSUAL.search(text) and _ODD.search(text))
        or _PARTED.search(text)
        or _SPACED_OUT.search(text)
    )


def _may_be(pair: re.Match[str], language: str) -> bool:
    """Whether two words side by side may be two parts of one name: initials, words that are joined by a hyphen to
    another, which makes anything of them, and those that may play a part, and that together."""
    capital, rest, gap, two, after = pair.groups()
    one, text, start = capital + rest, pair.string, pair.start()
    dotted = gap.startswith(".")
    free = (dotted and not rest) or text[start - 1 : start] in _HYPHENS
    if not free and (dotted or not _may_play(one, language)):
        return False
    if not (capital.isupper() and two[0].isupper()):
        return False
    if after or (len(two) == 1 and text.startswith(".", pair.end(4))):
        return True
    return _may_play(two, language) and (free or _may_agree(one, two, language))


def _may_play(word: str, language: str) -> bool:
    """Whether a word can be a part of a name: it has a role there, or is not as it is written.

    A Latin word stays one where one of its letters looks like no Cyrillic one."""
    small = _small(word)
    if PLAIN.fullmatch(small):
        return morphology(language).has_role(small)
    return not (word.isascii() and _SURELY_LATIN.match(word))


def _may_agree(one: str, two: str, language: str) -> bool:
    """Whether two words that have a role each may be the first, or the last, of a name together."""
    words = [_small(word) for word in (one, two)]
    if not all(map(PLAIN.fullmatch, words)):
        return True
    return together(*map(morphology(language).readings, words))


def _small(word: str) -> str:
    return word.lower().replace("ё", "е")

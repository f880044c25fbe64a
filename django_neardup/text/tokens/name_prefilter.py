"""A quick look whether a text can hold a person's full name at all: most posts cannot."""

from __future__ import annotations

import re

from ..lemmas.morphology import get_morphology
from ..normalization.homoglyphs import LATIN_ONLY
from ..normalization.normalize import ACCENT_MARKS, INVISIBLE_CHARACTERS, UNUSUAL_CHARACTER
from .lexicon import PLAIN_CYRILLIC_WORD
from .person_names import can_form_name

_CAPITAL_LETTER = "[^\\W\\d_a-zа-яё]"
"""A letter that is not a small one of the common alphabets."""

_LETTER = "[^\\W\\d_]"
_COMMON_LETTERS = "A-Za-zА-яЁё"
# Each of these begins with one class of characters, to which a search leaps.
_WORD_START = rf"{_CAPITAL_LETTER}(?<!{_LETTER}.)"
_RARE_SIGN = rf"[^\x00-)+,/:-@\[-^`{{}}\x7f0-9{_COMMON_LETTERS}](?<=[\W_])"
_RARE_GAP = rf"[^!-*,-.:-@\[-`{{-\x7f0-9{_COMMON_LETTERS}](?<=\W)"

_WORD_REST = "[^\\W_]*(?:['’ʼ`][^\\W_]*)*"
_NAME_PART_GAP = r"(?=[.\s*_\[])\.?[\s*_]*(?:\[/?\w{1,10}\][\s*_]*)*"
"""What may stand between two parts of a name: of what looks like markup, a word in brackets. A dash parts them."""

_ADJACENT_CAPITALS = re.compile(rf"{_WORD_START}{_WORD_REST}{_NAME_PART_GAP}{_CAPITAL_LETTER}", re.S)
_CAPITALIZED_PAIR = re.compile(
    rf"({_WORD_START})(?=({_WORD_REST})({_NAME_PART_GAP})({_CAPITAL_LETTER}{_WORD_REST})([\-‐‑'’ʼ`]?))", re.S
)

_ANGLE_BRACKETS = re.compile("<[^<>]*>")
"""What looks like a tag that stands between two names, and is none."""

_HIDDEN_CHARACTERS = re.compile(
    rf"[\u2460-\u24ff\U0001f130-\U0001f18f]|[{INVISIBLE_CHARACTERS}{ACCENT_MARKS}](?<={_LETTER}.)|[{INVISIBLE_CHARACTERS}](?={_LETTER})",
    re.S,
)
"""Letters in circles, and beside a letter what a reader does not see."""

_SIGN_SEPARATED_LETTERS = re.compile(f"{_RARE_SIGN}{_LETTER}{_RARE_SIGN}{_LETTER}{_RARE_SIGN}")
_SPACED_OUT_WORD = re.compile(
    f"{_RARE_GAP}(?<=(?<![{_COMMON_LETTERS}]){_LETTER}.)(?:{_RARE_GAP})*{_LETTER}(?:(?:{_RARE_GAP})+{_LETTER}){{2}}(?![{_COMMON_LETTERS}])",
    re.S,
)
"""Letters spaced out (``normalize.SPACED_OUT``), П-е-т-ров, also by what is folded to such a sign: one word."""

_HYPHENS = tuple("-‐‑")
_LATIN_WORD = re.compile(f"[A-Za-z]*?{LATIN_ONLY.pattern}")


def can_contain_name(text: str, language: str | None = None, has_synonyms: bool = False) -> bool:
    """Whether two capitalised words that may be parts of one name stand side by side in a text without its markup
    (``plain_text``); where it is False, ``Document.names`` of that text is empty.

    ``language``: that of the text; in one without a dictionary nobody is named, and words are left aside of which the
    dictionary knows that they are no name together, unless ``synonyms`` may stand for them."""
    if language is not None and not get_morphology(language).has_dictionary:
        return False
    if _has_unclear_borders(text):
        return True
    if language is None or has_synonyms:
        return bool(_ADJACENT_CAPITALS.search(text))
    return any(_can_be_name(match, language) for match in _CAPITALIZED_PAIR.finditer(text))


def _has_unclear_borders(text: str) -> bool:
    """Whether words may begin and end elsewhere than one sees, or parts of a name stand far from one another:
    characters that a reader does not see, letters spaced out, brackets of which nobody knows what they hold."""
    return bool(
        ("<" in text and _ANGLE_BRACKETS.search(text))
        or (UNUSUAL_CHARACTER.search(text) and _HIDDEN_CHARACTERS.search(text))
        or _SIGN_SEPARATED_LETTERS.search(text)
        or _SPACED_OUT_WORD.search(text)
    )


def _can_be_name(pair: re.Match[str], language: str) -> bool:
    """Whether two words side by side may be two parts of one name: initials, words that are joined by a hyphen to
    another, which makes anything of them, and those that may play a part, and that together."""
    capital, rest, gap, two, after = pair.groups()
    one, text, start = capital + rest, pair.string, pair.start()
    dotted = gap.startswith(".")
    free = (dotted and not rest) or text[start - 1 : start] in _HYPHENS
    if not free and (dotted or not _can_be_name_part(one, language)):
        return False
    if not (capital.isupper() and two[0].isupper()):
        return False
    if after or (len(two) == 1 and text.startswith(".", pair.end(4))):
        return True
    return _can_be_name_part(two, language) and (free or _can_agree(one, two, language))


def _can_be_name_part(word: str, language: str) -> bool:
    """Whether a word can be a part of a name: it has a role there, or is not as it is written.

    A Latin word stays one where one of its letters looks like no Cyrillic one."""
    small = _fold_case(word)
    if PLAIN_CYRILLIC_WORD.fullmatch(small):
        return get_morphology(language).has_role(small)
    return not (word.isascii() and _LATIN_WORD.match(word))


def _can_agree(first: str, second: str, language: str) -> bool:
    """Whether two words that have a role each may be the first, or the last, of a name together."""
    words = [_fold_case(word) for word in (first, second)]
    if not all(map(PLAIN_CYRILLIC_WORD.fullmatch, words)):
        return True
    return can_form_name(*map(get_morphology(language).readings, words))


def _fold_case(word: str) -> str:
    return word.lower().replace("ё", "е")

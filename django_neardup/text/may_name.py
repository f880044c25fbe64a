"""A quick look whether a text can hold a person's full name at all: most posts cannot."""

from __future__ import annotations

import re

from .homoglyphs import LATIN_ONLY
from .lexicon import PLAIN
from .markup import ENTITY
from .morphology import morphology
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
_SIDE_BY_SIDE = re.compile(rf"{_BEGINNING}{_WORD}(?:\.[\s*_\-‐‑]*|[\s*_\-‐‑]+){_CAPITAL}", re.S)
_PAIR = re.compile(
    rf"({_BEGINNING})(?=({_WORD})(\.[\s*_\-‐‑]*|[\s*_\-‐‑]+)({_CAPITAL}{_WORD})([\-‐‑'’ʼ`]?))", re.S
)

# What may be markup, and what looks like it between two names.
_TAG = re.compile("<(?:[a-zA-Z/!?]|[^<>]*>)")
_BB_TAG = re.compile(r"\[(?:[a-zA-Z*/]|\w{1,10}\])|\]\(")
_MARK_IN_WORD = re.compile(r"(?<=[^\W_])(?:\*{1,3}|~~)(?=[^\W_])")
_ODD = re.compile(f"[\u2460-\u24ff\U0001f130-\U0001f18f{UNSEEN}{ACCENT_MARKS}]")
"""Characters that a reader does not see, letters in circles."""

_PARTED = re.compile(f"{_SIGN}{_LETTER}{_SIGN}{_LETTER}{_SIGN}")
_SPACED_OUT = re.compile(
    f"{_GAP}(?<=(?<![{_COMMON}]){_LETTER}.)(?:{_GAP})*{_LETTER}(?:(?:{_GAP})+{_LETTER}){{2}}(?![{_COMMON}])",
    re.S,
)
"""Letters spaced out (``normalize.SPACED_OUT``), П-е-т-ров, also by what is folded to such a sign: one word."""

_HYPHENS = "-‐‑"


def may_name(raw: str, language: str | None = None, synonyms: bool = False) -> bool:
    """Whether two capitalised words stand side by side; where it is False, ``Document(raw).names`` is empty.

    ``language``: that of the text; in one without a dictionary nobody is named, and words of which the dictionary knows
    that they are no part of a name are left aside, unless ``synonyms`` may stand for them."""
    if language is not None and not morphology(language).has_dictionary:
        return False
    if _is_unclear(raw):
        return True
    if language is None or synonyms:
        return bool(_SIDE_BY_SIDE.search(raw))
    return any(_may_be(match, language) for match in _PAIR.finditer(raw))


def _is_unclear(raw: str) -> bool:
    """Whether words may begin and end anywhere: markup, also inside a word, entities, characters that a reader does not
    see, letters spaced out."""
    return bool(
        ("<" in raw and _TAG.search(raw))
        or ("[" in raw and _BB_TAG.search(raw))
        or ("&" in raw and ENTITY.search(raw))
        or (("*" in raw or "~~" in raw) and _MARK_IN_WORD.search(raw))
        or (UNUSUAL.search(raw) and _ODD.search(raw))
        or _PARTED.search(raw)
        or _SPACED_OUT.search(raw)
    )


def _may_be(pair: re.Match[str], language: str) -> bool:
    """Whether two words side by side may be two parts of one name. A dash parts them; a hyphen makes one part of them,
    which may be a name's if another one stands beside it."""
    capital, rest, gap, two, after = pair.groups()
    if not set(gap).isdisjoint(_HYPHENS):
        return False
    if after or pair.string[pair.start() - 1 : pair.start()] in tuple(_HYPHENS):
        return True
    dotted = pair.string.startswith(".", pair.end(4))
    return _may_play(capital + rest, gap.startswith("."), language) and _may_play(two, dotted, language)


def _may_play(word: str, dotted: bool, language: str) -> bool:
    """Whether a word can be a part of a name: it has a role there, is an initial, or is not as it is written.

    A Latin word stays one where one of its letters looks like no Cyrillic one."""
    small = word.lower()
    if len(word) == 1 and dotted:
        return True
    if PLAIN.fullmatch(small):
        return morphology(language).has_role(small)
    return not (word.isascii() and word.isalpha() and LATIN_ONLY.search(word))

"""A quick look whether a text can hold a person's full name at all: most posts cannot."""

from __future__ import annotations

import re

from .homoglyphs import LATIN_ONLY
from .lexicon import PLAIN
from .morphology import morphology
from .normalize import ACCENT_MARKS, UNSEEN

_CAPITAL = "[^\\W\\d_a-zа-яё]"
"""A letter that is not a small one of the common alphabets."""

_WORD = "[^\\W_]*(?:['’ʼ`][^\\W_]*)*"
_SIDE_BY_SIDE = re.compile(rf"(?<![^\W\d_]){_CAPITAL}{_WORD}(?:\.[\s*_\-‐‑]*|[\s*_\-‐‑]+){_CAPITAL}")
_UNCLEAR = re.compile(
    rf"&(?=[#a-zA-Z])|[<\[\u2460-\u24ff\U0001f130-\U0001f18f{UNSEEN}{ACCENT_MARKS}]"
    r"|(?<=[^\W_])(?:\*{1,3}|~~)(?=[^\W_])"
    r"|(?:(?:[.\-_*|~]|[^\w\x00-\x7f])[^\W\d_]){2}(?:[.\-_*|~]|[^\w\x00-\x7f])"
    r"|(?<![A-Za-zА-яЁё])[^\W\d_](?:(?:[\x00-\x20/+]|[^\w\x00-\x7f])+[^\W\d_]){3}(?![A-Za-zА-яЁё])"
)
"""Markup, also inside a word, entities, characters that a reader does not see, letters in circles: words may begin and
end anywhere.
Letters spaced out (``normalize.SPACED_OUT``), П-е-т-ров, also by what is folded to such a sign: they are one word."""

_PAIR = re.compile(
    rf"(?<![^\W\d_])(?=({_CAPITAL}{_WORD})(\.[\s*_\-‐‑]*|[\s*_\-‐‑]+)({_CAPITAL}{_WORD})([\-‐‑'’ʼ`]?))"
)
_HYPHENS = "-‐‑"


def may_name(raw: str, language: str | None = None) -> bool:
    """Whether two capitalised words stand side by side; where it is False, ``Document(raw).names`` is empty.

    ``language``: that of the text, where it is read without synonyms: words of which the dictionary knows that they
    are no part of a name are then left aside."""
    if _UNCLEAR.search(raw):
        return True
    if language is None:
        return bool(_SIDE_BY_SIDE.search(raw))
    return any(_may_be(match, language) for match in _PAIR.finditer(raw))


def _may_be(pair: re.Match[str], language: str) -> bool:
    """Whether two words side by side may be two parts of one name. A dash parts them; a hyphen makes one part of them,
    which may be a name's if another one stands beside it."""
    one, gap, two, after = pair.groups()
    if not set(gap).isdisjoint(_HYPHENS):
        return False
    if after or pair.string[pair.start() - 1 : pair.start()] in tuple(_HYPHENS):
        return True
    dotted = pair.string.startswith(".", pair.end(3))
    return _may_play(one, gap.startswith("."), language) and _may_play(two, dotted, language)


def _may_play(word: str, dotted: bool, language: str) -> bool:
    """Whether a word can be a part of a name: it has a role there, is an initial, or is not as it is written.

    A Latin word stays one where one of its letters looks like no Cyrillic one."""
    small = word.lower()
    if len(word) == 1 and dotted:
        return True
    if PLAIN.fullmatch(small):
        return any(reading.role for reading in morphology(language).readings(small))
    return not (word.isascii() and word.isalpha() and LATIN_ONLY.search(word))

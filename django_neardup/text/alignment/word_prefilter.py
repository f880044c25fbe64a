"""Traits of words that rule out most pairs of words without a comparison of their letters."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..tokens.synonyms import synonym_groups
from ..tokens.tokenize import Token
from .word_links import WORD_KINDS, is_in_dictionary

IS_SPELLED, IS_CODE, HAS_SYNONYMS, IS_UNKNOWN, IS_LATIN, IS_NUMBER = 1, 2, 4, 8, 16, 32
FUZZY_FLAGS = IS_CODE | HAS_SYNONYMS | IS_UNKNOWN | IS_NUMBER
MAX_CACHED_TRAITS = 20_000
# Words of this length may have two typos. Shorter words may have one: if the first letters differ, it is there.
MIN_LENGTH_FOR_TWO_TYPOS = 7


class WordTraits(NamedTuple):
    """First and last letter of a word, its length, and flags.

    The flags: spelled in letters, a code, has synonyms, in no dictionary.
    """

    first_letter: str
    last_letter: str
    length: int
    flags: int


def word_traits(token: Token) -> WordTraits:
    """Return the traits of a token."""
    return _cached_word_traits(token.surface, token.key, token.kind)


@lru_cache(maxsize=MAX_CACHED_TRAITS)
def _cached_word_traits(surface: str, key: str, kind: str) -> WordTraits:
    flags = IS_CODE if kind == "code" else IS_NUMBER if kind == "number" else 0
    if kind in WORD_KINDS:
        flags = IS_SPELLED if is_in_dictionary(surface) else IS_SPELLED | IS_UNKNOWN
        if surface.isascii():
            flags |= IS_LATIN
    if synonym_groups(surface, key):
        flags |= HAS_SYNONYMS
    return WordTraits(surface[:1], surface[-1:], len(surface), flags)


def can_be_same_word(a: WordTraits, b: WordTraits) -> bool:
    """Return False only if ``link_words`` and ``is_split_into`` certainly reject the words.

    Their keys differ.
    """
    first_a, last_a, length_a, flags_a = a
    first_b, last_b, length_b, flags_b = b
    if first_a == first_b:
        return True
    common_flags = flags_a & flags_b
    if common_flags & IS_SPELLED and (flags_a ^ flags_b) & IS_LATIN:
        return True  # one name in two scripts
    if (flags_a | flags_b) & IS_NUMBER and (flags_a | flags_b) & IS_UNKNOWN:
        return True  # a number in words and its misspelling
    if common_flags & (IS_CODE | HAS_SYNONYMS):
        return True
    if not (
        common_flags & IS_SPELLED and (flags_a | flags_b) & IS_UNKNOWN and -2 <= length_a - length_b <= 2
    ):
        return False
    return last_a == last_b or (length_a >= MIN_LENGTH_FOR_TWO_TYPOS and length_b >= MIN_LENGTH_FOR_TWO_TYPOS)

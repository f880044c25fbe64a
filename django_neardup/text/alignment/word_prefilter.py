"""Marks of a word by which most pairs of words are told apart at once, without their letters being compared."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..tokens.synonyms import synonym_group
from ..tokens.tokenize import Token
from .fuzzy_words import SPELLED_KINDS as SPELT_KINDS
from .fuzzy_words import is_in_dictionary

IS_SPELLED, IS_CODE, HAS_SYNONYMS, IS_UNKNOWN = 1, 2, 4, 8
FUZZY_FLAGS = IS_CODE | HAS_SYNONYMS | IS_UNKNOWN
MAX_CACHED_TRAITS = 20_000
# Two slips are forgiven in words of so many letters, in shorter ones one: it is at the beginning, if that differs.
MIN_LENGTH_FOR_TWO_TYPOS = 7


class WordTraits(NamedTuple):
    """First and last letter and number of letters of a word, and flags: of letters, a code, one of a group of
    synonyms, in no dictionary."""

    first_letter: str
    last_letter: str
    length: int
    flags: int


def word_traits(token: Token) -> WordTraits:
    """The marks of a token."""
    return _cached_word_traits(token.surface, token.key, token.kind)


@lru_cache(maxsize=MAX_CACHED_TRAITS)
def _cached_word_traits(surface: str, key: str, kind: str) -> WordTraits:
    flags = IS_CODE if kind == "code" else 0
    if kind in SPELT_KINDS:
        flags = IS_SPELLED if is_in_dictionary(surface) else IS_SPELLED | IS_UNKNOWN
    if synonym_group(surface, key) is not None:
        flags |= HAS_SYNONYMS
    return WordTraits(surface[:1], surface[-1:], len(surface), flags)


def can_be_same_word(a: WordTraits, b: WordTraits) -> bool:
    """False only for words of unlike keys that `same_word` and `same_split` tell apart."""
    first_a, last_a, length_a, flags_a = a
    first_b, last_b, length_b, flags_b = b
    if first_a == first_b:
        return True
    both = flags_a & flags_b
    if both & (IS_CODE | HAS_SYNONYMS):
        return True
    if not (both & IS_SPELLED and (flags_a | flags_b) & IS_UNKNOWN and -2 <= length_a - length_b <= 2):
        return False
    return last_a == last_b or (length_a >= MIN_LENGTH_FOR_TWO_TYPOS and length_b >= MIN_LENGTH_FOR_TWO_TYPOS)

"""Marks of a word by which most pairs of words are told apart at once, without their letters being compared."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .fuzzy import SPELT as SPELT_KINDS
from .fuzzy import in_dictionary
from .synonyms import synonym_group
from .tokenize import Token

SPELT, CODE, GROUPED, UNKNOWN = 1, 2, 4, 8
RARE = CODE | GROUPED | UNKNOWN
CACHE_LOOKS = 20_000
# Two slips are forgiven in words of so many letters, in shorter ones one: it is at the beginning, if that differs.
TWO_SLIPS = 7


class Look(NamedTuple):
    """First and last letter and number of letters of a word, and flags: of letters, a code, one of a group of
    synonyms, in no dictionary."""

    first: str
    last: str
    length: int
    flags: int


def look(token: Token) -> Look:
    """The marks of a token."""
    return _look(token.surface, token.key, token.kind)


@lru_cache(maxsize=CACHE_LOOKS)
def _look(surface: str, key: str, kind: str) -> Look:
    flags = CODE if kind == "code" else 0
    if kind in SPELT_KINDS:
        flags = SPELT if in_dictionary(surface) else SPELT | UNKNOWN
    if synonym_group(surface, key) is not None:
        flags |= GROUPED
    return Look(surface[:1], surface[-1:], len(surface), flags)


def may_be_same(a: Look, b: Look) -> bool:
    """False only for words of unlike keys that `same_word` and `same_split` tell apart."""
    first_a, last_a, length_a, flags_a = a
    first_b, last_b, length_b, flags_b = b
    if first_a == first_b:
        return True
    both = flags_a & flags_b
    if both & (CODE | GROUPED):
        return True
    if not (both & SPELT and (flags_a | flags_b) & UNKNOWN and -2 <= length_a - length_b <= 2):
        return False
    return last_a == last_b or (length_a >= TWO_SLIPS and length_b >= TWO_SLIPS)

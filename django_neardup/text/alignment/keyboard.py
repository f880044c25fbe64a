"""Slips of the pen: doubled, swapped, missing, extra and neighbouring letters."""

from __future__ import annotations

from itertools import pairwise

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю")
MIN_LETTERS_TO_MISS_ONE = 4
MIN_LETTERS_TO_REPLACE_ONE = 7


def _adjacent_keys() -> frozenset[frozenset[str]]:
    """Return the pairs of letters on adjacent keys of one keyboard layout."""
    pairs = {frozenset(pair) for row in _ROWS for pair in pairwise(row)}
    for upper, lower in ((0, 1), (1, 2), (3, 4), (4, 5)):
        for column, letter in enumerate(_ROWS[lower]):
            pairs |= {frozenset((letter, above)) for above in _ROWS[upper][column : column + 2]}
    return frozenset(pairs)


_ADJACENT = _adjacent_keys()


def is_slip(a: str, b: str) -> bool:
    """Return whether two different words differ by one slip.

    A letter is doubled, two letters are swapped, or a letter is hit beside its key. In words of 4 letters or
    more a letter may be missing. In words of 7 letters or more a letter may be another one.
    """
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    start = _first_difference(short, long)
    if start == len(long):
        return False
    if len(long) - len(short) == 1:
        is_missing = short[start:] == long[start + 1 :] and len(long) >= MIN_LETTERS_TO_MISS_ONE
        return is_missing or is_swap_or_double(short, long)
    if len(long) == len(short) and short[start + 1 :] == long[start + 1 :]:
        return len(short) >= MIN_LETTERS_TO_REPLACE_ONE or frozenset((short[start], long[start])) in _ADJACENT
    return is_swap_or_double(short, long)


def is_swap_or_double(a: str, b: str) -> bool:
    """Return whether two neighbouring letters are swapped, or one letter is doubled."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    start = _first_difference(short, long)
    if len(long) == len(short):
        is_swapped = short[start : start + 2] == long[start : start + 2][::-1]
        return is_swapped and short[start + 2 :] == long[start + 2 :]
    is_doubled = 0 < start < len(long) and long[start] == long[start - 1]
    return is_doubled and short[start:] == long[start + 1 :]


def _first_difference(short: str, long: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(short, long)) if x != y), len(short))

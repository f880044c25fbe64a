"""Runs of words that two texts share, wherever they stand.

The words that both texts have are written as one character each, all others, and those that belong to a run already,
as `TAKEN`: a run of words is a slice of a string then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

GRAMS = (6, 3, 2)
TAKEN = "\0"

_LONG_ENOUGH = {size: re.compile(f"[^{TAKEN}]{{{size},}}") for size in GRAMS}


def shared_runs(left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Place in the first text, place in the second, number of words of shared runs, each word in one of them.

    They are found by runs of 6, then 3, then 2 words and grown on both sides; those that occur too often say nothing.
    """
    a, b = spelt(left, right)
    for size in GRAMS:
        for i, p in shared_grams(a, b, size):
            if a[i] == b[p] != TAKEN:
                yield _taken(a, b, i, p)


def spelt(left: Sequence[int], right: Sequence[int]) -> tuple[list[str], list[str]]:
    """The words of two texts, given by their hashes, as characters."""
    letters = {word: chr(number) for number, word in enumerate(set(left).intersection(right), 1)}
    return [letters.get(word, TAKEN) for word in left], [letters.get(word, TAKEN) for word in right]


def shared_grams(left: Sequence[str], right: Sequence[str], size: int) -> Iterator[tuple[int, int]]:
    """Where runs of `size` words stand that both texts have equally often, or one twice and the other once or twice."""
    here, there = _starts(left, size), _starts(right, size)
    ours, theirs = _slices(left, here, size), _slices(right, there, size)
    place = dict(zip(theirs, there))
    repeated = (_repeated(ours) | _repeated(theirs)) & place.keys()
    if repeated:
        everywhere, elsewhere = _places(ours, here, repeated), _places(theirs, there, repeated)
    for gram, i in zip(ours, here):
        if gram in repeated:
            xs, ys = everywhere.pop(gram, ()), elsewhere[gram]
            if len(xs) == len(ys) or len(xs) * len(ys) <= 4:
                yield from zip(xs, ys)
        elif left[i] != TAKEN and gram in place:
            yield i, place[gram]


def _repeated(grams: Sequence[str]) -> set[str]:
    """Those that occur more than once."""
    if len(set(grams)) == len(grams):
        return set()
    return {gram for gram, times in Counter(grams).items() if times > 1}


def _starts(words: Sequence[str], size: int) -> list[int]:
    """Where runs of `size` words begin that are not taken."""
    runs = _LONG_ENOUGH[size].finditer("".join(words))
    return [place for run in runs for place in range(run.start(), run.end() - size + 1)]


def _slices(words: Sequence[str], places: Sequence[int], size: int) -> list[str]:
    text = "".join(words)
    return [text[place : place + size] for place in places]


def _places(grams: Sequence[str], places: Sequence[int], wanted: set[str]) -> dict[str, list[int]]:
    """All places of some grams."""
    found: dict[str, list[int]] = {}
    for gram, place in zip(grams, places):
        if gram in wanted:
            found.setdefault(gram, []).append(place)
    return found


def _taken(left: list[str], right: list[str], i: int, p: int) -> tuple[int, int, int]:
    """The longest shared run around two equal words, which is taken out of both texts."""
    ahead, most = 1, min(len(left) - i, len(right) - p)
    while ahead < most and left[i + ahead] == right[p + ahead] != TAKEN:
        ahead += 1
    back, most = 0, min(i, p)
    while back < most and left[i - back - 1] == right[p - back - 1] != TAKEN:
        back += 1
    i, p, length = i - back, p - back, back + ahead
    left[i : i + length] = right[p : p + length] = TAKEN * length
    return i, p, length

"""Runs of words that two texts share, wherever they stand.

The words that both texts have are written as one character each, all others, and those that belong to a run already,
as `TAKEN`: a run of words is a slice of a string then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

RUN_SIZES = (6, 3, 2)
UNAVAILABLE = "\0"

_AVAILABLE_RUN_BY_SIZE = {size: re.compile(f"[^{UNAVAILABLE}]{{{size},}}") for size in RUN_SIZES}


def find_shared_runs(hashes_a: Sequence[int], hashes_b: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Place in the first text, place in the second, number of words of shared runs, each word in one of them.

    They are found by runs of 6, then 3, then 2 words and grown on both sides; those that occur too often say nothing.
    """
    a, b = encode_words(hashes_a, hashes_b)
    for size in RUN_SIZES:
        for i, p in find_shared_grams(a, b, size):
            if a[i] == b[p] != UNAVAILABLE:
                yield _take_run(a, b, i, p)


def encode_words(hashes_a: Sequence[int], hashes_b: Sequence[int]) -> tuple[list[str], list[str]]:
    """The words of two texts, given by their hashes, as characters."""
    letters = {word: chr(number) for number, word in enumerate(set(hashes_a).intersection(hashes_b), 1)}
    return [letters.get(word, UNAVAILABLE) for word in hashes_a], [
        letters.get(word, UNAVAILABLE) for word in hashes_b
    ]


def find_shared_grams(words_a: Sequence[str], words_b: Sequence[str], size: int) -> Iterator[tuple[int, int]]:
    """Where runs of `size` words stand that both texts have equally often, or one twice and the other once or twice."""
    here, there = _gram_starts(words_a, size), _gram_starts(words_b, size)
    ours, theirs = _grams_at(words_a, here, size), _grams_at(words_b, there, size)
    place = dict(zip(theirs, there))
    repeated = (_repeated_grams(ours) | _repeated_grams(theirs)) & place.keys()
    if repeated:
        everywhere, elsewhere = (
            _positions_by_gram(ours, here, repeated),
            _positions_by_gram(theirs, there, repeated),
        )
    for gram, i in zip(ours, here):
        if gram in repeated:
            xs, ys = everywhere.pop(gram, ()), elsewhere[gram]
            if len(xs) == len(ys) or len(xs) * len(ys) <= 4:
                yield from zip(xs, ys)
        elif words_a[i] != UNAVAILABLE and gram in place:
            yield i, place[gram]


def _repeated_grams(grams: Sequence[str]) -> set[str]:
    """Those that occur more than once."""
    if len(set(grams)) == len(grams):
        return set()
    return {gram for gram, times in Counter(grams).items() if times > 1}


def _gram_starts(words: Sequence[str], size: int) -> list[int]:
    """Where runs of `size` words begin that are not taken."""
    runs = _AVAILABLE_RUN_BY_SIZE[size].finditer("".join(words))
    return [place for run in runs for place in range(run.start(), run.end() - size + 1)]


def _grams_at(words: Sequence[str], positions: Sequence[int], size: int) -> list[str]:
    text = "".join(words)
    return [text[place : place + size] for place in positions]


def _positions_by_gram(
    grams: Sequence[str], positions: Sequence[int], wanted_grams: set[str]
) -> dict[str, list[int]]:
    """All places of some grams."""
    found: dict[str, list[int]] = {}
    for gram, place in zip(grams, positions):
        if gram in wanted_grams:
            found.setdefault(gram, []).append(place)
    return found


def _take_run(
    words_a: list[str], words_b: list[str], position_a: int, position_b: int
) -> tuple[int, int, int]:
    """The longest shared run around two equal words, which is taken out of both texts."""
    ahead, most = 1, min(len(words_a) - position_a, len(words_b) - position_b)
    while ahead < most and words_a[position_a + ahead] == words_b[position_b + ahead] != UNAVAILABLE:
        ahead += 1
    back, most = 0, min(position_a, position_b)
    while back < most and words_a[position_a - back - 1] == words_b[position_b - back - 1] != UNAVAILABLE:
        back += 1
    position_a, position_b, length = position_a - back, position_b - back, back + ahead
    words_a[position_a : position_a + length] = words_b[position_b : position_b + length] = (
        UNAVAILABLE * length
    )
    return position_a, position_b, length

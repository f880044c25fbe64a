"""Runs of words that two texts share, at any position.

Every word that both texts have is encoded as one character. All other words, and words that already
belong to a run, are ``UNAVAILABLE``. A run of words is then a slice of a string.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress, count
from operator import ne

RUN_SIZES = (6, 3, 2)
UNAVAILABLE = "\0"

_AVAILABLE_RUN_BY_SIZE = {size: re.compile(f"[^{UNAVAILABLE}]{{{size},}}") for size in RUN_SIZES}


def find_shared_runs(hashes_a: Sequence[int], hashes_b: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the position in each text and the number of words of the shared runs. Each word is in one run.

    Runs of 6, then 3, then 2 words are looked up and extended on both sides. Runs that occur too often
    are skipped.
    """
    a, b = encode_words(hashes_a, hashes_b)
    for size in RUN_SIZES:
        for position_a, position_b in find_shared_grams(a, b, size):
            if a[position_a] == b[position_b] != UNAVAILABLE:
                yield _take_run(a, b, position_a, position_b)


def common_prefix_length(hashes_a: Sequence[int], hashes_b: Sequence[int]) -> int:
    """Return how many words the two texts have in common at their beginning."""
    return next(compress(count(), map(ne, hashes_a, hashes_b)), min(len(hashes_a), len(hashes_b)))


def encode_words(hashes_a: Sequence[int], hashes_b: Sequence[int]) -> tuple[list[str], list[str]]:
    """Encode the words of two texts, given by their hashes, as characters."""
    character_by_hash = {
        word_hash: chr(number) for number, word_hash in enumerate(set(hashes_a).intersection(hashes_b), 1)
    }
    return [character_by_hash.get(word_hash, UNAVAILABLE) for word_hash in hashes_a], [
        character_by_hash.get(word_hash, UNAVAILABLE) for word_hash in hashes_b
    ]


def find_shared_grams(words_a: Sequence[str], words_b: Sequence[str], size: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of runs of ``size`` words that are in both texts.

    A run must occur equally often in both, or twice in one text and once or twice in the other.
    """
    starts_a, starts_b = _gram_starts(words_a, size), _gram_starts(words_b, size)
    grams_a, grams_b = _grams_at(words_a, starts_a, size), _grams_at(words_b, starts_b, size)
    position_by_gram = dict(zip(grams_b, starts_b))
    repeated = (_repeated_grams(grams_a) | _repeated_grams(grams_b)) & position_by_gram.keys()
    if repeated:
        repeated_a, repeated_b = (
            _positions_by_gram(grams_a, starts_a, repeated),
            _positions_by_gram(grams_b, starts_b, repeated),
        )
    for gram, position_a in zip(grams_a, starts_a):
        if gram in repeated:
            positions_a, positions_b = repeated_a.pop(gram, ()), repeated_b[gram]
            if len(positions_a) == len(positions_b) or len(positions_a) * len(positions_b) <= 4:
                yield from zip(positions_a, positions_b)
        elif words_a[position_a] != UNAVAILABLE and gram in position_by_gram:
            yield position_a, position_by_gram[gram]


def _repeated_grams(grams: Sequence[str]) -> set[str]:
    """Return the grams that occur more than once."""
    if len(set(grams)) == len(grams):
        return set()
    return {gram for gram, times in Counter(grams).items() if times > 1}


def _gram_starts(words: Sequence[str], size: int) -> list[int]:
    """Return the positions at which runs of ``size`` available words begin."""
    runs = _AVAILABLE_RUN_BY_SIZE[size].finditer("".join(words))
    return [position for run in runs for position in range(run.start(), run.end() - size + 1)]


def _grams_at(words: Sequence[str], positions: Sequence[int], size: int) -> list[str]:
    text = "".join(words)
    return [text[position : position + size] for position in positions]


def _positions_by_gram(
    grams: Sequence[str], positions: Sequence[int], wanted_grams: set[str]
) -> dict[str, list[int]]:
    """Return all positions of the wanted grams."""
    positions_by_gram: dict[str, list[int]] = {}
    for gram, position in zip(grams, positions):
        if gram in wanted_grams:
            positions_by_gram.setdefault(gram, []).append(position)
    return positions_by_gram


def _take_run(
    words_a: list[str], words_b: list[str], position_a: int, position_b: int
) -> tuple[int, int, int]:
    """Return the longest shared run around two equal words, and mark it as unavailable in both texts."""
    ahead, limit = 1, min(len(words_a) - position_a, len(words_b) - position_b)
    while ahead < limit and words_a[position_a + ahead] == words_b[position_b + ahead] != UNAVAILABLE:
        ahead += 1
    back, limit = 0, min(position_a, position_b)
    while back < limit and words_a[position_a - back - 1] == words_b[position_b - back - 1] != UNAVAILABLE:
        back += 1
    position_a, position_b, length = position_a - back, position_b - back, back + ahead
    words_a[position_a : position_a + length] = words_b[position_b : position_b + length] = (
        UNAVAILABLE * length
    )
    return position_a, position_b, length

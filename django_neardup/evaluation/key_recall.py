"""Candidates among known pairs, computed from keys without an index."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..algorithms import Algorithm
from ..comparison.bucket_matches import BucketLimit
from .collection_mode import BUCKET_SIZE


@dataclass(slots=True)
class TextKeys:
    """Keys of texts in one array. Text i has the keys ``values[ends[i - 1]:ends[i]]``."""

    values: array[int] = field(default_factory=lambda: array("Q"))
    ends: list[int] = field(default_factory=list)

    def append(self, keys: Iterable[int]) -> None:
        self.values.extend(keys)
        self.ends.append(len(self.values))

    def extend(self, other: TextKeys) -> None:
        begin = len(self.values)
        self.values.extend(other.values)
        self.ends += [begin + end for end in other.ends]

    def __getitem__(self, number: int) -> array[int]:
        return self.values[self.ends[number - 1] if number else 0 : self.ends[number]]

    def __len__(self) -> int:
        return len(self.ends)


def find_candidate_flags(
    keys: TextKeys,
    order: Iterable[int],
    pairs: Sequence[tuple[int, int]],
    algorithm: Algorithm,
    bucket_size: int = BUCKET_SIZE,
) -> list[bool]:
    """Return for each pair whether the earlier text is a candidate of the later one.

    The texts of ``order``, which is ascending, are indexed one after another. A candidate is among the oldest or the
    newest texts, ``bucket_size`` together, of enough keys (see ``min_shared`` and ``limit`` of the algorithm).
    """
    if algorithm.limit is not None:
        return _find_limited_candidate_flags(keys, order, pairs, algorithm, bucket_size)
    paired = {number for pair in pairs for number in pair}
    counts: dict[int, int] = {}
    positions: dict[int, dict[int, int]] = {}
    for number in order:
        own_positions = {}
        for key in keys[number]:
            # The position of the text in each bucket is enough: no bucket is kept.
            counts[key] = own_positions[key] = counts.get(key, 0) + 1
        if number in paired:
            positions[number] = own_positions
    return [
        _count_shared_keys(positions[a], positions[b], BucketLimit.of(bucket_size)) >= algorithm.min_shared
        for a, b in pairs
    ]


def _count_shared_keys(a: Mapping[int, int], b: Mapping[int, int], limit: BucketLimit) -> int:
    """Return how many buckets show the earlier text ``a`` to ``b``. Positions in a bucket begin with 1."""
    shared = ((a[key], position) for key, position in b.items() if key in a)
    return sum(
        earlier < later and (earlier <= limit.oldest or later - earlier <= limit.newest)
        for earlier, later in shared
    )


def _find_limited_candidate_flags(
    keys: TextKeys,
    order: Iterable[int],
    pairs: Sequence[tuple[int, int]],
    algorithm: Algorithm,
    bucket_size: int,
) -> list[bool]:
    # A limit ranks candidates by shared keys, so the buckets are needed.
    later = {b for _, b in pairs}
    limit = BucketLimit.of(bucket_size)
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    candidates: dict[int, set[int]] = {}
    for number in order:
        shared: Counter[int] = Counter()
        for key in keys[number]:
            if number in later:
                shared.update(buckets[key])
            buckets[key].append(number)
            if len(buckets[key]) > limit.size:
                del buckets[key][limit.oldest]
        if number in later:
            ranked = [item for item in shared.items() if item[1] >= algorithm.min_shared]
            ranked.sort(key=lambda item: (-item[1], -item[0]))
            candidates[number] = {other for other, _ in ranked[: algorithm.limit]}
    return [a in candidates[b] for a, b in pairs]


def mean_bucket_neighbours(keys: TextKeys, bucket_size: int = BUCKET_SIZE) -> float:
    """Return the mean number of earlier texts in the buckets of a text.

    A text in two buckets counts twice.
    """
    counts: Counter[int] = Counter()
    counts.update(keys.values)
    total = sum(_count_bucket_pairs(text_count, bucket_size) for text_count in counts.values())
    return total / len(keys) if len(keys) else 0.0


def _count_bucket_pairs(text_count: int, bucket_size: int) -> int:
    capped = min(text_count, bucket_size)
    return capped * (capped - 1) // 2 + max(text_count - bucket_size, 0) * bucket_size

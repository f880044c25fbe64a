"""Candidates of known pairs by keys alone, without an index: which of them would the buckets bring together?"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..signatures import Algorithm
from .collecting import BUCKET


@dataclass(slots=True)
class Keys:
    """Keys of texts in one array: those of text i are `values[ends[i - 1]:ends[i]]`."""

    values: array[int] = field(default_factory=lambda: array("Q"))
    ends: list[int] = field(default_factory=list)

    def append(self, keys: Iterable[int]) -> None:
        self.values.extend(keys)
        self.ends.append(len(self.values))

    def extend(self, other: Keys) -> None:
        begin = len(self.values)
        self.values.extend(other.values)
        self.ends += [begin + end for end in other.ends]

    def __getitem__(self, number: int) -> array[int]:
        return self.values[self.ends[number - 1] if number else 0 : self.ends[number]]

    def __len__(self) -> int:
        return len(self.ends)


def found_pairs(
    keys: Keys,
    order: Iterable[int],
    pairs: Sequence[tuple[int, int]],
    algorithm: Algorithm,
    bucket: int = BUCKET,
) -> list[bool]:
    """Whether the earlier text of each pair is a candidate of the later one when the texts of `order`, ascending,
    are indexed in turn: among the newest `bucket` texts of enough of its keys (see `min_shared`, `limit`)."""
    if algorithm.limit is not None:
        return _found_limited(keys, order, pairs, algorithm, bucket)
    wanted = {number for pair in pairs for number in pair}
    counts: dict[int, int] = {}
    turns: dict[int, dict[int, int]] = {}
    for number in order:
        own = {}
        for key in keys[number]:
            counts[key] = own[key] = counts.get(key, 0) + 1
        if number in wanted:
            turns[number] = own
    return [_shared(turns[a], turns[b], bucket) >= algorithm.min_shared for a, b in pairs]


def _shared(a: Mapping[int, int], b: Mapping[int, int], bucket: int) -> int:
    return sum(0 < turn - a[key] <= bucket for key, turn in b.items() if key in a)


def _found_limited(
    keys: Keys, order: Iterable[int], pairs: Sequence[tuple[int, int]], algorithm: Algorithm, bucket: int
) -> list[bool]:
    later = {b for _, b in pairs}
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    candidates: dict[int, set[int]] = {}
    for number in order:
        shared: Counter[int] = Counter()
        for key in keys[number]:
            if number in later:
                shared.update(buckets[key][-bucket:])
            buckets[key].append(number)
        if number in later:
            enough = [item for item in shared.items() if item[1] >= algorithm.min_shared]
            enough.sort(key=lambda item: (-item[1], -item[0]))
            candidates[number] = {other for other, _ in enough[: algorithm.limit]}
    return [a in candidates[b] for a, b in pairs]


def met(keys: Keys, bucket: int = BUCKET) -> float:
    """Mean number of earlier texts met in the buckets of a text, one in two buckets counted twice."""
    counts: Counter[int] = Counter()
    counts.update(keys.values)
    total = sum(_meetings(number, bucket) for number in counts.values())
    return total / len(keys) if len(keys) else 0.0


def _meetings(texts: int, bucket: int) -> int:
    short = min(texts, bucket)
    return short * (short - 1) // 2 + max(texts - bucket, 0) * bucket

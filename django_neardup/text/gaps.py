"""Gaps of an alignment: unaligned words of one text beside the unaligned words of the other at the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Gap(NamedTuple):
    """Words a[i:j] of one text stand where the other has b[p:q]; all of them are unaligned.

    `left`, `right`: whether the words (or ends of text) just before, just after, are aligned with each other.
    """

    i: int
    j: int
    p: int
    q: int
    left: bool
    right: bool


def gaps(forward: Sequence[int], backward: Sequence[int]) -> Iterator[Gap]:
    """All gaps beside a pair of aligned words, seen alike from both texts.

    A gap held on both sides may be empty on one; one held on a single side is not.
    """
    return _Gaps(forward, backward).found()


class _Gaps:
    """Two texts' places, and the runs of words without one: their ends by their starts, and the other way."""

    def __init__(self, forward: Sequence[int], backward: Sequence[int]) -> None:
        self.forward, self.backward = list(forward), list(backward)
        self.ends_a, self.ends_b = dict(free_runs(forward)), dict(free_runs(backward))
        self.starts_a = {end: start for start, end in self.ends_a.items()}
        self.starts_b = {end: start for start, end in self.ends_b.items()}

    def found(self) -> Iterator[Gap]:
        for x, y in self.anchors():
            gap = self._after(x + 1, y + 1) if x < len(self.forward) else None
            if gap:
                yield gap
            gap = self._before(x, y) if x >= 0 else None
            if gap:
                yield gap

    def anchors(self) -> Iterator[tuple[int, int]]:
        """Pairs of aligned places next to an unaligned word, (-1, -1) before the texts and their ends after them.

        A word may be aligned with several neighbours; all of them point at it, it points at the first.
        """
        if not self.ends_a and not self.ends_b:
            return
        forward, backward = self.forward, self.backward
        ours, theirs = _edges(self.ends_a, len(forward)), _edges(self.ends_b, len(backward))
        yield -1, -1
        for x in sorted({*ours, *_pointing(forward, backward, theirs)}):
            yield x, forward[x]
        for y in sorted({*theirs, *_pointing(backward, forward, ours)}):
            if forward[backward[y]] != y:
                yield backward[y], y
        yield len(forward), len(backward)

    def _after(self, i: int, p: int) -> Gap | None:
        j, q = self.ends_a.get(i, i), self.ends_b.get(p, p)
        if i == j and p == q:
            return None
        if self._aligned(j, q):
            return Gap(i, j, p, q, True, True)
        return Gap(i, j, p, q, True, False) if i < j and p < q else None

    def _before(self, j: int, q: int) -> Gap | None:
        i, p = self.starts_a.get(j, j), self.starts_b.get(q, q)
        if i == j or p == q or self._aligned(i - 1, p - 1):
            return None
        return Gap(i, j, p, q, False, True)

    def _aligned(self, x: int, y: int) -> bool:
        if x < 0 or y < 0:
            return x == y
        if x == len(self.forward) or y == len(self.backward):
            return x == len(self.forward) and y == len(self.backward)
        return self.forward[x] == y or self.backward[y] == x


def _edges(ends: dict[int, int], size: int) -> set[int]:
    """Aligned places beside an unaligned word."""
    return {i for start, end in ends.items() for i in (start - 1, end) if 0 <= i < size}


def _pointing(places: Sequence[int], inverse: Sequence[int], targets: Iterable[int]) -> Iterator[int]:
    """Places aligned with one of the targets."""
    for target in targets:
        i = inverse[target]
        while i < len(places) and places[i] == target:
            yield i
            i += 1


def free_runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the words without a place (-1), longest ones, ascending."""
    left, end = places.count(-1), 0
    while left:
        start = places.index(-1, end)
        end = start + 1
        while end < len(places) and places[end] < 0:
            end += 1
        left -= end - start
        yield start, end

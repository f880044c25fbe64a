"""Gaps of an alignment: unaligned words of one text beside the unaligned words of the other at the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Gap(NamedTuple):
    """Words a[i:j] of one text stand where the other has b[p:q]; all of them are unaligned.

    `left`, `right`: whether the words (or ends of text) just before, just after, are aligned with each other.
    """

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    is_left_aligned: bool
    is_right_aligned: bool


def find_gaps(forward: Sequence[int], backward: Sequence[int]) -> Iterator[Gap]:
    """All gaps beside a pair of aligned words, seen alike from both texts.

    A gap held on both sides may be empty on one; one held on a single side is not.
    """
    return _GapFinder(forward, backward).find()


class _GapFinder:
    """Two texts' places, and the runs of words without one: their ends by their starts, and the other way."""

    def __init__(self, forward: Sequence[int], backward: Sequence[int]) -> None:
        self.forward, self.backward = list(forward), list(backward)
        self.run_ends_a, self.run_ends_b = dict(unaligned_runs(forward)), dict(unaligned_runs(backward))
        self.run_starts_a = {end: start for start, end in self.run_ends_a.items()}
        self.run_starts_b = {end: start for start, end in self.run_ends_b.items()}

    def find(self) -> Iterator[Gap]:
        for x, y in self.anchor_pairs():
            gap = self._gap_after(x + 1, y + 1) if x < len(self.forward) else None
            if gap:
                yield gap
            gap = self._gap_before(x, y) if x >= 0 else None
            if gap:
                yield gap

    def anchor_pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of aligned places next to an unaligned word, (-1, -1) before the texts and their ends after them.

        A word may be aligned with several neighbours; all of them point at it, it points at the first.
        """
        if not self.run_ends_a and not self.run_ends_b:
            return
        forward, backward = self.forward, self.backward
        ours, theirs = _run_edges(self.run_ends_a, len(forward)), _run_edges(self.run_ends_b, len(backward))
        yield -1, -1
        for x in sorted({*ours, *_positions_aligned_with(forward, backward, theirs)}):
            yield x, forward[x]
        for y in sorted({*theirs, *_positions_aligned_with(backward, forward, ours)}):
            if forward[backward[y]] != y:
                yield backward[y], y
        yield len(forward), len(backward)

    def _gap_after(self, start_a: int, start_b: int) -> Gap | None:
        j, q = self.run_ends_a.get(start_a, start_a), self.run_ends_b.get(start_b, start_b)
        if start_a == j and start_b == q:
            return None
        if self._are_aligned(j, q):
            return Gap(start_a, j, start_b, q, True, True)
        return Gap(start_a, j, start_b, q, True, False) if start_a < j and start_b < q else None

    def _gap_before(self, end_a: int, end_b: int) -> Gap | None:
        i, p = self.run_starts_a.get(end_a, end_a), self.run_starts_b.get(end_b, end_b)
        if i == end_a or p == end_b or self._are_aligned(i - 1, p - 1):
            return None
        return Gap(i, end_a, p, end_b, False, True)

    def _are_aligned(self, position_a: int, position_b: int) -> bool:
        if position_a < 0 or position_b < 0:
            return position_a == position_b
        if position_a == len(self.forward) or position_b == len(self.backward):
            return position_a == len(self.forward) and position_b == len(self.backward)
        return self.forward[position_a] == position_b or self.backward[position_b] == position_a


def _run_edges(run_ends: dict[int, int], size: int) -> set[int]:
    """Aligned places beside an unaligned word."""
    return {i for start, end in run_ends.items() for i in (start - 1, end) if 0 <= i < size}


def _positions_aligned_with(
    positions: Sequence[int], inverse_positions: Sequence[int], targets: Iterable[int]
) -> Iterator[int]:
    """Places aligned with one of the targets."""
    for target in targets:
        i = inverse_positions[target]
        while i < len(positions) and positions[i] == target:
            yield i
            i += 1


def unaligned_runs(positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the words without a place (-1), longest ones, ascending."""
    left, end = positions.count(-1), 0
    while left:
        start = positions.index(-1, end)
        end = start + 1
        while end < len(positions) and positions[end] < 0:
            end += 1
        left -= end - start
        yield start, end

"""Gaps of an alignment: unaligned words of one text opposite unaligned words of the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Gap(NamedTuple):
    """Unaligned words [start_a:end_a] of one text opposite unaligned words [start_b:end_b] of the other.

    ``is_left_aligned``, ``is_right_aligned``: whether the words just before and just after are aligned with
    each other. The ends of the texts count as aligned.
    """

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    is_left_aligned: bool
    is_right_aligned: bool


def find_gaps(forward: Sequence[int], backward: Sequence[int]) -> Iterator[Gap]:
    """Yield all gaps next to a pair of aligned words. The result is the same from both texts.

    A gap that is aligned on both sides may have one empty side. A gap aligned on one side never has.
    """
    return _GapFinder(forward, backward).find()


def most_aligned_first(gaps: Iterable[Gap]) -> list[Gap]:
    """Return gaps between aligned words first, then those with aligned words on one side."""
    return sorted(gaps, key=lambda gap: -(gap.is_left_aligned + gap.is_right_aligned))


def without_overlaps(gaps: Iterable[Gap]) -> Iterator[Gap]:
    """Yield the gaps that share no word with an earlier one."""
    used_a, used_b = set[int](), set[int]()
    for gap in gaps:
        range_a, range_b = range(gap.start_a, gap.end_a), range(gap.start_b, gap.end_b)
        if used_a.isdisjoint(range_a) and used_b.isdisjoint(range_b):
            used_a.update(range_a)
            used_b.update(range_b)
            yield gap


class _GapFinder:
    """Positions of two texts, and the runs of unaligned words: their ends by start and their starts by end."""

    def __init__(self, forward: Sequence[int], backward: Sequence[int]) -> None:
        self.forward, self.backward = list(forward), list(backward)
        self.run_ends_a, self.run_ends_b = dict(unaligned_runs(forward)), dict(unaligned_runs(backward))
        self.run_starts_a = {end: start for start, end in self.run_ends_a.items()}
        self.run_starts_b = {end: start for start, end in self.run_ends_b.items()}

    def find(self) -> Iterator[Gap]:
        for position_a, position_b in self.anchor_pairs():
            if position_a + 1 in self.run_ends_a or position_b + 1 in self.run_ends_b:
                gap = self._gap_after(position_a + 1, position_b + 1)
                if gap:
                    yield gap
            if position_a in self.run_starts_a and position_b in self.run_starts_b:
                gap = self._gap_before(position_a, position_b)
                if gap:
                    yield gap

    def anchor_pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of aligned positions next to an unaligned word.

        The pair (-1, -1) stands before the texts, the pair of their lengths after them. If a word is
        aligned with several adjacent words, all of them point at it, and it points at the first.
        """
        if not self.run_ends_a and not self.run_ends_b:
            return
        forward, backward = self.forward, self.backward
        edges_a, edges_b = (
            _run_edges(self.run_ends_a, len(forward)),
            _run_edges(self.run_ends_b, len(backward)),
        )
        yield -1, -1
        for position_a in sorted({*edges_a, *_positions_aligned_with(forward, backward, edges_b)}):
            yield position_a, forward[position_a]
        for position_b in sorted({*edges_b, *_positions_aligned_with(backward, forward, edges_a)}):
            if forward[backward[position_b]] != position_b:
                yield backward[position_b], position_b
        yield len(forward), len(backward)

    def _gap_after(self, start_a: int, start_b: int) -> Gap | None:
        end_a, end_b = self.run_ends_a.get(start_a, start_a), self.run_ends_b.get(start_b, start_b)
        if self._are_aligned(end_a, end_b):
            return Gap(start_a, end_a, start_b, end_b, True, True)
        return (
            Gap(start_a, end_a, start_b, end_b, True, False) if start_a < end_a and start_b < end_b else None
        )

    def _gap_before(self, end_a: int, end_b: int) -> Gap | None:
        start_a, start_b = self.run_starts_a[end_a], self.run_starts_b[end_b]
        if self._are_aligned(start_a - 1, start_b - 1):
            return None
        return Gap(start_a, end_a, start_b, end_b, False, True)

    def _are_aligned(self, position_a: int, position_b: int) -> bool:
        if position_a < 0 or position_b < 0:
            return position_a == position_b
        if position_a == len(self.forward) or position_b == len(self.backward):
            return position_a == len(self.forward) and position_b == len(self.backward)
        return self.forward[position_a] == position_b or self.backward[position_b] == position_a


def _run_edges(run_ends: dict[int, int], size: int) -> set[int]:
    """Return the aligned positions next to an unaligned word."""
    return {
        position for start, end in run_ends.items() for position in (start - 1, end) if 0 <= position < size
    }


def _positions_aligned_with(
    positions: Sequence[int], inverse_positions: Sequence[int], targets: Iterable[int]
) -> Iterator[int]:
    """Yield the positions that are aligned with one of the targets."""
    for target in targets:
        position = inverse_positions[target]
        while position < len(positions) and positions[position] == target:
            yield position
            position += 1


def unaligned_runs(positions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the half-open ranges of adjacent unaligned words (-1), as long as possible, ascending."""
    remaining, end = positions.count(-1), 0
    while remaining:
        start = positions.index(-1, end)
        end = start + 1
        while end < len(positions) and positions[end] < 0:
            end += 1
        remaining -= end - start
        yield start, end

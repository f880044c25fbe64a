"""Gaps of an alignment: unaligned words of one text beside the unaligned words of the other at the same place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    for x, y in list(anchors(forward, backward)):
        gap = _after(forward, backward, x, y)
        if gap:
            yield gap
        gap = _before(forward, backward, x, y)
        if gap:
            yield gap


def anchors(forward: Sequence[int], backward: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of aligned places next to an unaligned word, with (-1, -1) before the texts and their ends after them."""
    n, m = len(forward), len(backward)
    yield -1, -1
    for x, y in enumerate(forward):
        if y >= 0 and _beside(forward, x, n, backward, y, m):
            yield x, y
    for y, x in enumerate(backward):
        if x >= 0 and forward[x] != y and _beside(forward, x, n, backward, y, m):
            yield x, y
    yield n, m


def _beside(forward: Sequence[int], x: int, n: int, backward: Sequence[int], y: int, m: int) -> bool:
    return (
        (x + 1 < n and forward[x + 1] < 0)
        or (y + 1 < m and backward[y + 1] < 0)
        or (x > 0 and forward[x - 1] < 0)
        or (y > 0 and backward[y - 1] < 0)
    )


def _after(forward: Sequence[int], backward: Sequence[int], x: int, y: int) -> Gap | None:
    if x == len(forward):
        return None
    i, p = x + 1, y + 1
    j, q = _end(forward, i), _end(backward, p)
    if i == j and p == q:
        return None
    if _aligned(forward, backward, j, q):
        return Gap(i, j, p, q, True, True)
    return Gap(i, j, p, q, True, False) if i < j and p < q else None


def _before(forward: Sequence[int], backward: Sequence[int], x: int, y: int) -> Gap | None:
    if x < 0:
        return None
    i, p = _start(forward, x), _start(backward, y)
    if i == x or p == y or _aligned(forward, backward, i - 1, p - 1):
        return None
    return Gap(i, x, p, y, False, True)


def _aligned(forward: Sequence[int], backward: Sequence[int], x: int, y: int) -> bool:
    if x < 0 or y < 0:
        return x == y
    if x == len(forward) or y == len(backward):
        return x == len(forward) and y == len(backward)
    return forward[x] == y or backward[y] == x


def _end(places: Sequence[int], start: int) -> int:
    while start < len(places) and places[start] < 0:
        start += 1
    return start


def _start(places: Sequence[int], end: int) -> int:
    while end > 0 and places[end - 1] < 0:
        end -= 1
    return end

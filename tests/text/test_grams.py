"""Shared runs of words, against the definition: 6, 3 and 2 equal words, none too frequent, grown while they can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.alignment.gaps import unaligned_runs
from django_neardup.text.alignment.shared_runs import RUN_SIZES, find_shared_runs

Run = tuple[int, int, int]


def slow(left: list[int], right: list[int]) -> list[Run]:
    free_a, free_b = set(range(len(left))), set(range(len(right)))
    found = []

    def equal(i: int, p: int) -> bool:
        return i in free_a and p in free_b and left[i] == right[p]

    for size in RUN_SIZES:
        ours, theirs = places(left, free_a, size), places(right, free_b, size)
        for gram, xs in ours.items():
            ys = theirs.get(gram, [])
            if len(xs) == len(ys) or 0 < len(xs) * len(ys) <= 4:
                for i, p in zip(xs, ys):
                    if equal(i, p):
                        start, end = 0, 0
                        while equal(i + start - 1, p + start - 1):
                            start -= 1
                        while equal(i + end, p + end):
                            end += 1
                        free_a -= set(range(i + start, i + end))
                        free_b -= set(range(p + start, p + end))
                        found.append((i + start, p + start, end - start))
    return found


def places(words: list[int], free: set[int], size: int) -> dict[tuple[int, ...], list[int]]:
    found: dict[tuple[int, ...], list[int]] = {}
    for start in range(len(words) - size + 1):
        if free.issuperset(range(start, start + size)):
            found.setdefault(tuple(words[start : start + size]), []).append(start)
    return found


WORDS = st.lists(st.integers(0, 6), max_size=60) | st.lists(st.integers(0, 40), max_size=60)


@given(WORDS, WORDS)
def test_runs_are_those_of_the_definition(left: list[int], right: list[int]) -> None:
    assert list(find_shared_runs(left, right)) == slow(left, right)


@given(st.integers(0, 59), st.integers(1, 20), st.lists(st.integers(100, 120), max_size=8))
def test_a_moved_and_edited_text(cut: int, length: int, new: list[int]) -> None:
    left = list(range(60))
    right = left[cut:] + new + left[: max(cut - length, 0)]
    assert list(find_shared_runs(left, right)) == slow(left, right)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([], []),
        ([0, 1], []),
        ([-1], [(0, 1)]),
        ([-1, -1, 0, -1, 2, -1, -1], [(0, 2), (3, 4), (5, 7)]),
    ],
)
def test_free_runs(places: list[int], expected: list[tuple[int, int]]) -> None:
    assert list(unaligned_runs(places)) == expected

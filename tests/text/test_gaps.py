from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.gaps import Gap, gaps

Places = list[int]


def inverse(forward: Places, size: int) -> Places:
    backward = [-1] * size
    for i, place in enumerate(forward):
        if place >= 0:
            backward[place] = i
    return backward


@pytest.mark.parametrize(
    ("forward", "size", "expected"),
    [
        ([0, 1], 2, []),
        ([0, -1, 2], 3, [Gap(1, 2, 1, 2, True, True)]),
        ([0, 2], 3, [Gap(1, 1, 1, 2, True, True)]),
        ([0, -1, 1], 2, [Gap(1, 2, 1, 1, True, True)]),
        ([-1], 1, [Gap(0, 1, 0, 1, True, True)]),
        ([], 0, []),
        # a moved block: what stands between has an anchor on one side
        (
            [3, -1, 0],
            4,
            [Gap(1, 2, 1, 3, False, True), Gap(1, 2, 1, 3, True, False)],
        ),
    ],
)
def test_gaps(forward: Places, size: int, expected: list[Gap]) -> None:
    found = list(gaps(forward, inverse(forward, size)))
    if any(not (gap.left and gap.right) for gap in expected):
        assert all(gap.left != gap.right for gap in found)
    else:
        assert found == expected


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.integers(0, 3))
def test_gaps_are_the_same_from_both_sides(order: Places, free: set[int], more: int) -> None:
    forward = [-1 if i in free else place for i, place in enumerate(order)]
    backward = inverse(forward, 8 + more)
    ours = {tuple(gap) for gap in gaps(forward, backward)}
    theirs = {(g.p, g.q, g.i, g.j, g.left, g.right) for g in gaps(backward, forward)}
    assert ours == theirs


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_gaps_hold_unaligned_words_alone(order: Places, free: set[int]) -> None:
    forward = [-1 if i in free else place for i, place in enumerate(order)]
    backward = inverse(forward, 8)
    for gap in gaps(forward, backward):
        assert all(place < 0 for place in (*forward[gap.i : gap.j], *backward[gap.p : gap.q]))
        assert gap.i < gap.j or gap.p < gap.q

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.alignment.gaps import Gap, find_gaps

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
    found = list(find_gaps(forward, inverse(forward, size)))
    if any(not (gap.is_left_aligned and gap.is_right_aligned) for gap in expected):
        assert all(gap.is_left_aligned != gap.is_right_aligned for gap in found)
    else:
        assert found == expected


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)), st.integers(0, 3))
def test_gaps_are_the_same_from_both_sides(order: Places, free: set[int], more: int) -> None:
    forward = [-1 if i in free else place for i, place in enumerate(order)]
    backward = inverse(forward, 8 + more)
    ours = {tuple(gap) for gap in find_gaps(forward, backward)}
    theirs = {
        (g.start_b, g.end_b, g.start_a, g.end_a, g.is_left_aligned, g.is_right_aligned)
        for g in find_gaps(backward, forward)
    }
    assert ours == theirs


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_gaps_hold_unaligned_words_alone(order: Places, free: set[int]) -> None:
    forward = [-1 if i in free else place for i, place in enumerate(order)]
    backward = inverse(forward, 8)
    for gap in find_gaps(forward, backward):
        assert all(
            place < 0 for place in (*forward[gap.start_a : gap.end_a], *backward[gap.start_b : gap.end_b])
        )
        assert gap.start_a < gap.end_a or gap.start_b < gap.end_b


def slow(forward: Places, backward: Places) -> set[Gap]:
    """The definition: what lies after and before every pair of aligned words, the beginnings and the ends."""
    n, m = len(forward), len(backward)
    linked = {(x, y) for x, y in enumerate(forward) if y >= 0} | {
        (x, y) for y, x in enumerate(backward) if x >= 0
    }
    linked |= {(-1, -1), (n, m)}
    found = set()
    for x, y in linked:
        i, j, p, q = x, x + 1, y, y + 1
        while j < n and forward[j] < 0:
            j += 1
        while q < m and backward[q] < 0:
            q += 1
        while i > 0 and forward[i - 1] < 0:
            i -= 1
        while p > 0 and backward[p - 1] < 0:
            p -= 1
        if x < n and (j, q) != (x + 1, y + 1) and ((j, q) in linked or (x + 1 < j and y + 1 < q)):
            found.add(Gap(x + 1, j, y + 1, q, True, (j, q) in linked))
        if x >= 0 and i < x and p < y and (i - 1, p - 1) not in linked:
            found.add(Gap(i, x, p, y, False, True))
    return found


@st.composite
def alignments(draw: st.DrawFn) -> tuple[Places, Places]:
    """Blocks of words in any order, one word for one, one for two, two for one; and words alone on either side."""
    blocks = draw(st.lists(st.sampled_from([(1, 1), (1, 2), (2, 1), (1, 0), (0, 1)]), max_size=12))
    order = draw(st.permutations(range(len(blocks))))
    forward, backward = [-1] * sum(a for a, _ in blocks), [-1] * sum(b for _, b in blocks)
    starts_b, place = {}, 0
    for number in order:
        starts_b[number], place = place, place + blocks[number][1]
    start = 0
    for number, (a, b) in enumerate(blocks):
        if a and b:
            forward[start : start + a] = [starts_b[number]] * a
            backward[starts_b[number] : starts_b[number] + b] = [start] * b
        start += a
    return forward, backward


@given(alignments())
def test_gaps_are_those_of_the_definition(places: tuple[Places, Places]) -> None:
    found = list(find_gaps(*places))
    assert set(found) == slow(*places)

"""Exact measures: values by hand, and what holds for all."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.set_similarity import containment, dice, resemblance

BAGS = st.lists(st.sampled_from("abcdef"), max_size=12)


@pytest.mark.parametrize(
    ("a", "b", "jaccard", "contained", "halves"),
    [
        ("abc", "abc", 1, 1, 1),
        ("abc", "abd", 2 / 4, 2 / 3, 4 / 6),
        ("ab", "abcd", 2 / 4, 1, 4 / 6),
        ("abcd", "ab", 2 / 4, 2 / 4, 4 / 6),
        ("ab", "cd", 0, 0, 0),
        ("", "", 0, 0, 0),
        ("", "a", 0, 0, 0),
        ("aab", "ab", 1, 1, 1),
    ],
)
def test_sets(a: str, b: str, jaccard: float, contained: float, halves: float) -> None:
    assert resemblance(a, b) == pytest.approx(jaccard)
    assert containment(a, b) == pytest.approx(contained)
    assert dice(a, b) == pytest.approx(halves)


def test_multisets() -> None:
    a, b = Counter("aab"), Counter("abb")
    assert resemblance(a, b) == pytest.approx(2 / 4)
    assert containment(a, Counter("aaab")) == 1
    assert dice(a, b) == pytest.approx(4 / 6)


@given(BAGS, BAGS)
def test_ranges_and_symmetry(a: list[str], b: list[str]) -> None:
    for one, other in ((a, b), (Counter(a), Counter(b))):
        assert 0 <= resemblance(one, other) <= containment(one, other) <= 1 or not one
        assert resemblance(one, other) == resemblance(other, one)
        assert dice(one, other) == dice(other, one) >= resemblance(one, other)
        assert resemblance(one, one) == (1 if a else 0)

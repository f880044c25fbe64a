"""The diff of raw words that the judge's differences are compared with."""

from __future__ import annotations

import pytest

from django_neardup.evaluation.word_diff import PIECE, WordDiff


def span_of(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


@pytest.mark.parametrize(
    ("a", "b", "part_a", "part_b", "is_covered"),
    [
        ("продам новый дом", "Продам старый дом", "новый", "старый", True),
        ("продам новый дом", "Продам старый дом", "новый дом", "старый дом", False),
        ("продам новый дом", "продам дом", "новый", "", True),
        ("продам новый дом", "продам дом", "дом", "", False),
        ("продам дом", "Продам: ДОМ", "продам", "Продам", False),
        ("дом №5а", "дом №5б", "5а", "5б", True),
    ],
)
def test_covers(a: str, b: str, part_a: str, part_b: str, is_covered: bool) -> None:
    assert WordDiff(a, b).covers(span_of(a, part_a), span_of(b, part_b)) is is_covered
    assert WordDiff(b, a).covers(span_of(b, part_b), span_of(a, part_a)) is is_covered


def test_signs_are_changes_of_pieces_only() -> None:
    a, b = "линзы +5 новые", "линзы -5 новые"
    spans = span_of(a, "+5"), span_of(b, "-5")
    assert not WordDiff(a, b).covers(*spans)
    assert WordDiff(a, b, PIECE).covers(*spans)


def test_ranges_without_a_word_are_not_covered() -> None:
    assert not WordDiff("да ✅", "да ❌").covers((3, 4), (3, 4))
    assert WordDiff("да ✅", "да ❌", PIECE).covers((3, 4), (3, 4))

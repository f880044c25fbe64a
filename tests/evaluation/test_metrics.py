from __future__ import annotations

import pytest

from django_neardup.evaluation.corpora import LabelledPair
from django_neardup.evaluation.metrics import Score, band


def pair(duplicate: bool | None, changed: float | None = 0.2, contains: bool = False) -> LabelledPair:
    return LabelledPair("a", "b", "kind", duplicate, changed, contains)


def scored(*judged: tuple[LabelledPair, str]) -> Score:
    score = Score()
    for labelled, verdict in judged:
        score.add(labelled, verdict)
    return score


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (0.0, "0-0.1"),
        (0.1, "0-0.1"),
        (0.11, "0.1-0.3"),
        (0.3, "0.1-0.3"),
        (0.5, "0.3-0.5"),
        (0.51, "0.5-1"),
        (None, "?"),
    ],
)
def test_bands_hold_their_upper_bound(changed: float | None, expected: str) -> None:
    assert band(changed) == expected


def test_rates_by_hand() -> None:
    score = scored(
        (pair(True), "duplicate"),
        (pair(True), "duplicate"),
        (pair(True), "related"),
        (pair(False), "duplicate"),
        (pair(False), "variant"),
        (pair(None), "duplicate"),
    )
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(2 / 3)
    assert score.f1 == pytest.approx(2 / 3)
    assert (score.missed, score.wrong) == (1, 1)
    assert score.positive.offered == 3
    assert score.bands["0.1-0.3"].grouped == 2


def test_a_labelled_containment_is_found_by_contained_and_a_copy_is_not() -> None:
    assert scored((pair(True, contains=True), "contained")).recall == 1
    assert scored((pair(True), "contained")).recall == 0
    assert scored((pair(False, contains=True), "contained")).wrong == 0


def test_nothing_to_divide_by_is_none() -> None:
    score = Score()
    assert (score.precision, score.recall, score.f1) == (None, None, None)

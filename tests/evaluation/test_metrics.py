from __future__ import annotations

import pytest

from django_neardup.evaluation.corpora import LabelledPair
from django_neardup.evaluation.metrics import (
    ConfusionCounts,
    CoreScores,
    best_threshold,
    build_core_scores,
    change_band,
    macro_f1,
    mean,
)


def pair(duplicate: bool | None, changed: float | None = 0.2, contains: bool = False) -> LabelledPair:
    return LabelledPair("a", "b", "kind", duplicate, changed, contains)


def scored(*judged: tuple[LabelledPair, str]) -> ConfusionCounts:
    score = ConfusionCounts()
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
    assert change_band(changed) == expected


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
    assert (score.missed_count, score.wrong_count) == (1, 1)
    assert score.positive.offered_count == 3
    assert score.bands["0.1-0.3"].found_count == 2


def test_a_labelled_containment_is_found_by_contained_and_a_copy_is_not() -> None:
    assert scored((pair(True, contains=True), "contained")).recall == 1
    assert scored((pair(True), "contained")).recall == 0
    assert scored((pair(False, contains=True), "contained")).wrong_count == 0


def test_nothing_to_divide_by_is_none() -> None:
    score = ConfusionCounts()
    assert (score.precision, score.recall, score.f1) == (None, None, None)


def labelled(
    duplicate: bool | None, changed: float | None, kind: str = "k", contains: bool = False
) -> LabelledPair:
    labelled.number = getattr(labelled, "number", 0) + 1
    return LabelledPair(f"a{labelled.number}", "b", kind, duplicate, changed, contains)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (labelled(True, 0.3), True),
        (labelled(True, 0.31), False),
        (labelled(True, None), False),
        (labelled(True, 0.1, contains=True), False),
        (labelled(False, None), True),
        (labelled(False, 0.9, "hn_price_only"), False),
        (labelled(None, 0.1), False),
    ],
)
def test_core_pairs(pair: LabelledPair, expected: bool) -> None:
    assert pair.is_core is expected


def test_core_needs_both_classes_in_the_set() -> None:
    true, false, price = labelled(True, 0.1), labelled(False, 0.5), labelled(False, 0.5, "hn_price_only")
    assert build_core_scores([true], [1.0]) is None
    assert build_core_scores([false], [1.0]) is None
    assert build_core_scores([true, false], [1.0, 0.2]) == CoreScores((1.0,), (0.2,))
    assert build_core_scores([true, price], [1.0, 0.2]) == CoreScores((1.0,), ())


def test_the_last_label_of_a_pair_counts_in_whichever_order_it_is_listed() -> None:
    pairs = [
        LabelledPair("a", "b", "k", False),
        LabelledPair("b", "a", "k", True, 0.1),
        LabelledPair("a", "c", "k", False),
    ]
    assert build_core_scores(pairs, [0.9, 0.9, 0.1]) == CoreScores((0.9,), (0.1,))


def test_f1_at_a_threshold_by_hand() -> None:
    scores = CoreScores((0.4, 0.6, 0.9), (0.1, 0.6))
    assert scores.counts(0.6) == (2, 1, 1)
    assert scores.f1(0.6) == pytest.approx(2 / 3)
    assert (scores.precision(0.6), scores.recall(0.6)) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert scores.f1(0.95) == 0
    assert scores.precision(0.95) == 1


def test_the_best_threshold_is_best_for_the_mean_of_the_sets() -> None:
    cores = {"one": CoreScores((0.5, 0.9), (0.2,)), "two": CoreScores((0.8,), (0.5, 0.6))}
    threshold, reached = best_threshold(cores)
    assert 0.6 < threshold <= 0.8
    assert reached == macro_f1(cores, threshold) == pytest.approx((2 / 3 + 1) / 2)
    assert best_threshold({}) is None


def test_the_mean_is_of_what_is_there() -> None:
    assert mean([1.0, None, 0.0]) == 0.5
    assert mean([None]) is None

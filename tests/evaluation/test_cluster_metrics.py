"""Agreement of two partitions: values by hand, of the papers, and of scikit-learn where it is installed."""

from __future__ import annotations

from random import Random

import pytest

from django_neardup.evaluation.cluster_metrics import adjusted_rand_index, b_cubed, cluster_figures

KEY = "AAAAABBCCCCC"
"""The key of Bagga and Baldwin's example: clusters of 5, 2 and 5 mentions."""


@pytest.mark.parametrize(
    ("clusters", "groups", "expected"),
    [
        ("xxyy", "aabb", 1.0),
        ("xxyy", "aabc", 4 / 7),  # S = 1, A = 2, B = 1, E = 1/3
        ("xxyy", "abab", -0.5),  # S = 0, A = B = 2, E = 2/3
        ("xxxx", "abcd", 0.0),  # S = 0, A = 6, B = 0
        ("xxxy", "aabb", 0.0),  # S = 1, A = 3, B = 2, E = 1
        ("wxyz", "abcd", 1.0),
        ("xxxx", "aaaa", 1.0),
        ("x", "a", 1.0),
    ],
)
def test_adjusted_rand_index_by_hand(clusters: str, groups: str, expected: float) -> None:
    assert adjusted_rand_index(clusters, groups) == pytest.approx(expected)
    assert adjusted_rand_index(groups, clusters) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("clusters", "groups", "precision", "recall"),
    [
        ("xxxxxyyyyyyy", KEY, 16 / 21, 1.0),  # the paper's first response: 76.2 %
        ("xxxxxyyxxxxx", KEY, 7 / 12, 1.0),  # its second one: 58.3 %
        ("xxyy", "aabb", 1.0, 1.0),
        ("xxxy", "aabb", 2 / 3, 3 / 4),  # precision (2/3 + 2/3 + 1/3 + 1) / 4, recall (1 + 1 + 1/2 + 1/2) / 4
        ("wxyz", "aabb", 1.0, 0.5),
    ],
)
def test_b_cubed_by_hand(clusters: str, groups: str, precision: float, recall: float) -> None:
    assert b_cubed(clusters, groups) == pytest.approx((precision, recall))
    # Swapped partitions swap precision and recall.
    assert b_cubed(groups, clusters) == pytest.approx((recall, precision))


def test_figures() -> None:
    figures = cluster_figures("xxxy", "aabb")
    assert figures is not None
    assert (figures.text_count, figures.adjusted_rand) == (4, 0.0)
    assert figures.f1 == pytest.approx(2 * (2 / 3) * (3 / 4) / (2 / 3 + 3 / 4))
    assert cluster_figures("", "") is None


def test_adjusted_rand_index_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = Random(5)
    for size in (2, 7, 40, 300):
        for kinds in (1, 3, size):
            clusters, groups = ([chance.randrange(kinds) for _ in range(size)] for _ in range(2))
            expected = metrics.adjusted_rand_score(groups, clusters)
            assert adjusted_rand_index(clusters, groups) == pytest.approx(expected)

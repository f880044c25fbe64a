"""Agreement of two partitions of the same items: adjusted Rand index and B-cubed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True)
class ClusterFigures:
    """How well the clusters of some texts agree with their known groups.

    - ``text_count``: texts with a known group.
    - ``adjusted_rand``: 1 for equal partitions, about 0 for random ones, at least -1.
    - ``precision``, ``recall``: B-cubed, 0..1.
    """

    text_count: int
    adjusted_rand: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean. Neither part is 0: an item always shares its cluster with itself."""
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def cluster_figures(clusters: Sequence[Hashable], groups: Sequence[Hashable]) -> ClusterFigures | None:
    """Compare the cluster of each text with its known group. Return None if there are no texts."""
    if not clusters:
        return None
    return ClusterFigures(len(clusters), adjusted_rand_index(clusters, groups), *b_cubed(clusters, groups))


def adjusted_rand_index(clusters: Sequence[Hashable], groups: Sequence[Hashable]) -> float:
    """Return the Rand index, corrected for chance.

    It is (S - E) / ((A + B) / 2 - E) of the pairs of items: S are together in both partitions, A in the
    first, B in the second, and E = A * B / all pairs is expected by chance. Source: Hubert and Arabie,
    "Comparing Partitions", Journal of Classification 2 (1985), equation 5. If the divisor is 0, the
    partitions are equal, and the index is 1.
    """
    together = _pair_count(Counter(zip(clusters, groups, strict=True)))
    in_clusters, in_groups = _pair_count(Counter(clusters)), _pair_count(Counter(groups))
    expected = in_clusters * in_groups / max(comb(len(clusters), 2), 1)
    divisor = (in_clusters + in_groups) / 2 - expected
    return (together - expected) / divisor if divisor else 1.0


def _pair_count(sizes: Counter[Hashable] | Counter[tuple[Hashable, Hashable]]) -> int:
    return sum(comb(size, 2) for size in sizes.values())


def b_cubed(clusters: Sequence[Hashable], groups: Sequence[Hashable]) -> tuple[float, float]:
    """Return precision and recall, each the mean over the items.

    The precision of an item is the share of its cluster that is in its group. Its recall is the share of its
    group that is in its cluster. Source: Bagga and Baldwin, "Algorithms for Scoring Coreference Chains"
    (1998), with equal weights.
    """
    common_sizes = Counter(zip(clusters, groups, strict=True))
    cluster_sizes, group_sizes = Counter(clusters), Counter(groups)
    # All items of one cluster and one group have the same two shares.
    precision = sum(size * size / cluster_sizes[cluster] for (cluster, _), size in common_sizes.items())
    recall = sum(size * size / group_sizes[group] for (_, group), size in common_sizes.items())
    return precision / len(clusters), recall / len(groups)

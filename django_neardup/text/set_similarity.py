"""Exact similarity of sets and multisets, as defined by Broder (1997).

A mapping (``Counter``) is a multiset. Any other iterable counts as the set of its items.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

Multiset = Iterable[Hashable] | Mapping[Hashable, int]


def _count_items(items: Multiset) -> Counter[Hashable]:
    return Counter(dict(items)) if isinstance(items, Mapping) else Counter(dict.fromkeys(items, 1))


def _intersection_sizes(a: Multiset, b: Multiset) -> tuple[int, int, int]:
    """Return |A|, |B| and |A ∩ B|."""
    counts_a, counts_b = _count_items(a), _count_items(b)
    return counts_a.total(), counts_b.total(), (counts_a & counts_b).total()


def resemblance(a: Multiset, b: Multiset) -> float:
    """Return |A ∩ B| / |A ∪ B|, 0..1 (Jaccard). Return 0 if both are empty."""
    size_a, size_b, common = _intersection_sizes(a, b)
    return common / union if (union := size_a + size_b - common) else 0.0


def containment(a: Multiset, b: Multiset) -> float:
    """Return |A ∩ B| / |A|, 0..1: the share of ``a`` that is in ``b``. Return 0 for an empty ``a``."""
    size_a, _, common = _intersection_sizes(a, b)
    return common / size_a if size_a else 0.0


def dice(a: Multiset, b: Multiset) -> float:
    """Return 2 |A ∩ B| / (|A| + |B|), 0..1. Return 0 if both are empty."""
    size_a, size_b, common = _intersection_sizes(a, b)
    return 2 * common / (size_a + size_b) if size_a + size_b else 0.0


def cosine(a: Multiset, b: Multiset) -> float:
    """Return the cosine of the angle between two vectors of counts, 0..1. Return 0 if one is empty."""
    counts_a, counts_b = _count_items(a), _count_items(b)
    product = sum(count * counts_b[item] for item, count in counts_a.items())
    lengths = sum(count * count for count in counts_a.values()) * sum(
        count * count for count in counts_b.values()
    )
    return min(product / math.sqrt(lengths), 1.0) if lengths else 0.0

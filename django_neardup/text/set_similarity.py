"""Exact similarity of sets and multisets, as Broder defined it (1997).

A mapping (``Counter``) is a multiset, any other iterable counts as the set of its items.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

Multiset = Iterable[Hashable] | Mapping[Hashable, int]


def _count_items(items: Multiset) -> Counter[Hashable]:
    return Counter(dict(items)) if isinstance(items, Mapping) else Counter(dict.fromkeys(items, 1))


def _intersection_sizes(a: Multiset, b: Multiset) -> tuple[int, int, int]:
    """|A|, |B| and |A ∩ B|."""
    first, second = _count_items(a), _count_items(b)
    return first.total(), second.total(), (first & second).total()


def resemblance(a: Multiset, b: Multiset) -> float:
    """|A ∩ B| / |A ∪ B|, 0..1 (Jaccard).  Two empty ones share nothing: 0."""
    size_a, size_b, common = _intersection_sizes(a, b)
    return common / union if (union := size_a + size_b - common) else 0.0


def containment(a: Multiset, b: Multiset) -> float:
    """|A ∩ B| / |A|, 0..1: how much of ``a`` is in ``b``.  0 for an empty ``a``."""
    size_a, _, common = _intersection_sizes(a, b)
    return common / size_a if size_a else 0.0


def dice(a: Multiset, b: Multiset) -> float:
    """2 |A ∩ B| / (|A| + |B|), 0..1.  0 for two empty ones."""
    size_a, size_b, common = _intersection_sizes(a, b)
    return 2 * common / (size_a + size_b) if size_a + size_b else 0.0


def cosine(a: Multiset, b: Multiset) -> float:
    """Cosine of the angle between two vectors of counts, 0..1.  0 where one is empty."""
    first, second = _count_items(a), _count_items(b)
    product = sum(count * second[item] for item, count in first.items())
    lengths = sum(n * n for n in first.values()) * sum(n * n for n in second.values())
    return min(product / math.sqrt(lengths), 1.0) if lengths else 0.0

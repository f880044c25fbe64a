"""A bounded choice of keys for shingle algorithms, and set measures on packed bags (see ``bag_of_words``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..text.hashing import mix
from ..text.shingles import winnow
from .bag_of_words import comparable_members

MAX_KEYS = 128


def bottom_k_keys(hashes: Iterable[int], limit: int = MAX_KEYS) -> list[int]:
    """Return distinct hashes, ascending: the first ``limit`` in a random order, or all if there are fewer.

    The order is the same for all texts: this is Broder's bottom-k sketch. Of two texts with resemblance J,
    about J of the chosen hashes are the same.
    """
    distinct = set(hashes)
    return sorted(distinct if len(distinct) <= limit else sorted(distinct, key=mix)[:limit])


def winnowed_keys(grams: Sequence[int], window: int, limit: int = MAX_KEYS) -> list[int]:
    """Return distinct hashes, ascending, such that every ``window`` neighbouring grams contain one.

    For long texts the window doubles until about ``limit`` hashes are chosen: winnowing chooses
    2 / (window + 1) of the grams. A larger window chooses a subset of what a smaller window chooses. So two
    texts share a key if they share a run of as many grams as the larger of their windows.
    """
    while 2 * len(grams) > limit * (window + 1):
        window *= 2
    return sorted({grams[position] for position in winnow(grams, window)})


def dice_of(a: bytes, b: bytes) -> float:
    """Return 2 |A∩B| / (|A| + |B|), 0..1, of two packed bags. Return 0 if both are empty."""
    size_a, size_b, common = intersection_sizes(a, b)
    return 2 * common / (size_a + size_b) if size_a + size_b else 0.0


def resemblance_of(a: bytes, b: bytes) -> float:
    """Return |A∩B| / |A∪B|, 0..1, of two packed bags. Return 0 if both are empty."""
    size_a, size_b, common = intersection_sizes(a, b)
    union = size_a + size_b - common
    return common / union if union else 0.0


def containment_of(a: bytes, b: bytes) -> float:
    """Return |A∩B| / min(|A|, |B|), 0..1, of two packed bags: the share of the smaller bag that the other
    holds.

    Return 0 if one is empty.
    """
    size_a, size_b, common = intersection_sizes(a, b)
    smaller = min(size_a, size_b)
    return common / smaller if smaller else 0.0


def intersection_sizes(a: bytes, b: bytes) -> tuple[int, int, int]:
    """Return |A|, |B| and |A∩B| of two packed bags.

    For long texts, count only members below the lower of both limits.
    """
    members_a, members_b = comparable_members(a, b)
    return len(members_a), len(members_b), len(set(members_a).intersection(members_b))

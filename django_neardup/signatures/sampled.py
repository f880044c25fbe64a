"""What the shingle algorithms share: a bounded choice of keys, and counts on packed sets (see `bag`)."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ..text.hashing import mix
from ..text.shingle import winnow

MOST_KEYS = 128


def least_keys(hashes: Iterable[int], most: int = MOST_KEYS) -> list[int]:
    """Distinct hashes, ascending: all of few, else the `most` that come first in one random order of all hashes.

    Broder's bottom-k sketch: of two texts of resemblance J about J of the chosen ones are the same.
    """
    distinct = set(hashes)
    return sorted(distinct if len(distinct) <= most else sorted(distinct, key=mix)[:most])


def winnowed_keys(grams: Sequence[int], window: int, most: int = MOST_KEYS) -> list[int]:
    """Distinct hashes, ascending, of which every `window` neighbours hold one; the window doubles for long texts.

    It doubles until about `most` are chosen, of 2 / (window + 1) of the neighbours one.  What a larger window chooses
    a smaller one chooses too, so a run of as many equal grams as the larger window of two texts has gives them an equal
    key.
    """
    while 2 * len(grams) > most * (window + 1):
        window *= 2
    return sorted({grams[place] for place in winnow(grams, window)})


def dice_of(a: bytes, b: bytes) -> float:
    """2 |A∩B| / (|A| + |B|), 0..1, of two packed bags.  0 for two empty ones."""
    size_a, size_b, common = sizes(a, b)
    return 2 * common / (size_a + size_b) if size_a + size_b else 0.0


def resemblance_of(a: bytes, b: bytes) -> float:
    """|A∩B| / |A∪B|, 0..1, of two packed bags.  0 for two empty ones."""
    size_a, size_b, common = sizes(a, b)
    union = size_a + size_b - common
    return common / union if union else 0.0


def containment_of(a: bytes, b: bytes) -> float:
    """|A∩B| / min(|A|, |B|), 0..1, of two packed bags: how much of the smaller is in the other.  0 for an empty one."""
    size_a, size_b, common = sizes(a, b)
    smaller = min(size_a, size_b)
    return common / smaller if smaller else 0.0


def sizes(a: bytes, b: bytes) -> tuple[int, int, int]:
    """|A|, |B|, |A∩B| of two packed bags; of long texts, of their members below the lower limit of the two."""
    shift_a, ours = _members(a)
    shift_b, theirs = _members(b)
    if shift_a != shift_b:
        limit = 1 << (32 - max(shift_a, shift_b))
        ours, theirs = ours[: bisect_left(ours, limit)], theirs[: bisect_left(theirs, limit)]
    return len(ours), len(theirs), len(set(ours).intersection(theirs))


def _members(packed: bytes) -> tuple[int, tuple[int, ...]]:
    shift, *members = struct.unpack(f"<{len(packed) // 4}I", packed)
    return shift, tuple(members)

"""A text's multiset of words as bytes, and the share of it that two texts have in common.

The n-th occurrence of a word is a member of its own, so a multiset is a set of 32-bit numbers.  Of long texts only
the members below a limit are kept; two texts are compared below the lower of their limits.
Layout, little-endian: uint32 shift (the limit is 2^32 >> shift), then the members, uint32 each, ascending.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

from ..text.hashing import GOLDEN, MASK

MOST = 4096


def pack_bag(hashes: Iterable[int]) -> bytes:
    """The payload of words given by their 64-bit hashes: at most 16 KiB, 4 bytes a word in texts of usual length."""
    seen: Counter[int] = Counter()
    members = []
    for word in hashes:
        members.append(((word + seen[word] * GOLDEN) & MASK) >> 32)
        seen[word] += 1
    members.sort()
    return shifted(members)


def shifted(members: list[int]) -> bytes:
    """The payload of ascending members; the greatest are dropped from the list, as long as it is too long."""
    shift = 0
    while len(members) > MOST:
        shift += 1
        del members[bisect_left(members, 1 << (32 - shift)) :]
    return struct.pack(f"<{len(members) + 1}I", shift, *members)


def common_share(a: bytes, b: bytes) -> float:
    """|A∩B| / max(|A|, |B|), 0..1, on multisets; an estimate over 4096 words.  0 for an empty text."""
    shift_a, ours = _unpack(a)
    shift_b, theirs = _unpack(b)
    if shift_a != shift_b:
        limit = 1 << (32 - max(shift_a, shift_b))
        ours, theirs = ours[: bisect_left(ours, limit)], theirs[: bisect_left(theirs, limit)]
    largest = max(len(ours), len(theirs))
    return len(set(ours).intersection(theirs)) / largest if largest else 0.0


def _unpack(packed: bytes) -> tuple[int, tuple[int, ...]]:
    shift, *members = struct.unpack(f"<{len(packed) // 4}I", packed)
    return shift, tuple(members)

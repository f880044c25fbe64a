"""Multisets of words as bytes, and the share of words that two texts have in common.

Each occurrence of a word is a separate member, so a multiset becomes a set of 32-bit numbers. Of long texts,
only the members below a limit are kept. Two texts are compared below the lower of their limits.

Layout, little-endian: uint32 shift (the limit is 2^32 >> shift), then the members, uint32 each, ascending.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

from ..text.hashing import GOLDEN_RATIO_64, MASK_64

MAX_MEMBERS = 4096


def pack_bag(hashes: Iterable[int]) -> bytes:
    """Pack words, given by their 64-bit hashes.

    The payload takes 4 bytes a word in texts of usual length, and at most 16 KiB.
    """
    occurrences: Counter[int] = Counter()
    members = []
    for word_hash in hashes:
        # The n-th occurrence of a word is the same member in every text.
        members.append(((word_hash + occurrences[word_hash] * GOLDEN_RATIO_64) & MASK_64) >> 32)
        occurrences[word_hash] += 1
    members.sort()
    return pack_members(members)


def pack_members(members: list[int]) -> bytes:
    """Pack ascending members. If there are more than 4096, remove the greatest ones from the list."""
    shift = 0
    # Members are hashes, so those below a limit are a random sample, and two texts sample the same words.
    while len(members) > MAX_MEMBERS:
        shift += 1
        del members[bisect_left(members, 1 << (32 - shift)) :]
    return struct.pack(f"<{len(members) + 1}I", shift, *members)


def common_share(a: bytes, b: bytes) -> float:
    """Return |A∩B| / max(|A|, |B|), 0..1, of two packed multisets.

    For texts of over 4096 words it is an estimate. Return 0 if a text is empty.
    """
    members_a, members_b = comparable_members(a, b)
    largest = max(len(members_a), len(members_b))
    return len(set(members_a).intersection(members_b)) / largest if largest else 0.0


def comparable_members(a: bytes, b: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sampled members of two packed bags, cut to the smaller share if their shares differ."""
    shift_a, members_a = _unpack_bag(a)
    shift_b, members_b = _unpack_bag(b)
    if shift_a != shift_b:
        limit = 1 << (32 - max(shift_a, shift_b))
        members_a, members_b = (
            members_a[: bisect_left(members_a, limit)],
            members_b[: bisect_left(members_b, limit)],
        )
    return members_a, members_b


def _unpack_bag(payload: bytes) -> tuple[int, tuple[int, ...]]:
    shift, *members = struct.unpack(f"<{len(payload) // 4}I", payload)
    return shift, tuple(members)

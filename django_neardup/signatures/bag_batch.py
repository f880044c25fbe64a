"""Bags of many texts at once: `bag.pack_bag` and `bag.common_share`, text by text and pair by pair, define them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..text.batch.runs import Hashes, Integers, offsets_of, sort_runs
from ..text.hashing import GOLDEN
from .bag import MOST, shifted

PAIRS = 512
_HALF, _ODD = np.uint64(32), np.uint64(GOLDEN)
WHOLE = bytes(4)
SPARSE = 3
LEAST_BITS = 13


def pack_bags(hashes: Hashes, offsets: Integers) -> list[bytes]:
    """`pack_bag(hashes[offsets[i]:offsets[i + 1]])` of every text i."""
    words = hashes.copy()
    sort_runs(words, offsets)
    _tell_repeated_apart(words, offsets)
    members = (words >> _HALF).astype("<u4")
    sort_runs(members, offsets)
    bags = (members[start:end] for start, end in pairwise(offsets.tolist()))
    return [WHOLE + bag.tobytes() if len(bag) <= MOST else shifted(bag.tolist()) for bag in bags]


def _tell_repeated_apart(words: Hashes, offsets: Integers) -> None:
    """To every sorted word of a text add so many constants as there are equal ones before it."""
    repeats = np.zeros(len(words), np.bool_)
    np.equal(words[1:], words[:-1], out=repeats[1:])
    repeats[offsets[:-1][offsets[:-1] < len(words)]] = False
    places = np.flatnonzero(repeats)
    numbers = np.arange(len(places))
    first = np.where(np.diff(places, prepend=-2) == 1, 0, numbers)
    words[places] += (numbers - np.maximum.accumulate(first) + 1).astype(np.uint64) * _ODD


@dataclass(frozen=True, slots=True)
class Bags:
    """Unpacked bags, one after another: `members` uint32, ascending inside a bag."""

    members: NDArray[np.uint32]
    offsets: Integers
    shifts: Integers

    @classmethod
    def of(cls, packs: Sequence[bytes]) -> Bags:
        members = np.frombuffer(b"".join([pack[4:] for pack in packs]), "<u4")
        sizes = np.array([len(pack) // 4 - 1 for pack in packs], np.int64)
        return cls(members, offsets_of(sizes), np.array([pack[0] for pack in packs], np.int64))

    def tagged(self, tags: Integers) -> Hashes:
        """The members as 64-bit numbers, each below the number of its bag."""
        tagged = np.repeat(tags.astype(np.uint64) << _HALF, np.diff(self.offsets))
        tagged |= self.members
        return tagged

    def sizes_below(self, which: Integers, shifts: Integers) -> Integers:
        """Of those bags the numbers of members below the limits that those shifts say."""
        sizes = np.diff(self.offsets)[which]
        for pair in np.flatnonzero(self.shifts[which] < shifts).tolist():
            start, end = self.offsets[which[pair]], self.offsets[which[pair] + 1]
            sizes[pair] = np.searchsorted(self.members[start:end], 1 << (32 - int(shifts[pair])))
        return sizes


def sizes_many(packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> Integers:
    """|A|, |B|, |A∩B| of every pair of packed bags, below the lower limit of the two: int64[3, pairs].

    Quickest where many pairs of one left side stand together.
    """
    parts = [
        _sizes(packs_a[start : start + PAIRS], packs_b[start : start + PAIRS])
        for start in range(0, len(packs_b), PAIRS)
    ]
    return np.concatenate([np.empty((3, 0), np.int64), *parts], axis=1)


def _sizes(packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> Integers:
    numbers = {pack: number for number, pack in enumerate(dict.fromkeys(packs_a))}
    left, right = np.array([numbers[pack] for pack in packs_a]), np.arange(len(packs_b))
    ours, theirs = Bags.of(list(numbers)), Bags.of(packs_b)
    shifts = np.maximum(ours.shifts[left], theirs.shifts)
    sizes_b = theirs.sizes_below(right, shifts)
    starts = theirs.offsets[:-1]
    hits = _hits(theirs.tagged(left), ours.tagged(np.arange(len(numbers))), starts)
    common = np.searchsorted(hits, starts + sizes_b) - np.searchsorted(hits, starts)
    return np.stack([ours.sizes_below(left, shifts), sizes_b, common])


def _hits(values: Hashes, known: Hashes, starts: Integers) -> Integers:
    """Places of the values that are known, without those equal to the one before in the same bag."""
    if not len(known):
        return np.empty(0, np.int64)
    found = are_known(values, known)
    doubled = np.flatnonzero(values[1:] == values[:-1]) + 1
    if len(doubled):
        found[doubled[~np.isin(doubled, starts)]] = False
    return np.flatnonzero(found)


def are_known(values: Hashes, known: Hashes) -> NDArray[np.bool_]:
    """Whether each value is among `known` (ascending, at least one): a table of these by a part of their hash."""
    bits = max(len(known).bit_length() + SPARSE, LEAST_BITS)
    buckets, own = _buckets(values, bits), _buckets(known, bits)
    table = np.full(1 << bits, known[0])
    table[own] = known
    found: NDArray[np.bool_] = np.take(table, buckets) == values
    hidden = own[table[own] != known]
    if len(hidden):
        crowded = np.zeros(1 << bits, np.bool_)
        crowded[hidden] = True
        unsure = np.flatnonzero(np.take(crowded, buckets))
        nearest = np.searchsorted(known, values[unsure], side="right") - 1
        found[unsure] = known[nearest] == values[unsure]
    return found


def _buckets(values: Hashes, bits: int) -> Integers:
    buckets = values * _ODD
    buckets >>= np.uint64(64 - bits)
    return buckets.view(np.int64)


def common_shares(packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
    """`common_share` of every pair of packed bags: float64, one a pair."""
    sizes_a, sizes_b, common = sizes_many(packs_a, packs_b)
    shares: NDArray[np.float64] = common / np.maximum(np.maximum(sizes_a, sizes_b), 1)
    return shares

"""Bags of many texts at once: `bag.pack_bag` and `bag.common_share`, text by text and pair by pair, define them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..text.batch.mixing import constant
from ..text.batch.runs import Hashes, Integers, lengths_of, offsets_of, sort_runs, unlike_before
from ..text.hashing import GOLDEN
from .bag import MOST, shifted

PAIRS = 512
_HALF, _ODD = constant(32), constant(GOLDEN)
WHOLE = bytes(4)
SPARSE = 3
LEAST_BITS = 13
CELL_BITS = 12
_CELL = np.array(32 - CELL_BITS, np.uint32)


def pack_bags(hashes: Hashes, offsets: Integers) -> list[bytes]:
    """`pack_bag(hashes[offsets[i]:offsets[i + 1]])` of every text i."""
    words = hashes.copy()
    sort_runs(words, offsets)
    _tell_repeated_apart(words, offsets)
    members = (words >> _HALF).astype("<u4")
    sort_runs(members, offsets)
    data, bounds = members.tobytes(), pairwise((4 * offsets).tolist())
    return [
        WHOLE + data[start:end]
        if end - start <= 4 * MOST
        else shifted(members[start // 4 : end // 4].tolist())
        for start, end in bounds
    ]


def _tell_repeated_apart(words: Hashes, offsets: Integers) -> None:
    """To every sorted word of a text add so many constants as there are equal ones before it."""
    places = (~unlike_before(words, offsets)).nonzero()[0]
    if not len(places):
        return
    numbers = np.arange(1, len(places) + 1, dtype=np.int64)
    before = numbers - 1  # repeats before the run of repeats that a place is in
    before[1:] *= places[1:] != places[:-1] + 1
    numbers -= np.maximum.accumulate(before)
    words[places] += numbers.view(np.uint64) * _ODD


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
        tagged = (tags.astype(np.uint64) << _HALF).repeat(lengths_of(self.offsets))
        tagged |= self.members
        return tagged

    def sizes_below(self, which: Integers, shifts: Integers) -> Integers:
        """Of those bags the numbers of members below the limits that those shifts say."""
        sizes = lengths_of(self.offsets)[which]
        for pair in (self.shifts[which] < shifts).nonzero()[0].tolist():
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
    found = _sizes_of_one(packs_a[0], packs_b) if len(numbers) == 1 else None
    if found is not None:
        return found
    left, right = np.array([numbers[pack] for pack in packs_a]), np.arange(len(packs_b))
    ours, theirs = Bags.of(list(numbers)), Bags.of(packs_b)
    shifts = np.maximum(ours.shifts[left], theirs.shifts)
    sizes_b = theirs.sizes_below(right, shifts)
    starts = theirs.offsets[:-1]
    hits = _hits(theirs.tagged(left), ours.tagged(np.arange(len(numbers))), starts)
    common = np.searchsorted(hits, starts + sizes_b) - np.searchsorted(hits, starts)
    return np.stack([ours.sizes_below(left, shifts), sizes_b, common])


def _sizes_of_one(pack: bytes, packs: Sequence[bytes]) -> Integers | None:
    """`_sizes` where all left sides are one; None where it is empty, or a bag is a sample or holds a member twice.

    The payloads stay as they are: the first number of each, its shift, is no member.
    """
    words, ours = np.frombuffer(b"".join(packs), "<u4"), np.frombuffer(pack, "<u4")
    lengths = np.array(list(map(len, packs)), np.int64) >> 2
    starts = lengths.cumsum() - lengths
    if len(ours) < 2 or ours[0] or words.take(starts).any():
        return None
    ours = ours[1:]
    table = np.zeros(1 << CELL_BITS, np.bool_)
    table[ours >> _CELL] = True
    places = table.take((words >> _CELL).astype(np.intp)).nonzero()[0]
    values = words.take(places)
    hit = ours.take(ours.searchsorted(values, "right") - 1) == values
    places, values = places.compress(hit), values.compress(hit)
    if not values.all() or (np.count_nonzero(values[1:] == values[:-1]) and _twice(places, values)):
        return None
    sizes = np.empty((3, len(packs)), np.int64)
    sizes[0], sizes[1] = len(ours), lengths - 1
    bounds = places.searchsorted(starts)
    sizes[2, :-1], sizes[2, -1] = bounds[1:] - bounds[:-1], len(places) - bounds[-1]
    return sizes


def _twice(places: Integers, values: NDArray[np.uint32]) -> bool:
    """Whether neighbours are equal."""
    return bool(np.any((values[1:] == values[:-1]) & (places[1:] == places[:-1] + 1)))


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

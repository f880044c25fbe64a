"""Bags of many texts at once: `bag.pack_bag` and `bag.common_share`, text by text and pair by pair, define them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...text.hashing import GOLDEN_RATIO_64
from ..bag_of_words import MAX_MEMBERS, pack_members
from .hash_mixing import constant
from .ragged import Hashes, Integers, lengths_of, offsets_of, sort_runs, unlike_before

PAIRS_PER_STEP = 512
_HALF_BITS, _ODD_FACTOR = constant(32), constant(GOLDEN_RATIO_64)
UNSHIFTED_HEADER = bytes(4)
SPARSE_BITS = 3
MIN_TABLE_BITS = 13
CELL_BITS = 12
_CELL_SHIFT = np.array(32 - CELL_BITS, np.uint32)


def pack_bags(hashes: Hashes, offsets: Integers) -> list[bytes]:
    """`pack_bag(hashes[offsets[i]:offsets[i + 1]])` of every text i."""
    words = hashes.copy()
    sort_runs(words, offsets)
    _make_repeats_distinct(words, offsets)
    members = (words >> _HALF_BITS).astype("<u4")
    sort_runs(members, offsets)
    data, bounds = members.tobytes(), pairwise((4 * offsets).tolist())
    return [
        UNSHIFTED_HEADER + data[start:end]
        if end - start <= 4 * MAX_MEMBERS
        else pack_members(members[start // 4 : end // 4].tolist())
        for start, end in bounds
    ]


def _make_repeats_distinct(words: Hashes, offsets: Integers) -> None:
    """To every sorted word of a text add so many constants as there are equal ones before it."""
    places = (~unlike_before(words, offsets)).nonzero()[0]
    if not len(places):
        return
    numbers = np.arange(1, len(places) + 1, dtype=np.int64)
    before = numbers - 1  # repeats before the run of repeats that a place is in
    before[1:] *= places[1:] != places[:-1] + 1
    numbers -= np.maximum.accumulate(before)
    words[places] += numbers.view(np.uint64) * _ODD_FACTOR


@dataclass(frozen=True, slots=True)
class UnpackedBags:
    """Unpacked bags, one after another: `members` uint32, ascending inside a bag."""

    members: NDArray[np.uint32]
    offsets: Integers
    shifts: Integers

    @classmethod
    def unpack(cls, payloads: Sequence[bytes]) -> UnpackedBags:
        members = np.frombuffer(b"".join([pack[4:] for pack in payloads]), "<u4")
        sizes = np.array([len(pack) // 4 - 1 for pack in payloads], np.int64)
        return cls(members, offsets_of(sizes), np.array([pack[0] for pack in payloads], np.int64))

    def tag_members(self, tags: Integers) -> Hashes:
        """The members as 64-bit numbers, each below the number of its bag."""
        tagged = (tags.astype(np.uint64) << _HALF_BITS).repeat(lengths_of(self.offsets))
        tagged |= self.members
        return tagged

    def sizes_below(self, bag_numbers: Integers, shifts: Integers) -> Integers:
        """Of those bags the numbers of members below the limits that those shifts say."""
        sizes = lengths_of(self.offsets)[bag_numbers]
        for pair in (self.shifts[bag_numbers] < shifts).nonzero()[0].tolist():
            start, end = self.offsets[bag_numbers[pair]], self.offsets[bag_numbers[pair] + 1]
            sizes[pair] = np.searchsorted(self.members[start:end], 1 << (32 - int(shifts[pair])))
        return sizes


def intersection_sizes_many(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> Integers:
    """|A|, |B|, |A∩B| of every pair of packed bags, below the lower limit of the two: int64[3, pairs].

    Quickest where many pairs of one left side stand together.
    """
    parts = [
        _intersection_sizes(
            payloads_a[start : start + PAIRS_PER_STEP], payloads_b[start : start + PAIRS_PER_STEP]
        )
        for start in range(0, len(payloads_b), PAIRS_PER_STEP)
    ]
    return np.concatenate([np.empty((3, 0), np.int64), *parts], axis=1)


def _intersection_sizes(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> Integers:
    numbers = {pack: number for number, pack in enumerate(dict.fromkeys(payloads_a))}
    found = _intersection_sizes_with_one(payloads_a[0], payloads_b) if len(numbers) == 1 else None
    if found is not None:
        return found
    left, right = np.array([numbers[pack] for pack in payloads_a]), np.arange(len(payloads_b))
    ours, theirs = UnpackedBags.unpack(list(numbers)), UnpackedBags.unpack(payloads_b)
    shifts = np.maximum(ours.shifts[left], theirs.shifts)
    sizes_b = theirs.sizes_below(right, shifts)
    starts = theirs.offsets[:-1]
    hits = _find_members(theirs.tag_members(left), ours.tag_members(np.arange(len(numbers))), starts)
    common = np.searchsorted(hits, starts + sizes_b) - np.searchsorted(hits, starts)
    return np.stack([ours.sizes_below(left, shifts), sizes_b, common])


def _intersection_sizes_with_one(payload: bytes, payloads: Sequence[bytes]) -> Integers | None:
    """`_sizes` where all left sides are one; None where it is empty, or a bag is a sample or holds a member twice.

    The payloads stay as they are: the first number of each, its shift, is no member.
    """
    words, ours = np.frombuffer(b"".join(payloads), "<u4"), np.frombuffer(payload, "<u4")
    lengths = np.array(list(map(len, payloads)), np.int64) >> 2
    starts = lengths.cumsum() - lengths
    if len(ours) < 2 or ours[0] or words.take(starts).any():
        return None
    ours = ours[1:]
    table = np.zeros(1 << CELL_BITS, np.bool_)
    table[ours >> _CELL_SHIFT] = True
    places = table.take((words >> _CELL_SHIFT).astype(np.intp)).nonzero()[0]
    values = words.take(places)
    hit = ours.take(ours.searchsorted(values, "right") - 1) == values
    places, values = places.compress(hit), values.compress(hit)
    if not values.all() or (
        np.count_nonzero(values[1:] == values[:-1]) and _has_adjacent_repeats(places, values)
    ):
        return None
    sizes = np.empty((3, len(payloads)), np.int64)
    sizes[0], sizes[1] = len(ours), lengths - 1
    bounds = places.searchsorted(starts)
    sizes[2, :-1], sizes[2, -1] = bounds[1:] - bounds[:-1], len(places) - bounds[-1]
    return sizes


def _has_adjacent_repeats(positions: Integers, values: NDArray[np.uint32]) -> bool:
    """Whether neighbours are equal."""
    return bool(np.any((values[1:] == values[:-1]) & (positions[1:] == positions[:-1] + 1)))


def _find_members(values: Hashes, members: Hashes, starts: Integers) -> Integers:
    """Places of the values that are known, without those equal to the one before in the same bag."""
    if not len(members):
        return np.empty(0, np.int64)
    found = is_in_sorted(values, members)
    doubled = np.flatnonzero(values[1:] == values[:-1]) + 1
    if len(doubled):
        found[doubled[~np.isin(doubled, starts)]] = False
    return np.flatnonzero(found)


def is_in_sorted(values: Hashes, members: Hashes) -> NDArray[np.bool_]:
    """Whether each value is among `known` (ascending, at least one): a table of these by a part of their hash."""
    bits = max(len(members).bit_length() + SPARSE_BITS, MIN_TABLE_BITS)
    buckets, own = _table_cells(values, bits), _table_cells(members, bits)
    table = np.full(1 << bits, members[0])
    table[own] = members
    found: NDArray[np.bool_] = np.take(table, buckets) == values
    hidden = own[table[own] != members]
    if len(hidden):
        crowded = np.zeros(1 << bits, np.bool_)
        crowded[hidden] = True
        unsure = np.flatnonzero(np.take(crowded, buckets))
        nearest = np.searchsorted(members, values[unsure], side="right") - 1
        found[unsure] = members[nearest] == values[unsure]
    return found


def _table_cells(values: Hashes, bits: int) -> Integers:
    buckets = values * _ODD_FACTOR
    buckets >>= np.uint64(64 - bits)
    return buckets.view(np.int64)


def common_shares(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
    """`common_share` of every pair of packed bags: float64, one a pair."""
    sizes_a, sizes_b, common = intersection_sizes_many(payloads_a, payloads_b)
    shares: NDArray[np.float64] = common / np.maximum(np.maximum(sizes_a, sizes_b), 1)
    return shares

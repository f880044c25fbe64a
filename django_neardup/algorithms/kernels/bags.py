"""Bags of many texts together.

``bag_of_words.pack_bag`` and ``common_share`` are the definitions for one text or pair.
"""

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
    """Return ``pack_bag(hashes[offsets[i]:offsets[i + 1]])`` of every text i."""
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
    """Add a constant to every sorted word of a text, once for each equal word before it."""
    positions = (~unlike_before(words, offsets)).nonzero()[0]
    if not len(positions):
        return
    numbers = np.arange(1, len(positions) + 1, dtype=np.int64)
    # Number of repeats before the run of adjacent repeats that contains the position.
    before = numbers - 1
    before[1:] *= positions[1:] != positions[:-1] + 1
    numbers -= np.maximum.accumulate(before)
    words[positions] += numbers.view(np.uint64) * _ODD_FACTOR


@dataclass(frozen=True, slots=True)
class UnpackedBags:
    """Unpacked bags, one after another: ``members`` is uint32, ascending inside a bag."""

    members: NDArray[np.uint32]
    offsets: Integers
    shifts: Integers

    @classmethod
    def unpack(cls, payloads: Sequence[bytes]) -> UnpackedBags:
        members = np.frombuffer(b"".join([payload[4:] for payload in payloads]), "<u4")
        sizes = np.array([len(payload) // 4 - 1 for payload in payloads], np.int64)
        return cls(members, offsets_of(sizes), np.array([payload[0] for payload in payloads], np.int64))

    def tag_members(self, tags: Integers) -> Hashes:
        """Return the members as 64-bit numbers, with the tag of their bag in the high half."""
        tagged = (tags.astype(np.uint64) << _HALF_BITS).repeat(lengths_of(self.offsets))
        tagged |= self.members
        return tagged

    def sizes_below(self, bag_numbers: Integers, shifts: Integers) -> Integers:
        """Return the number of members of these bags below the limits that the shifts give."""
        sizes = lengths_of(self.offsets)[bag_numbers]
        for index in (self.shifts[bag_numbers] < shifts).nonzero()[0].tolist():
            start, end = self.offsets[bag_numbers[index]], self.offsets[bag_numbers[index] + 1]
            sizes[index] = np.searchsorted(self.members[start:end], 1 << (32 - int(shifts[index])))
        return sizes


def intersection_sizes_many(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> Integers:
    """Return |A|, |B|, |A∩B| of every pair of packed bags: int64[3, pairs].

    The members below the lower limit count.

    It is fastest if many pairs with the same left side stand together.
    """
    parts = [
        _intersection_sizes(
            payloads_a[start : start + PAIRS_PER_STEP], payloads_b[start : start + PAIRS_PER_STEP]
        )
        for start in range(0, len(payloads_b), PAIRS_PER_STEP)
    ]
    return np.concatenate([np.empty((3, 0), np.int64), *parts], axis=1)


def _intersection_sizes(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> Integers:
    numbers = {payload: number for number, payload in enumerate(dict.fromkeys(payloads_a))}
    sizes_with_one = _intersection_sizes_with_one(payloads_a[0], payloads_b) if len(numbers) == 1 else None
    if sizes_with_one is not None:
        return sizes_with_one
    left, right = np.array([numbers[payload] for payload in payloads_a]), np.arange(len(payloads_b))
    bags_a, bags_b = UnpackedBags.unpack(list(numbers)), UnpackedBags.unpack(payloads_b)
    shifts = np.maximum(bags_a.shifts[left], bags_b.shifts)
    sizes_b = bags_b.sizes_below(right, shifts)
    starts = bags_b.offsets[:-1]
    hits = _find_members(bags_b.tag_members(left), bags_a.tag_members(np.arange(len(numbers))), starts)
    common = np.searchsorted(hits, starts + sizes_b) - np.searchsorted(hits, starts)
    return np.stack([bags_a.sizes_below(left, shifts), sizes_b, common])


def _intersection_sizes_with_one(payload: bytes, payloads: Sequence[bytes]) -> Integers | None:
    """Return ``_intersection_sizes`` if all left sides are equal.

    Return None if the left side is empty, or if a bag is a sample or has a member twice.
    """
    # The payloads are not unpacked: the first number of each, its shift, is no member.
    words, members_a = np.frombuffer(b"".join(payloads), "<u4"), np.frombuffer(payload, "<u4")
    lengths = np.array(list(map(len, payloads)), np.int64) >> 2
    starts = lengths.cumsum() - lengths
    if len(members_a) < 2 or members_a[0] or words.take(starts).any():
        return None
    members_a = members_a[1:]
    # A table of the members' first bits rules out values without a search.
    table = np.zeros(1 << CELL_BITS, np.bool_)
    table[members_a >> _CELL_SHIFT] = True
    positions = table.take((words >> _CELL_SHIFT).astype(np.intp)).nonzero()[0]
    values = words.take(positions)
    is_member = members_a.take(members_a.searchsorted(values, "right") - 1) == values
    positions, values = positions.compress(is_member), values.compress(is_member)
    if not values.all() or (
        np.count_nonzero(values[1:] == values[:-1]) and _has_adjacent_repeats(positions, values)
    ):
        return None
    sizes = np.empty((3, len(payloads)), np.int64)
    sizes[0], sizes[1] = len(members_a), lengths - 1
    bounds = positions.searchsorted(starts)
    sizes[2, :-1], sizes[2, -1] = bounds[1:] - bounds[:-1], len(positions) - bounds[-1]
    return sizes


def _has_adjacent_repeats(positions: Integers, values: NDArray[np.uint32]) -> bool:
    """Return whether two adjacent members of a bag are equal."""
    return bool(np.any((values[1:] == values[:-1]) & (positions[1:] == positions[:-1] + 1)))


def _find_members(values: Hashes, members: Hashes, starts: Integers) -> Integers:
    """Return the positions of values that are members.

    A repeat of the value before in the same bag is left out.
    """
    if not len(members):
        return np.empty(0, np.int64)
    is_member = is_in_sorted(values, members)
    repeated = np.flatnonzero(values[1:] == values[:-1]) + 1
    if len(repeated):
        is_member[repeated[~np.isin(repeated, starts)]] = False
    return np.flatnonzero(is_member)


def is_in_sorted(values: Hashes, members: Hashes) -> NDArray[np.bool_]:
    """Return whether each value is in ``members`` (ascending, at least one).

    A table of the members by a part of their hash is looked up. Members that share a cell are searched.
    """
    bits = max(len(members).bit_length() + SPARSE_BITS, MIN_TABLE_BITS)
    buckets, member_cells = _table_cells(values, bits), _table_cells(members, bits)
    table = np.full(1 << bits, members[0])
    table[member_cells] = members
    is_member: NDArray[np.bool_] = np.take(table, buckets) == values
    overwritten_cells = member_cells[table[member_cells] != members]
    if len(overwritten_cells):
        is_shared_cell = np.zeros(1 << bits, np.bool_)
        is_shared_cell[overwritten_cells] = True
        unsure = np.flatnonzero(np.take(is_shared_cell, buckets))
        nearest = np.searchsorted(members, values[unsure], side="right") - 1
        is_member[unsure] = members[nearest] == values[unsure]
    return is_member


def _table_cells(values: Hashes, bits: int) -> Integers:
    buckets = values * _ODD_FACTOR
    buckets >>= np.uint64(64 - bits)
    return buckets.view(np.int64)


def common_shares(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
    """Return ``common_share`` of every pair of packed bags: float64, one per pair."""
    sizes_a, sizes_b, common = intersection_sizes_many(payloads_a, payloads_b)
    shares: NDArray[np.float64] = common / np.maximum(np.maximum(sizes_a, sizes_b), 1)
    return shares

"""Sketches of many sets together.

For one set, ``similarity_sketch.fast_similarity_sketch`` and ``minwise.band_hashes`` are the definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..minhash.minwise import BAND_SEED
from ..minhash.similarity_sketch import DEFAULT_SLOTS, round_factors
from .hash_mixing import constant, mix_arrays
from .ragged import Flags, Hashes, Integers, lengths_of

MemberArray = NDArray[np.uint32]

MAX_SETS, MAX_MEMBERS, MAX_THROWN = 512, 65_536, 131_072
MAX_STAYING_SHARE = 0.8
FIRST_THROWS_PER_SLOT, NEXT_THROWS_PER_SLOT = 3, 3
EMPTY_SLOT = constant((1 << 64) - 1)
_HALF_BITS, _SIXTEEN_BITS = constant(32), np.array(16, np.uint32)


def sketch_many(hashes: Hashes, offsets: Integers, slots: int = DEFAULT_SLOTS) -> Hashes:
    """Return the sketch of every set ``hashes[offsets[i]:offsets[i + 1]]`` as a row: uint64[sets, slots].

    Hashes may repeat inside a set. All slots of an empty set are 2^64 - 1. Raise ValueError unless
    ``slots`` is 1 to 1024.
    """
    factors = round_factor_array(slots)
    sketches = np.full((len(offsets) - 1, slots), EMPTY_SLOT)
    members, sizes = (hashes >> _HALF_BITS).astype(np.uint32), lengths_of(offsets)
    for first, last in _split_sets(offsets):
        _fill_slots(sketches[first:last], members[offsets[first] : offsets[last]], sizes[first:last], factors)
    return sketches


def _split_sets(offsets: Integers) -> Iterator[tuple[int, int]]:
    """Yield groups of adjacent sets, so small that the arrays made of them stay in the cache."""
    first, count = 0, len(offsets) - 1
    while first < count:
        last = int(offsets.searchsorted(offsets[first] + MAX_MEMBERS, "right")) - 1
        last = min(max(last, first + 1), first + MAX_SETS, count)
        yield first, last
        first = last


def _fill_slots(rows: Hashes, members: MemberArray, sizes: Integers, factors: MemberArray) -> None:
    """Throw until every slot is filled.

    The first throws fill most slots. After that, sets without an empty slot are left out.
    """
    slots = rows.shape[1]
    sets = sizes.nonzero()[0]
    starts = np.arange(0, rows.size, slots, dtype=np.uint32).repeat(sizes)
    number, throws, empty = 0, FIRST_THROWS_PER_SLOT * slots, None
    while len(sets):
        max_rounds = -(-min(throws * len(sets), MAX_THROWN) // len(members))
        rounds = factors[number : number + max_rounds]
        _throw_members(rows, empty, members, starts, number, rounds)
        number, throws, empty = number + len(rounds), NEXT_THROWS_PER_SLOT * slots, rows == EMPTY_SLOT
        has_empty_slot = empty.any(axis=1)[sets]
        # Members are removed only if over a fifth of them belong to finished sets.
        if sizes[sets[has_empty_slot]].sum() < MAX_STAYING_SHARE * len(members):
            kept = has_empty_slot.repeat(sizes[sets]).nonzero()[0]
            members, starts, sets = members.take(kept), starts.take(kept), sets[has_empty_slot]


def _throw_members(
    rows: Hashes,
    empty: Flags | None,
    members: MemberArray,
    starts: MemberArray,
    number: int,
    factors: MemberArray,
) -> None:
    """Throw the rounds from ``number`` on, one per factor.

    An empty slot gets the least value of the earliest round. All slots are empty if ``empty`` is None.
    """
    slots = rows.shape[1]
    thrown = factors[:, None] * members
    scaled = slots_of(thrown, slots)
    if number + len(factors) > slots:
        first_late = max(slots - number, 0)
        scaled[first_late:] = np.arange(number + first_late - slots, number + len(factors) - slots)[:, None]
    scaled += starts
    positions, values = scaled.reshape(-1).astype(np.intp), thrown.reshape(-1)
    if empty is not None:
        in_empty_slots = empty.reshape(-1).take(positions).nonzero()[0]
        positions, values = positions.take(in_empty_slots), values.take(in_empty_slots)
        rounds = in_empty_slots // len(members) + number if len(factors) > 1 else np.array(number)
        thrown = rounds.astype(np.uint64) << _HALF_BITS | values
    elif len(factors) > 1:
        thrown = thrown.astype(np.uint64)
        thrown |= round_tags(slots)[: len(factors)]
    np.minimum.at(rows.reshape(-1), positions, thrown.reshape(-1).astype(np.uint64, copy=False))


def slots_of(thrown: MemberArray, slots: int) -> MemberArray:
    """Return the slot of every value: its position in the range of 32-bit numbers."""
    if slots & (slots - 1) == 0:
        return thrown >> slot_shift(slots)
    scaled = thrown >> _SIXTEEN_BITS
    scaled *= slot_count_array(slots)
    scaled >>= _SIXTEEN_BITS
    return scaled


@lru_cache(maxsize=16)
def slot_shift(slots: int) -> MemberArray:
    """Return by how many bits a value is shifted to its slot. ``slots`` is a power of two."""
    return np.array(33 - slots.bit_length(), np.uint32)


@lru_cache(maxsize=16)
def slot_count_array(slots: int) -> MemberArray:
    """Return the number of slots as an array without dimensions."""
    return np.array(slots, np.uint32)


@lru_cache(maxsize=16)
def round_tags(slots: int) -> Hashes:
    """Return the number of every round in the high half of a value: a column."""
    return np.arange(2 * slots, dtype=np.uint64)[:, None] << _HALF_BITS


@lru_cache(maxsize=16)
def round_factor_array(slots: int) -> MemberArray:
    """Return ``round_factors`` as an array."""
    return np.array(round_factors(slots), np.uint32)


def band_keys(sketches: Hashes, bands: int, rows: int) -> Hashes:
    """Return ``band_hashes(sketch[:bands * rows], rows)`` of every row of ``sketches``: uint64[sets, bands]."""
    columns = [sketches[:, row : bands * rows : rows].reshape(-1) for row in range(rows)]
    columns[0] = (columns[0].reshape(-1, bands) + _band_seeds(bands)).reshape(-1)
    return mix_arrays(*columns).reshape(-1, bands)


@lru_cache(maxsize=16)
def _band_seeds(bands: int) -> Hashes:
    return np.uint64(BAND_SEED) + (np.arange(bands, dtype=np.uint64) << np.uint64(8))


def equal_shares(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
    """Return the share of equal slots of every pair of packed sketches of one length: float64.

    The share is 0 if one of the two is empty.
    """
    if len(payloads_b) and all(payloads_a) and all(payloads_b):
        return _equal_shares(payloads_a, payloads_b)
    shares = np.zeros(len(payloads_b))
    nonempty = [index for index, pair in enumerate(zip(payloads_a, payloads_b, strict=True)) if all(pair)]
    if nonempty:
        shares[nonempty] = _equal_shares(
            *([payloads[index] for index in nonempty] for payloads in (payloads_a, payloads_b))
        )
    return shares


def _equal_shares(*sides: Sequence[bytes]) -> NDArray[np.float64]:
    a, b = (np.frombuffer(b"".join(payloads), "<u4").reshape(len(payloads), -1) for payloads in sides)
    shares: NDArray[np.float64] = np.count_nonzero(a == b, axis=1) / a.shape[1]
    return shares

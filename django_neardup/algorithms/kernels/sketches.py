"""Sketches of many sets at once: `similarity_sketch.sketch` and `minwise.grouped` set by set are the definitions."""

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
    """`sketch(hashes[offsets[i]:offsets[i + 1]], slots)` of every set i: uint64[sets, slots], a row a set.

    Hashes may repeat inside a set.  The row of an empty set is 2^64 - 1 throughout.  ValueError as of `sketch`.
    """
    factors = round_factor_array(slots)
    found = np.full((len(offsets) - 1, slots), EMPTY_SLOT)
    members, sizes = (hashes >> _HALF_BITS).astype(np.uint32), lengths_of(offsets)
    for first, last in _split_sets(offsets):
        _fill_slots(found[first:last], members[offsets[first] : offsets[last]], sizes[first:last], factors)
    return found


def _split_sets(offsets: Integers) -> Iterator[tuple[int, int]]:
    """Neighbouring sets, so few that what is made of them stays in the cache."""
    first, count = 0, len(offsets) - 1
    while first < count:
        last = int(offsets.searchsorted(offsets[first] + MAX_MEMBERS, "right")) - 1
        last = min(max(last, first + 1), first + MAX_SETS, count)
        yield first, last
        first = last


def _fill_slots(rows: Hashes, members: MemberArray, sizes: Integers, factors: MemberArray) -> None:
    """Throw so much that most slots are filled, then again and again what belongs to sets with an empty slot."""
    slots = rows.shape[1]
    sets = sizes.nonzero()[0]
    starts = np.arange(0, rows.size, slots, dtype=np.uint32).repeat(sizes)
    number, throws, empty = 0, FIRST_THROWS_PER_SLOT * slots, None
    while len(sets):
        most = -(-min(throws * len(sets), MAX_THROWN) // len(members))
        rounds = factors[number : number + most]
        _throw_members(rows, empty, members, starts, number, rounds)
        number, throws, empty = number + len(rounds), NEXT_THROWS_PER_SLOT * slots, rows == EMPTY_SLOT
        staying = empty.any(axis=1)[sets]
        if sizes[sets[staying]].sum() < MAX_STAYING_SHARE * len(members):
            left = staying.repeat(sizes[sets]).nonzero()[0]
            members, starts, sets = members.take(left), starts.take(left), sets[staying]


def _throw_members(
    rows: Hashes,
    empty: Flags | None,
    members: MemberArray,
    starts: MemberArray,
    number: int,
    factors: MemberArray,
) -> None:
    """The rounds from `number` on, one a factor: into slots that are empty, the least of the earliest round."""
    slots = rows.shape[1]
    thrown = factors[:, None] * members
    scaled = slots_of(thrown, slots)
    if number + len(factors) > slots:
        late = max(slots - number, 0)
        scaled[late:] = np.arange(number + late - slots, number + len(factors) - slots)[:, None]
    scaled += starts
    places, values = scaled.reshape(-1).astype(np.intp), thrown.reshape(-1)
    if empty is not None:
        free = empty.reshape(-1).take(places).nonzero()[0]
        places, values = places.take(free), values.take(free)
        rounds = free // len(members) + number if len(factors) > 1 else np.array(number)
        thrown = rounds.astype(np.uint64) << _HALF_BITS | values
    elif len(factors) > 1:
        thrown = thrown.astype(np.uint64)
        thrown |= round_tags(slots)[: len(factors)]
    np.minimum.at(rows.reshape(-1), places, thrown.reshape(-1).astype(np.uint64, copy=False))


def slots_of(thrown: MemberArray, slots: int) -> MemberArray:
    """The slot of every value: where in its range it stands."""
    if slots & (slots - 1) == 0:
        return thrown >> slot_shift(slots)
    scaled = thrown >> _SIXTEEN_BITS
    scaled *= slot_count_array(slots)
    scaled >>= _SIXTEEN_BITS
    return scaled


@lru_cache(maxsize=16)
def slot_shift(slots: int) -> MemberArray:
    """How far a value is shifted to its slot, of a power of two of them."""
    return np.array(33 - slots.bit_length(), np.uint32)


@lru_cache(maxsize=16)
def slot_count_array(slots: int) -> MemberArray:
    """The number as an array without dimensions."""
    return np.array(slots, np.uint32)


@lru_cache(maxsize=16)
def round_tags(slots: int) -> Hashes:
    """The number of every round in the high half: a column."""
    return np.arange(2 * slots, dtype=np.uint64)[:, None] << _HALF_BITS


@lru_cache(maxsize=16)
def round_factor_array(slots: int) -> MemberArray:
    """`round_factors` as an array."""
    return np.array(round_factors(slots), np.uint32)


def band_keys(sketches: Hashes, bands: int, rows: int) -> Hashes:
    """`grouped(sketch[:bands * rows], rows)` of every row of `sketches`: uint64[sets, bands]."""
    columns = [sketches[:, row : bands * rows : rows].reshape(-1) for row in range(rows)]
    columns[0] = (columns[0].reshape(-1, bands) + _band_seeds(bands)).reshape(-1)
    return mix_arrays(*columns).reshape(-1, bands)


@lru_cache(maxsize=16)
def _band_seeds(bands: int) -> Hashes:
    return np.uint64(BAND_SEED) + (np.arange(bands, dtype=np.uint64) << np.uint64(8))


def equal_shares(payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
    """Share of equal slots of every pair of packed sketches of one length; 0 where one is empty: float64."""
    if len(payloads_b) and all(payloads_a) and all(payloads_b):
        return _equal_shares(payloads_a, payloads_b)
    shares = np.zeros(len(payloads_b))
    whole = [place for place, pair in enumerate(zip(payloads_a, payloads_b, strict=True)) if all(pair)]
    if whole:
        shares[whole] = _equal_shares(
            *([packs[place] for place in whole] for packs in (payloads_a, payloads_b))
        )
    return shares


def _equal_shares(*sides: Sequence[bytes]) -> NDArray[np.float64]:
    a, b = (np.frombuffer(b"".join(packs), "<u4").reshape(len(packs), -1) for packs in sides)
    shares: NDArray[np.float64] = np.count_nonzero(a == b, axis=1) / a.shape[1]
    return shares

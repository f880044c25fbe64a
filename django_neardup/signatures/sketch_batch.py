"""Sketches of many sets at once: `similarity_sketch.sketch` and `minwise.grouped` set by set are the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..text.batch.mixing import constant, mix_arrays
from ..text.batch.runs import Flags, Hashes, Integers, lengths_of
from .minwise import BAND
from .similarity_sketch import SLOTS, round_factors

Members = NDArray[np.uint32]

SETS, MEMBERS, THROWN = 512, 65_536, 131_072
MOST_STAY = 0.8
FIRST, AGAIN = 3, 3
EMPTY = constant((1 << 64) - 1)
_HALF, _16 = constant(32), np.array(16, np.uint32)


def sketch_many(hashes: Hashes, offsets: Integers, slots: int = SLOTS) -> Hashes:
    """`sketch(hashes[offsets[i]:offsets[i + 1]], slots)` of every set i: uint64[sets, slots], a row a set.

    Hashes may repeat inside a set.  The row of an empty set is 2^64 - 1 throughout.  ValueError as of `sketch`.
    """
    factors = factors_of(slots)
    found = np.full((len(offsets) - 1, slots), EMPTY)
    members, sizes = (hashes >> _HALF).astype(np.uint32), lengths_of(offsets)
    for first, last in _parts(offsets):
        _fill(found[first:last], members[offsets[first] : offsets[last]], sizes[first:last], factors)
    return found


def _parts(offsets: Integers) -> Iterator[tuple[int, int]]:
    """Neighbouring sets, so few that what is made of them stays in the cache."""
    first, count = 0, len(offsets) - 1
    while first < count:
        last = int(offsets.searchsorted(offsets[first] + MEMBERS, "right")) - 1
        last = min(max(last, first + 1), first + SETS, count)
        yield first, last
        first = last


def _fill(rows: Hashes, members: Members, sizes: Integers, factors: Members) -> None:
    """Throw so much that most slots are filled, then again and again what belongs to sets with an empty slot."""
    slots = rows.shape[1]
    sets = sizes.nonzero()[0]
    starts = np.arange(0, rows.size, slots, dtype=np.uint32).repeat(sizes)
    number, throws, empty = 0, FIRST * slots, None
    while len(sets):
        most = -(-min(throws * len(sets), THROWN) // len(members))
        rounds = factors[number : number + most]
        _throw(rows, empty, members, starts, number, rounds)
        number, throws, empty = number + len(rounds), AGAIN * slots, rows == EMPTY
        staying = empty.any(axis=1)[sets]
        if sizes[sets[staying]].sum() < MOST_STAY * len(members):
            left = staying.repeat(sizes[sets]).nonzero()[0]
            members, starts, sets = members.take(left), starts.take(left), sets[staying]


def _throw(
    rows: Hashes, empty: Flags | None, members: Members, starts: Members, number: int, factors: Members
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
        thrown = rounds.astype(np.uint64) << _HALF | values
    elif len(factors) > 1:
        thrown = thrown.astype(np.uint64)
        thrown |= rounds_of(slots)[: len(factors)]
    np.minimum.at(rows.reshape(-1), places, thrown.reshape(-1).astype(np.uint64, copy=False))


def slots_of(thrown: Members, slots: int) -> Members:
    """The slot of every value: where in its range it stands."""
    if slots & (slots - 1) == 0:
        return thrown >> shift_of(slots)
    scaled = thrown >> _16
    scaled *= width_of(slots)
    scaled >>= _16
    return scaled


@lru_cache(maxsize=16)
def shift_of(slots: int) -> Members:
    """How far a value is shifted to its slot, of a power of two of them."""
    return np.array(33 - slots.bit_length(), np.uint32)


@lru_cache(maxsize=16)
def width_of(slots: int) -> Members:
    """The number as an array without dimensions."""
    return np.array(slots, np.uint32)


@lru_cache(maxsize=16)
def rounds_of(slots: int) -> Hashes:
    """The number of every round in the high half: a column."""
    return np.arange(2 * slots, dtype=np.uint64)[:, None] << _HALF


@lru_cache(maxsize=16)
def factors_of(slots: int) -> Members:
    """`round_factors` as an array."""
    return np.array(round_factors(slots), np.uint32)


def band_keys(sketches: Hashes, bands: int, rows: int) -> Hashes:
    """`grouped(sketch[:bands * rows], rows)` of every row of `sketches`: uint64[sets, bands]."""
    columns = [sketches[:, row : bands * rows : rows].reshape(-1) for row in range(rows)]
    columns[0] = (columns[0].reshape(-1, bands) + _band_seeds(bands)).reshape(-1)
    return mix_arrays(*columns).reshape(-1, bands)


@lru_cache(maxsize=16)
def _band_seeds(bands: int) -> Hashes:
    return np.uint64(BAND) + (np.arange(bands, dtype=np.uint64) << np.uint64(8))


def equal_shares(packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
    """Share of equal slots of every pair of packed sketches of one length; 0 where one is empty: float64."""
    if len(packs_b) and all(packs_a) and all(packs_b):
        return _equal_shares(packs_a, packs_b)
    shares = np.zeros(len(packs_b))
    whole = [place for place, pair in enumerate(zip(packs_a, packs_b, strict=True)) if all(pair)]
    if whole:
        shares[whole] = _equal_shares(*([packs[place] for place in whole] for packs in (packs_a, packs_b)))
    return shares


def _equal_shares(*sides: Sequence[bytes]) -> NDArray[np.float64]:
    a, b = (np.frombuffer(b"".join(packs), "<u4").reshape(len(packs), -1) for packs in sides)
    shares: NDArray[np.float64] = np.count_nonzero(a == b, axis=1) / a.shape[1]
    return shares

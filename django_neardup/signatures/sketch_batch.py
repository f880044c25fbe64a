"""Sketches of many sets at once: `similarity_sketch.sketch` and `minwise.grouped` set by set are the definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..text.batch.mixing import mix_arrays
from ..text.batch.runs import Flags, Hashes, Integers, places_of
from .minwise import BAND
from .similarity_sketch import SLOTS, round_factors

Members = NDArray[np.uint32]

MEMBERS = 32_768
MOST_STAY = 0.8
EMPTY = np.uint64((1 << 64) - 1)
_HALF, _16 = np.uint64(32), np.uint32(16)


def sketch_many(hashes: Hashes, offsets: Integers, slots: int = SLOTS) -> Hashes:
    """`sketch(hashes[offsets[i]:offsets[i + 1]], slots)` of every set i: uint64[sets, slots], a row a set.

    Hashes may repeat inside a set.  The row of an empty set is 2^64 - 1 throughout.  ValueError as of `sketch`.
    """
    factors = _factors(slots)
    found = np.full((len(offsets) - 1, slots), EMPTY)
    members, sizes = (hashes >> _HALF).astype(np.uint32), np.diff(offsets)
    for some in _of_like_sizes(sizes):
        rows = np.full((len(some), slots), EMPTY)
        _fill(rows, _runs(members, offsets, some), sizes[some], factors)
        found[some] = rows
    return found


def _of_like_sizes(sizes: Integers) -> Iterator[Integers]:
    """Numbers of the sets that are not empty, in groups: sizes at most twofold, and few enough to stay in the cache."""
    classes = np.frexp(sizes)[1]
    for each in np.unique(classes[sizes > 0]).tolist():
        alike = np.flatnonzero(classes == each)
        step = max(MEMBERS >> each, 1)
        yield from (alike[start : start + step] for start in range(0, len(alike), step))


def _runs(members: Members, offsets: Integers, sets: Integers) -> Members:
    """The members of some sets, one after another."""
    first, last = int(sets[0]), int(sets[-1])
    if last - first + 1 == len(sets):
        return members[offsets[first] : offsets[last + 1]]
    return members[places_of(offsets[sets], offsets[sets + 1] - offsets[sets])]


def _fill(rows: Hashes, members: Members, sizes: Integers, factors: Members) -> None:
    """Throw, and throw again what belongs to sets with an empty slot, more rounds at once the longer it takes."""
    slots = rows.shape[1]
    empty = np.ones(rows.shape, np.bool_)
    sets = np.arange(len(rows))
    starts = np.repeat(sets * slots, sizes)
    most, number, throws = int(sizes.max()), 0, slots
    while len(sets):
        rounds = factors[number : number + max(throws // most, 1)]
        _throw(rows, empty, members, starts, number, rounds)
        number, throws = number + len(rounds), throws * 2
        np.equal(rows, EMPTY, out=empty)
        staying = np.any(empty, axis=1)[sets]
        if np.count_nonzero(staying) < MOST_STAY * len(sets):
            left = np.flatnonzero(np.repeat(staying, sizes[sets]))
            members, starts, sets = members[left], starts[left], sets[staying]


def _throw(
    rows: Hashes, empty: Flags, members: Members, starts: Integers, number: int, factors: Members
) -> None:
    """The rounds from `number` on, one a factor: into slots that are empty, the least of the earliest round."""
    slots = rows.shape[1]
    thrown = np.multiply.outer(factors, members)
    scaled = thrown >> _16
    scaled *= np.uint32(slots)
    scaled >>= _16
    late = max(slots - number, 0)
    scaled[late:] = np.arange(number + late - slots, number + len(factors) - slots)[:, None]
    places, values = (starts + scaled).reshape(-1), thrown.reshape(-1)
    if number or len(factors) > 1:
        free = np.flatnonzero(np.take(empty, places))
        places, values = places[free], values[free].astype(np.uint64)
        values |= (number + free // len(members)).astype(np.uint64) << _HALF
    np.minimum.at(rows.reshape(-1), places, values.astype(np.uint64, copy=False))


@lru_cache(maxsize=16)
def _factors(slots: int) -> Members:
    return np.array(round_factors(slots), np.uint32)


def band_keys(sketches: Hashes, bands: int, rows: int) -> Hashes:
    """`grouped(sketch[:bands * rows], rows)` of every row of `sketches`: uint64[sets, bands]."""
    columns = [
        np.ascontiguousarray(sketches[:, row : bands * rows : rows]).reshape(-1) for row in range(rows)
    ]
    seeds = np.uint64(BAND) + (np.arange(bands, dtype=np.uint64) << np.uint64(8))
    columns[0] += np.tile(seeds, len(sketches))
    return mix_arrays(*columns).reshape(-1, bands)


def equal_shares(packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
    """Share of equal slots of every pair of packed sketches of one length; 0 where one is empty: float64."""
    shares = np.zeros(len(packs_b))
    whole = [place for place, pair in enumerate(zip(packs_a, packs_b, strict=True)) if all(pair)]
    if whole:
        a, b = (
            np.frombuffer(b"".join([packs[place] for place in whole]), "<u4").reshape(len(whole), -1)
            for packs in (packs_a, packs_b)
        )
        shares[whole] = np.count_nonzero(a == b, axis=1) / a.shape[1]
    return shares

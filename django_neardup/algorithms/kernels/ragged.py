"""Arrays that hold runs of different lengths one after another."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Integers = NDArray[np.int64]


def fixed(value: int, kind: type[Any]) -> NDArray[Any]:
    """Return a number as an array without dimensions."""
    # With a short array, an operation on it costs half as much as with a scalar.
    return np.array(value, kind)


def places_of(starts: Integers, lengths: Integers) -> Integers:
    """Return all positions of the runs ``start … start + length - 1``, run by run: int64[sum of the lengths]."""
    ends = lengths.cumsum()
    positions = np.arange(ends[-1] if len(ends) else 0)
    positions += (starts - ends + lengths).repeat(lengths)
    return positions


def offsets_of(lengths: Integers | Flags) -> Integers:
    """Return the start of each run of these lengths, and the end of the last: int64[n + 1].

    A flag is 1 or 0.
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(out=offsets[1:])
    return offsets


def lengths_of(offsets: Integers) -> Integers:
    """Return the length of each run."""
    return offsets[1:] - offsets[:-1]


def flagged(flags: Flags, offsets: Integers) -> tuple[Integers, Integers]:
    """Return the flagged positions, and the offsets of the runs in them."""
    # This is faster than indexing by the flags.
    positions = flags.nonzero()[0]
    return positions, positions.searchsorted(offsets)


def sort_runs(values: NDArray[np.integer[Any]], offsets: Integers) -> None:
    """Sort each run, in place. The runs must cover all values."""
    lengths = lengths_of(offsets)
    # Runs of one length are sorted together, as the rows of a matrix.
    if len(lengths) and not np.count_nonzero(lengths != lengths[0]):
        values.reshape(len(lengths), -1).sort(axis=1)
        return
    for start, end in pairwise(offsets.tolist()):
        values[start:end].sort()


def joined(*parts: tuple[Hashes, Integers]) -> tuple[Hashes, Integers]:
    """Return the joined runs and their offsets: run i of each part follows run i of the part before it."""
    lengths = [lengths_of(offsets) for _, offsets in parts]
    offsets = offsets_of(sum(lengths[1:], lengths[0]))
    values = np.empty(offsets[-1], np.uint64)
    starts = offsets[:-1].copy()
    for (part, _), counts in zip(parts, lengths):
        values[places_of(starts, counts)] = part
        starts += counts
    return values, offsets


def distinct(values: Hashes, offsets: Integers) -> tuple[Hashes, Integers]:
    """Return the sorted runs without repeated values, and their offsets."""
    values = values.copy()
    sort_runs(values, offsets)
    is_kept = unlike_before(values, offsets)
    if np.count_nonzero(is_kept) == len(is_kept):
        return values, offsets
    positions, offsets = flagged(is_kept, offsets)
    return values.take(positions), offsets


def unlike_before(values: NDArray[np.unsignedinteger[Any]], offsets: Integers) -> Flags:
    """Return whether each value is the first of its run or differs from the value before it."""
    unlike = np.empty(len(values) + 1, np.bool_)
    np.not_equal(values[1:], values[:-1], unlike[1:-1])
    unlike[offsets[:-1]] = True
    return unlike[:-1]

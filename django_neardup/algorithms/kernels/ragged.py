"""Arrays that hold runs of unlike lengths one after another."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Integers = NDArray[np.int64]


def fixed(value: int, kind: type[Any]) -> NDArray[Any]:
    """A number as an array without dimensions: beside a short array it costs half of what a scalar does."""
    return np.array(value, kind)


def places_of(starts: Integers, lengths: Integers) -> Integers:
    """All places of the runs `start … start + length - 1`, run by run: int64[sum of the lengths]."""
    ends = lengths.cumsum()
    places = np.arange(ends[-1] if len(ends) else 0)
    places += (starts - ends + lengths).repeat(lengths)
    return places


def offsets_of(lengths: Integers | Flags) -> Integers:
    """Where runs of these lengths begin, and behind them where the last ends: int64[n + 1].  A flag is 1 or 0."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    lengths.cumsum(out=offsets[1:])
    return offsets


def lengths_of(offsets: Integers) -> Integers:
    """How long each run is."""
    return offsets[1:] - offsets[:-1]


def flagged(flags: Flags, offsets: Integers) -> tuple[Integers, Integers]:
    """Places that are flagged, and the offsets of those of each run: quicker than to index by the flags."""
    places = flags.nonzero()[0]
    return places, places.searchsorted(offsets)


def sort_runs(values: NDArray[np.integer[Any]], offsets: Integers) -> None:
    """Each run ascending, in place; the runs are all that the values hold."""
    lengths = lengths_of(offsets)
    if len(lengths) and not np.count_nonzero(lengths != lengths[0]):
        values.reshape(len(lengths), -1).sort(axis=1)
        return
    for start, end in pairwise(offsets.tolist()):
        values[start:end].sort()


def joined(*parts: tuple[Hashes, Integers]) -> tuple[Hashes, Integers]:
    """Runs and their offsets, run i of each part after run i of the part before it."""
    lengths = [lengths_of(offsets) for _, offsets in parts]
    offsets = offsets_of(sum(lengths[1:], lengths[0]))
    values = np.empty(offsets[-1], np.uint64)
    starts = offsets[:-1].copy()
    for (part, _), counts in zip(parts, lengths):
        values[places_of(starts, counts)] = part
        starts += counts
    return values, offsets


def distinct(values: Hashes, offsets: Integers) -> tuple[Hashes, Integers]:
    """The runs sorted, each value once in a run, and their offsets."""
    values = values.copy()
    sort_runs(values, offsets)
    kept = unlike_before(values, offsets)
    if np.count_nonzero(kept) == len(kept):
        return values, offsets
    places, offsets = flagged(kept, offsets)
    return values.take(places), offsets


def unlike_before(values: NDArray[np.unsignedinteger[Any]], offsets: Integers) -> Flags:
    """Whether each value is the first of its run, or another than the one before it."""
    unlike = np.empty(len(values) + 1, np.bool_)
    np.not_equal(values[1:], values[:-1], unlike[1:-1])
    unlike[offsets[:-1]] = True
    return unlike[:-1]

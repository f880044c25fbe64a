"""``mix`` of whole arrays. ``text.hashing.mix``, value by value, is the definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...text.hashing import GOLDEN_RATIO_64, MASK_64, MIX_FACTOR_1, MIX_FACTOR_2, mix
from .ragged import Hashes, Integers, fixed

BLOCK = 16_384
FEW_RUNS = 24


def constant(value: int) -> Hashes:
    """Return a number as ``fixed``, modulo 2^64."""
    return fixed(value & MASK_64, np.uint64)


_ADDED, _STEP_1, _STEP_2 = constant(GOLDEN_RATIO_64), constant(MIX_FACTOR_1), constant(MIX_FACTOR_2)
_30, _27, _31 = constant(30), constant(27), constant(31)


def mix_arrays(*columns: Hashes, seed: int = 0) -> Hashes:
    """Return ``mix(*row, seed=seed)`` of every row of the columns: uint64.

    The columns, at least one, are uint64 and of one length.
    """
    count, start = len(columns[0]), constant(seed + 2 * GOLDEN_RATIO_64)
    if count <= BLOCK:
        mixed = columns[0] + start
        _mix_in(mixed, columns[1:])
        return mixed
    mixed = np.empty(count, np.uint64)
    # A block and its scratch array stay in the processor's cache.
    for first in range(0, count, BLOCK):
        block, *other_blocks = (column[first : first + BLOCK] for column in columns)
        part = mixed[first : first + BLOCK]
        np.add(block, start, part)
        _mix_in(part, other_blocks)
    return mixed


def mix_on(states: Hashes, values: Hashes) -> Hashes:
    """Return ``mix(*before, value)`` of every value: uint64. The state at the same index is ``mix(*before)``."""
    # `mix_arrays` adds the constant for the start and for the first value. The state replaces the start.
    return mix_arrays(states + values, seed=-GOLDEN_RATIO_64)


def _mix_in(state: Hashes, columns: Sequence[Hashes]) -> None:
    spare = np.empty_like(state)
    finalise(state, spare)
    for column in columns:
        state += column
        state += _ADDED
        finalise(state, spare)


def mix_neighbours(values: Hashes, size: int) -> Hashes:
    """Return ``mix`` of every run of ``size`` adjacent values, at its first position: uint64[len(values)].

    Positions at which no run begins have 0.
    """
    mixed = np.zeros(len(values), np.uint64)
    runs = max(len(values) - size + 1, 0)
    mixed[:runs] = mix_arrays(*(values[step : step + runs] for step in range(size)))
    return mixed


def finalise(state: Hashes, spare: Hashes) -> None:
    """Apply the finaliser of splitmix64 in place. ``spare`` is a scratch array of the same length."""
    np.right_shift(state, _30, spare)
    state ^= spare
    state *= _STEP_1
    np.right_shift(state, _27, spare)
    state ^= spare
    state *= _STEP_2
    np.right_shift(state, _31, spare)
    state ^= spare


def mix_runs(values: Hashes, offsets: Integers, seed: int = 0) -> Hashes:
    """Return ``mix(*run, seed=seed)`` of every run ``values[offsets[i]:offsets[i + 1]]``: uint64.

    The runs may have different lengths. The cost is one step for each position of the longest run, over
    all runs that reach it.
    """
    if len(offsets) <= FEW_RUNS:
        return np.array(
            [mix(*values[start:end].tolist(), seed=seed) for start, end in pairwise(offsets.tolist())],
            np.uint64,
        )
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, ascending = offsets[:-1][longest_first], np.sort(lengths)
    state = np.full(len(lengths), (seed + GOLDEN_RATIO_64) & MASK_64, np.uint64)
    spare = np.empty_like(state)
    for position in range(int(lengths.max())):
        run_count = len(lengths) - int(np.searchsorted(ascending, position, side="right"))
        part = state[:run_count]
        part += values[starts[:run_count] + position]
        part += _ADDED
        finalise(part, spare[:run_count])
    mixed = np.empty_like(state)
    mixed[longest_first] = state
    return mixed

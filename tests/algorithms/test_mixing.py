"""`mix` of arrays, and runs of unlike lengths: each value as `mix` makes it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms.kernels.hash_mixing import (
    BLOCK,
    FEW_RUNS,
    mix_arrays,
    mix_neighbours,
    mix_on,
    mix_runs,
)
from django_neardup.algorithms.kernels.ragged import distinct, flagged, joined, offsets_of, places_of
from django_neardup.text.hashing import mix
from tests.fuzzing import examples

ANY = st.integers(0, 2**64 - 1)
RUNS = st.lists(st.lists(ANY, max_size=6), max_size=FEW_RUNS + 10)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, np.uint64)


def ragged(runs: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return array([value for run in runs for value in run]), offsets_of(
        np.array([len(run) for run in runs], np.int64)
    )


def lists(values: np.ndarray, offsets: np.ndarray) -> list[list[int]]:
    return [run.tolist() for run in np.split(values, offsets[1:-1])] if len(offsets) > 1 else []


@given(st.lists(st.tuples(ANY, ANY, ANY), max_size=5), ANY)
@examples(100)
def test_rows(rows: list[tuple[int, int, int]], seed: int) -> None:
    columns = [array([row[place] for row in rows]) for place in range(3)]
    for count in (1, 2, 3):
        assert mix_arrays(*columns[:count], seed=seed).tolist() == [
            mix(*row[:count], seed=seed) for row in rows
        ]


@given(st.lists(st.tuples(ANY, ANY, ANY), max_size=5), ANY)
@examples(100)
def test_one_more_value(rows: list[tuple[int, int, int]], seed: int) -> None:
    states, values = array([mix(*row[:2], seed=seed) for row in rows]), array([row[2] for row in rows])
    assert mix_on(states, values).tolist() == [mix(*row, seed=seed) for row in rows]


def test_more_rows_than_a_block() -> None:
    source = random.Random(1)
    values = [source.getrandbits(64) for _ in range(BLOCK + 7)]
    assert mix_arrays(array(values)).tolist() == [mix(value) for value in values]


def test_the_columns_stay_as_they_are() -> None:
    column = array([1, 2])
    mix_arrays(column, column)
    assert column.tolist() == [1, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 9])
def test_neighbours(count: int, size: int) -> None:
    values = list(range(5, 5 + count))
    runs = [mix(*values[start : start + size]) for start in range(count - size + 1)]
    assert mix_neighbours(array(values), size).tolist() == runs + [0] * (count - len(runs))


@given(RUNS, ANY)
@examples(100)
def test_runs_of_unlike_lengths(runs: list[list[int]], seed: int) -> None:
    assert mix_runs(*ragged(runs), seed=seed).tolist() == [mix(*run, seed=seed) for run in runs]


def test_many_runs() -> None:
    runs = [list(range(number % 7)) for number in range(3 * FEW_RUNS)]
    assert mix_runs(*ragged(runs), seed=3).tolist() == [mix(*run, seed=3) for run in runs]


@given(RUNS)
@examples(100)
def test_runs_sorted_and_without_repetition(runs: list[list[int]]) -> None:
    doubled = [[*run, *run[:2]] for run in runs]
    assert lists(*distinct(*ragged(doubled))) == [sorted(set(run)) for run in runs]


@given(RUNS)
@examples(100)
def test_runs_joined_one_by_one(runs: list[list[int]]) -> None:
    other = [run[::-1] for run in reversed(runs)]
    assert lists(*joined(ragged(runs), ragged(other))) == [[*a, *b] for a, b in zip(runs, other, strict=True)]


def test_places() -> None:
    starts, lengths = np.array([5, 0, 9]), np.array([2, 0, 3])
    assert places_of(starts, lengths).tolist() == [5, 6, 9, 10, 11]
    assert places_of(starts[:0], lengths[:0]).tolist() == []
    places, offsets = flagged(np.array([True, False, True, True]), np.array([0, 1, 1, 4]))
    assert (places.tolist(), offsets.tolist()) == ([0, 2, 3], [0, 1, 1, 3])

"""Fast similarity sketching: unbiased at every size, less scattered than as many independent minima."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms.kernels.single_text import sketch_of
from django_neardup.algorithms.kernels.sketches import band_keys, equal_shares, sketch_many
from django_neardup.algorithms.minhash.minwise import band_hashes, pack_sketch
from django_neardup.algorithms.minhash.similarity_sketch import (
    DEFAULT_SLOTS,
    fast_similarity_sketch,
    round_factors,
)
from tests.fuzzing import examples

EMPTY = 2**64 - 1
SETS = st.lists(st.lists(st.integers(0, EMPTY), max_size=12), max_size=8)
UNLIKE = [0, 1, 2, 3, 7, 8, 60, 129, 700, 0, 3000, 5]


def hashes(count: int, seed: int = 1) -> list[int]:
    source = random.Random(seed)
    return [source.getrandbits(64) for _ in range(count)]


def flat(sets: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The sets one after another, and their offsets."""
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in sets], dtype=np.int64)])
    return np.array([value for each in sets for value in each], np.uint64), offsets.astype(np.int64)


def sketches(sets: list[list[int]], slots: int = DEFAULT_SLOTS) -> list[list[int]]:
    return sketch_many(*flat(sets), slots).tolist()


def test_golden_values() -> None:
    """Stored sketches depend on these."""
    members = [1 << 40, 0x9E3779B97F4A7C15, 0xDEADBEEF12345678]
    assert round_factors(4)[:3] == (637457855, 914179663, 997385719)
    assert fast_similarity_sketch(members, 4) == [9106550399, 6236677655, 2946518865, 4275420928]
    assert fast_similarity_sketch([]) == []


def test_each_round_by_hand() -> None:
    """Slots keep what the earliest round left, and of one round the least; late rounds fill a slot each."""
    members, factors = hashes(3), round_factors(8)
    found = [EMPTY] * 8
    for number, factor in enumerate(factors):
        before = list(found)
        for member in members:
            value = (member >> 32) * factor % 2**32
            slot = value // 2**29 if number < 8 else number - 8
            if before[slot] == EMPTY:
                found[slot] = min(found[slot], number * 2**32 + value)
    assert fast_similarity_sketch(members, 8) == found


def test_order_and_repetition_do_not_matter() -> None:
    members = hashes(50)
    assert fast_similarity_sketch(members) == fast_similarity_sketch([*reversed(members), *members])


@pytest.mark.parametrize("slots", [0, -1, 1025])
def test_too_few_and_too_many_slots(slots: int) -> None:
    for made in (lambda: fast_similarity_sketch([1], slots), lambda: sketches([[1]], slots)):
        with pytest.raises(ValueError, match="1 to 1024"):
            made()


# --- many at once ---


def same(sets: list[list[int]], slots: int) -> None:
    expected = [fast_similarity_sketch(each, slots) or [EMPTY] * slots for each in sets]
    assert sketches(sets, slots) == expected
    for each, slots_of_it in zip(sets, expected):
        assert not each or sketch_of(np.array(each, np.uint64), slots).tolist() == slots_of_it


@pytest.mark.parametrize("slots", [1, 7, 80, 128, 300])
def test_sketches_of_many_sets_equal_those_of_each(slots: int) -> None:
    same([hashes(count, count) for count in UNLIKE], slots)
    same([hashes(150, seed) for seed in range(300)], slots)


@given(SETS, st.sampled_from([1, 2, 5, 128]))
@examples(60)
def test_sketches_of_any_sets(sets: list[list[int]], slots: int) -> None:
    same(sets, slots)


@pytest.mark.parametrize(("bands", "rows"), [(20, 4), (1, 1), (9, 13), (128, 1), (1, 128)])
def test_bands(bands: int, rows: int) -> None:
    sets = [hashes(count, count) for count in (1, 40, 400)]
    keys = band_keys(sketch_many(*flat(sets)), bands, rows).tolist()
    assert keys == [band_hashes(fast_similarity_sketch(each)[: bands * rows], rows) for each in sets]


def test_shares_of_equal_slots() -> None:
    one, other = (pack_sketch(values) for values in ([1, 2, 3, 4], [1, 9, 3, 4]))
    assert equal_shares([one, one, b"", one], [one, other, one, b""]).tolist() == [1.0, 0.75, 0.0, 0.0]
    assert equal_shares([], []).tolist() == []


# --- how good it is ---

TRIALS = 1500


def estimates(size: int, common: int) -> np.ndarray:
    """Of J of so many pairs of random sets of that size that have so many members in common."""
    members = np.random.default_rng(size).integers(0, EMPTY, (TRIALS, 2 * size - common), np.uint64)
    offsets = np.arange(TRIALS + 1) * size
    one, other = (
        sketch_many(np.ascontiguousarray(part).reshape(-1), offsets)
        for part in (members[:, :size], members[:, size - common :])
    )
    return (one == other).mean(axis=1)


@pytest.mark.parametrize(
    ("size", "common", "most"),
    [(10, 7, 0.85), (30, 20, 0.85), (200, 133, 0.85), (200, 178, 0.85), (2000, 1333, 1.05)],
)
def test_the_share_of_equal_slots_is_unbiased_and_little_scattered(
    size: int, common: int, most: float
) -> None:
    """Its spread as a share of sqrt(J (1 - J) / 128), that of independent minima."""
    resemblance = common / (2 * size - common)
    found = estimates(size, common)
    assert abs(found.mean() - resemblance) <= 0.005
    assert found.std() / math.sqrt(resemblance * (1 - resemblance) / DEFAULT_SLOTS) <= most

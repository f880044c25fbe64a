"""Min-wise sketches against the sets that they stand for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from django_neardup.algorithms.minhash.minwise import (
    FAMILIES,
    band_hashes,
    draw_functions,
    equal_share,
    gram_hashes,
    match_probability,
    max_rows_per_band,
    minwise_sketch,
    pack_sketch,
    standard_error,
    unpack_sketch,
)
from django_neardup.text.hashing import mix

FUNCTIONS = 400
A_SKETCH = """
from django_neardup.algorithms.minhash.minwise import minwise_sketch
print(minwise_sketch(range(9), 5, {!r}, 3))
"""


def members(first: int, last: int) -> list[int]:
    return [mix(number, seed=99) for number in range(first, last)]


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize(("common", "resemblance"), [(100, 1 / 3), (160, 2 / 3), (190, 19 / 21)])
def test_equal_slots_estimate_the_resemblance(family: str, common: int, resemblance: float) -> None:
    a, b = members(0, 200), members(200 - common, 400 - common)
    found = equal_share(minwise_sketch(a, FUNCTIONS, family), minwise_sketch(b, FUNCTIONS, family))
    assert found == pytest.approx(resemblance, abs=3.5 * standard_error(resemblance, FUNCTIONS))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_mean_over_many_samples_has_no_bias(family: str) -> None:
    """60 samples of 70 functions: the error of their mean is a sixth of that of all 70 x 60 slots or less."""
    a, b = members(0, 80), members(30, 110)
    shares = [
        equal_share(minwise_sketch(a, 70, family, sample), minwise_sketch(b, 70, family, sample))
        for sample in range(60)
    ]
    assert sum(shares) / len(shares) == pytest.approx(50 / 110, abs=4 * standard_error(50 / 110, 70 * 16))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_sketch_is_of_a_set(family: str) -> None:
    hashes = members(0, 40)
    assert minwise_sketch(hashes, 70, family) == minwise_sketch([*reversed(hashes), hashes[3]], 70, family)
    assert len(minwise_sketch(hashes[:1], 70, family)) == 70
    assert minwise_sketch([], 70, family) == []
    assert minwise_sketch(hashes, 70, family) != minwise_sketch(hashes, 70, family, sample=1)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_functions_of_sample_0_are_the_first_of_the_registry(family: str) -> None:
    if family != "one-permutation":
        assert minwise_sketch(members(0, 9), 70, family)[:5] == minwise_sketch(members(0, 9), 5, family)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_sketch_is_the_same_in_another_process(family: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", A_SKETCH.format(family)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(minwise_sketch(range(9), 5, family, 3))


def test_a_sample_draws_from_the_registry() -> None:
    assert draw_functions(70) == tuple(range(70))
    one, other = draw_functions(70, 1), draw_functions(70, 2)
    assert len(set(one)) == 70 and list(one) == sorted(one) and max(one) < 1024
    assert len(set(one) & set(other)) < 20


@pytest.mark.parametrize("functions", [0, -1, 1025])
def test_too_few_and_too_many_functions(functions: int) -> None:
    with pytest.raises(ValueError, match="1 to 1024"):
        minwise_sketch([1], functions)


def test_an_unknown_family() -> None:
    with pytest.raises(ValueError, match="known are affine, mixed"):
        minwise_sketch([1], 2, "absent")


def test_runs_overlap_or_lie_side_by_side() -> None:
    assert gram_hashes([1, 2, 3, 4, 5], 2) == [mix(1, 2), mix(2, 3), mix(3, 4), mix(4, 5)]
    assert gram_hashes([1, 2, 3, 4, 5], 2, step=2) == [mix(1, 2), mix(3, 4)]
    assert gram_hashes([1], 2) == []


def test_groups_know_their_place() -> None:
    assert len(band_hashes([1, 2, 1, 2, 5], 2)) == 2
    assert len(set(band_hashes([1, 2, 1, 2], 2))) == 2
    assert band_hashes([1, 2, 3, 4], 2)[1] == band_hashes([9, 9, 3, 4], 2)[1]


def test_probability_of_equal_bands() -> None:
    """The table of banding: 20 bands of 6 rows find .918 of the pairs of J = .7 and .998 of those of .8."""
    assert match_probability(0.7, 20, 6) == pytest.approx(0.918, abs=0.0005)
    assert match_probability(0.8, 20, 6) == pytest.approx(0.998, abs=0.0005)
    assert max_rows_per_band(70, 25 / 70) == 2
    assert max_rows_per_band(70, 0.01) == 1
    assert max_rows_per_band(120, 0.8) == 6


def test_four_bytes_a_slot() -> None:
    values = minwise_sketch(members(0, 50), 70)
    assert len(pack_sketch(values)) == 280
    assert unpack_sketch(pack_sketch(values)) == tuple(value & 0xFFFFFFFF for value in values)

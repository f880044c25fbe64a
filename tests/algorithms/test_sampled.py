from __future__ import annotations

import random

import pytest

from django_neardup.algorithms.bag_of_words import pack_bag
from django_neardup.algorithms.key_sampling import (
    bottom_k_keys,
    containment_of,
    dice_of,
    intersection_sizes,
    resemblance_of,
    winnowed_keys,
)
from django_neardup.text.hashing import mix


def hashes(first: int, last: int) -> list[int]:
    return [mix(number, seed=7) for number in range(first, last)]


def test_measures_by_hand() -> None:
    """|A| = 4, |B| = 5, |A∩B| = 2."""
    a, b = pack_bag(hashes(0, 4)), pack_bag(hashes(2, 7))
    assert intersection_sizes(a, b) == (4, 5, 2)
    assert dice_of(a, b) == pytest.approx(4 / 9)
    assert resemblance_of(a, b) == pytest.approx(2 / 7)
    assert containment_of(a, b) == pytest.approx(1 / 2)


def test_multisets() -> None:
    one, two = pack_bag(hashes(0, 1)), pack_bag(hashes(0, 1) * 2)
    assert intersection_sizes(one, two) == (1, 2, 1)


@pytest.mark.parametrize("measure", [dice_of, resemblance_of, containment_of])
def test_nothing_is_like_nothing(measure) -> None:
    empty, full = pack_bag([]), pack_bag(hashes(0, 3))
    assert measure(empty, empty) == measure(empty, full) == measure(full, empty) == 0.0
    assert measure(full, full) == 1.0


def test_large_sets_are_compared_below_the_lower_limit() -> None:
    """20 000 of which a text of 3000 holds 2000: containment 2/3, from a sample of about 375 of the smaller."""
    a, b = pack_bag(hashes(0, 20_000)), pack_bag(hashes(18_000, 21_000))
    assert len(a) <= 4 * 4097
    assert containment_of(a, b) == pytest.approx(2 / 3, abs=0.1)


def test_few_keys_are_all_kept_and_of_many_a_share_of_the_common_ones() -> None:
    assert bottom_k_keys([5, 3, 3, 9]) == [3, 5, 9]
    a, b = bottom_k_keys(hashes(0, 5000)), bottom_k_keys(hashes(500, 5500))
    assert len(a) == len(b) == 128 and a == sorted(a)
    assert 80 <= len(set(a) & set(b)) <= 125


@pytest.mark.parametrize("seed", range(20))
def test_a_common_run_of_the_larger_window_has_a_common_key(seed: int) -> None:
    chosen = random.Random(seed)
    common = [chosen.getrandbits(64) for _ in range(24)]
    short = [chosen.getrandbits(64) for _ in range(chosen.randrange(100))]
    long = [chosen.getrandbits(64) for _ in range(1000)]
    place = chosen.randrange(1000)
    a, b = [*short, *common], [*long[:place], *common, *long[place:]]
    assert set(winnowed_keys(a, 6)) & set(winnowed_keys(b, 6)) & set(common)


def test_winnowed_keys_are_bounded() -> None:
    assert winnowed_keys([], 6) == []
    assert winnowed_keys([4], 6) == [4]
    assert 60 <= len(winnowed_keys(hashes(0, 50_000), 6)) <= 160

"""SimHash: fingerprints, blocks and distances."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.other.simhash import SimHash, block_keys, simhash_value
from django_neardup.text import CanonicalText

HASHES = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        ({0b110: 1, 0b011: 1, 0b010: 1}, 0b010),
        ({0b110: 3, 0b011: 1, 0b010: 1}, 0b110),
        ({0b01: 1, 0b10: 1}, 0),
        ({0b01: 2, 0b10: 1}, 0b01),
        ({1 << 63 | 1: 5}, 1 << 63 | 1),
        ({2**64 - 1: 200_000, 0: 199_999}, 2**64 - 1),
    ],
)
def test_fingerprints_by_hand(weights: dict[int, int], wanted: int) -> None:
    assert simhash_value(weights) == wanted


@given(st.dictionaries(HASHES, st.integers(1, 1000), min_size=1, max_size=20))
def test_fingerprints_by_the_definition(weights: dict[int, int]) -> None:
    sums = [sum(w if value >> bit & 1 else -w for value, w in weights.items()) for bit in range(64)]
    assert simhash_value(weights) == sum(1 << bit for bit, total in enumerate(sums) if total > 0)


@given(HASHES, st.integers(0, 7), st.data())
def test_near_fingerprints_share_a_block(value: int, distance: int, data: st.DataObject) -> None:
    """Pigeonhole: so many bits cannot stand in all of one block more."""
    bits = data.draw(st.sets(st.integers(0, 63), max_size=distance))
    near = value ^ sum(1 << bit for bit in bits)
    assert set(block_keys(value, distance + 1)) & set(block_keys(near, distance + 1))


def test_blocks_are_four_of_sixteen_bits() -> None:
    value = 0x1111_2222_3333_4444
    keys = list(block_keys(value, 4))
    for place in range(64):
        changed = list(block_keys(value ^ 1 << place, 4))
        assert [x != y for x, y in zip(keys, changed)] == [place // 16 == block for block in range(4)]
    assert len(set(block_keys(0, 4))) == 4


@pytest.mark.parametrize(("bits", "score"), [(0, 1), (1, 31 / 32), (3, 29 / 32), (16, 0.5), (32, 0), (64, 0)])
def test_the_measure_counts_bits(bits: int, score: float) -> None:
    a, b = 2**64 - 1, (2**64 - 1) >> bits
    assert SimHash().measure(a.to_bytes(8, "little"), b.to_bytes(8, "little")) == score


@pytest.mark.parametrize(
    ("distance", "bits", "verdict"),
    [(3, 3, "duplicate"), (3, 4, "related"), (3, 8, "related"), (3, 9, "none"), (0, 1, "related"), (6, 6, "duplicate")],
)  # fmt: skip
def test_so_many_bits_may_differ(distance: int, bits: int, verdict: str) -> None:
    algorithm = SimHash(distance=distance)
    score = algorithm.measure(bytes(8), ((1 << bits) - 1).to_bytes(8, "little"))
    assert algorithm.judge_by_score(score).verdict == verdict
    assert len(algorithm.keys(CanonicalText("дом лес река"))) == distance + 1


def test_a_replaced_word_moves_as_many_bits_as_chance_says() -> None:
    """Of 21 different words one is replaced: a bit turns if the other 20 are even and the two words differ in it.

    64 * C(20, 10) / 2^20 / 2 = 5.64 bits, where the angle says 64 arccos(20 / 21) / π = 6.31.
    """
    source, moved, trials = random.Random(7), 0, 300
    for _ in range(trials):
        words = [source.getrandbits(64) for _ in range(22)]
        a, b = (simhash_value(dict.fromkeys(chosen, 1)) for chosen in (words[:21], words[1:]))
        moved += bin(a ^ b).count("1")
    wanted = 64 * math.comb(20, 10) / 2**20 / 2
    assert moved / trials == pytest.approx(wanted, abs=4 * math.sqrt(wanted / trials))


def test_words_count_as_often_as_they_stand_and_stop_words_never() -> None:
    algorithm = SimHash()
    one = algorithm.payload(CanonicalText("дом"))
    assert algorithm.payload(CanonicalText("дом дома лес")) == one
    assert algorithm.payload(CanonicalText("и дом, и в доме")) == one
    assert one == CanonicalText("дом").hashes[0].to_bytes(8, "little")


@pytest.mark.parametrize("text", ["", "...", "и в на"])
def test_texts_without_content_have_no_fingerprint(text: str) -> None:
    algorithm = SimHash()
    assert (algorithm.keys(CanonicalText(text)), algorithm.payload(CanonicalText(text))) == ([], b"")
    assert algorithm.measure(b"", algorithm.payload(CanonicalText("дом"))) == algorithm.measure(b"", b"") == 0


def test_the_threshold_follows_the_distance_unless_given() -> None:
    assert SimHash().duplicate == 29 / 32
    assert SimHash(distance=0).duplicate == 1
    assert SimHash(duplicate=0.5).parameters()["duplicate"] == 0.5


@pytest.mark.parametrize("distance", [-1, 8])
def test_senseless_distances(distance: int) -> None:
    with pytest.raises(ValueError, match=f"distance is {distance}"):
        get_algorithm("simhash", distance=distance)

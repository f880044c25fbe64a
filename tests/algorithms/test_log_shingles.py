from __future__ import annotations

import struct

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.rcdl2007.log_shingles import level_of, select_divisible
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    check_contract,
    is_candidate,
    score,
    text,
    verdict,
    words,
)


@pytest.mark.parametrize(
    ("shingles", "level"),
    [(0, 0), (1, 0), (64, 0), (65, 1), (128, 1), (129, 2), (64 * 1024, 10), (64 * 1024 + 1, 11)],
)
def test_the_level_grows_with_the_text(shingles: int, level: int) -> None:
    assert level_of(shingles, 64) == level


def test_divisible() -> None:
    assert select_divisible([0, 3, 4, 8, 12, 16], 2) == {0, 4, 8, 12, 16}
    assert select_divisible([5, 6], 0) == {5, 6}


def packed(level: int, *hashes: int) -> bytes:
    return struct.pack(f"<{len(hashes) + 1}Q", level, *hashes)


def test_texts_are_compared_at_the_higher_level() -> None:
    """At level 2 the first keeps 4, 8, 12 and the second 4, 8, 20: two of four."""
    algorithm = get_algorithm("log-shingles")
    a, b = packed(0, 1, 2, 3, 4, 8, 12), packed(2, 4, 8, 20)
    assert algorithm.measure(a, b) == algorithm.measure(b, a) == 0.5
    assert algorithm.measure(packed(0), b) == 0.0


@pytest.mark.parametrize("count", [50, 300, 5000])
def test_about_32_to_64_remain(count: int) -> None:
    assert 20 <= len(get_algorithm("log-shingles").keys(CanonicalText(text(count)))) <= 90


def test_a_half_is_about_half_alike() -> None:
    """Of 996 + 496 - 496 shingles: J = 496 / 996, the error of about 62 of them is .06."""
    long = words(1000)
    assert score(get_algorithm("log-shingles"), " ".join(long), " ".join(long[:500])) == pytest.approx(
        0.5, abs=0.2
    )


def test_few_edits_of_a_long_text() -> None:
    long = words(1000)
    edited = ["иное" if place % 100 == 50 else word for place, word in enumerate(long)]
    algorithm = get_algorithm("log-shingles")
    assert score(algorithm, " ".join(long), " ".join(edited)) == pytest.approx(946 / 1046, abs=0.13)
    assert is_candidate(algorithm, " ".join(long), " ".join(edited))


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("log-shingles")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and not is_candidate(algorithm, FLAT, KITTEN)
    assert algorithm.keys(CanonicalText("Четыре слова всего тут")) == []


@pytest.mark.parametrize("options", [{}, {"size": 3, "most": 16}, {"duplicate": 0.5}])
def test_contract(options: dict[str, float]) -> None:
    check_contract(get_algorithm("log-shingles", **options))


@pytest.mark.parametrize("options", [{"size": 0}, {"most": 0}])
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        get_algorithm("log-shingles", **options)

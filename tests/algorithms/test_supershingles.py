from __future__ import annotations

import struct

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.shingle_texts import (
    KITTEN,
    check_contract,
    is_candidate,
    score,
    shared,
    text,
    verdict,
    words,
)


def test_six_supershingles_two_of_which_must_be_equal() -> None:
    algorithm = get_algorithm("supershingles")
    assert algorithm.min_shared == 2
    assert len(algorithm.supershingles(CanonicalText(text(200)))) == 6
    assert len(algorithm.keys(CanonicalText(text(200)))) == 6


def test_near_copies_are_found() -> None:
    algorithm = get_algorithm("supershingles")
    long = text(600)
    assert is_candidate(algorithm, long, f"{long} ещё")
    assert verdict(algorithm, long, f"{long} ещё") == "duplicate"


def test_every_tenth_word_changed_is_too_much() -> None:
    long = words(600)
    edited = ["иное" if place % 10 == 5 else word for place, word in enumerate(long)]
    assert score(get_algorithm("supershingles"), " ".join(long), " ".join(edited)) == 0.0


def test_the_more_must_be_equal_the_less_is_found() -> None:
    """Two of 200 words are others: J = (196 - 10) / (196 + 10) = .9, P(1 of 6) = .79, P(2 of 6) = .42."""
    equal = []
    for seed in range(20):
        long = words(200, seed)
        edited = ["иное" if place % 100 == 50 else word for place, word in enumerate(long)]
        equal.append(shared(get_algorithm("supershingles", size=5), " ".join(long), " ".join(edited)))
        for least in (1, 2, 3):
            algorithm = get_algorithm("supershingles", min_shared=least)
            a, b = (struct.pack(f"<{size}Q", *range(6 - size, 6)) for size in (6, equal[-1]))
            assert algorithm.measure(a, b) == float(equal[-1] >= least)
    assert 11 <= sum(each >= 1 for each in equal) < 20
    assert 3 <= sum(each >= 2 for each in equal) <= 14


def test_few_words_have_none() -> None:
    assert get_algorithm("supershingles").keys(CanonicalText(text(9))) == []
    assert get_algorithm("supershingles").keys(CanonicalText(KITTEN)) != []


@pytest.mark.parametrize("options", [{}, {"size": 5, "functions": 12, "groups": 3}, {"family": "multiply"}])
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("supershingles", **options))


@pytest.mark.parametrize(
    "options",
    [
        {"size": 0},
        {"functions": 85},
        {"groups": 1},
        {"min_shared": 0},
        {"min_shared": 7},
        {"family": "absent"},
    ],
)
def test_senseless_options(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"shingle|groups|family"):
        get_algorithm("supershingles", **options)

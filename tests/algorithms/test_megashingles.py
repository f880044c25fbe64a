from __future__ import annotations

from math import comb

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.minhash.minwise import band_hashes, minwise_sketch
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import mix
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    check_contract,
    score,
    shared,
    text,
    verdict,
    words,
)


def test_fifteen_pairs_of_six() -> None:
    assert len(get_algorithm("megashingles").keys(CanonicalText(text(100)))) == 15


@pytest.mark.parametrize("every", [10, 25, 40, 60, 100])
def test_equal_megashingles_are_pairs_of_equal_supershingles(every: int) -> None:
    algorithm = get_algorithm("megashingles")
    long = words(300)
    edited = ["иное" if place % every == 5 else word for place, word in enumerate(long)]
    a, b = " ".join(long), " ".join(edited)
    ours, theirs = algorithm.supershingles(CanonicalText(a)), algorithm.supershingles(CanonicalText(b))
    equal = sum(x == y for x, y in zip(ours, theirs))
    assert shared(algorithm, a, b) == comb(equal, 2)
    assert score(algorithm, a, b) == float(equal >= 2)


@pytest.mark.parametrize(
    ("common", "functions", "stated"), [(190, 36, 0.93), (178, 36, 0.51), (190, 84, 0.45), (178, 84, 0.03)]
)
def test_probability_of_the_docstring(common: int, functions: int, stated: float) -> None:
    """190 common of 210 in all, J = .905, and 178 of 222, J = .802: share of 120 pairs with two of six groups equal."""
    found = 0
    for pair in range(120):
        members = [mix(pair, number) for number in range(400 - common)]
        a, b = members[:200], members[200 - common :]
        ours, theirs = (band_hashes(minwise_sketch(each, functions), functions // 6) for each in (a, b))
        found += sum(x == y for x, y in zip(ours, theirs)) >= 2
    assert found / 120 == pytest.approx(stated, abs=0.11)


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("megashingles")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate"
    assert verdict(algorithm, FLAT, KITTEN) == "none"
    assert algorithm.keys(CanonicalText("Четыре слова всего тут")) == []


@pytest.mark.parametrize(
    "options", [{}, {"functions": 84}, {"size": 3, "groups": 4, "family": "one-permutation"}]
)
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("megashingles", **options))


def test_senseless_options() -> None:
    with pytest.raises(ValueError, match="equal groups"):
        get_algorithm("megashingles", functions=35)

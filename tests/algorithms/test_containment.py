from __future__ import annotations

import random

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.containment import covered_share, shingle_size
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    QUOTING,
    check_contract,
    is_candidate,
    score,
    shared,
    text,
    verdict,
    words,
)


def test_a_quotation_in_a_long_text() -> None:
    algorithm = get_algorithm("containment")
    judged = algorithm.judge(CanonicalText(FLAT), CanonicalText(QUOTING))
    assert (judged.verdict, judged.containment_a, judged.score) == ("contained", 1.0, 1.0)
    assert 0.3 < judged.containment_b < 0.6
    assert is_candidate(algorithm, FLAT, QUOTING)
    assert algorithm.judge(CanonicalText(QUOTING), CanonicalText(FLAT)) == judged.swap_sides()


def test_its_place_in_the_texts() -> None:
    (passage,) = get_algorithm("containment").judge(CanonicalText(FLAT), CanonicalText(QUOTING)).passages
    assert FLAT[slice(*passage.span_a)] == FLAT.rstrip(".")
    assert QUOTING[slice(*passage.span_b)] == FLAT.rstrip(".")


def test_scattered_shingles_are_no_quotation() -> None:
    """Every pair of neighbours of the small text stands somewhere in the large one, no eight words do."""
    small, filler = words(20), words(200, seed=2)
    large = [
        word
        for place in range(19)
        for word in (*small[place : place + 2], *filler[place * 5 : place * 5 + 5])
    ]
    judged = get_algorithm("containment").judge(
        CanonicalText(" ".join(small)), CanonicalText(" ".join(large))
    )
    assert (judged.verdict, judged.score, judged.passages) == ("none", 0.0, ())


def test_by_hand() -> None:
    """20 words have 19 shingles of two; a run of 10 has 9 of them, and one of 7 is too short."""
    small, other = words(20), words(40, seed=2)
    large = [*other[:20], *small[:10], *other[20:30], *small[13:], *other[30:]]
    judged = get_algorithm("containment").judge(
        CanonicalText(" ".join(small)), CanonicalText(" ".join(large))
    )
    assert judged.containment_a == pytest.approx(9 / 19)
    assert judged.containment_b == pytest.approx(9 / (len(large) - 1))
    assert (judged.verdict, len(judged.passages)) == ("related", 1)


def test_pieces_in_another_order() -> None:
    small, other = words(40), words(100, seed=2)
    large = [*other[:50], *small[20:], *other[50:], *small[:20]]
    judged = get_algorithm("containment").judge(
        CanonicalText(" ".join(small)), CanonicalText(" ".join(large))
    )
    assert judged.containment_a == pytest.approx(38 / 39)
    assert judged.verdict == "contained"


def test_a_text_shorter_than_a_run_is_held_as_a_whole_or_not() -> None:
    assert (
        verdict(
            get_algorithm("containment"), "котёнок ждёт хозяина дома", f"{FLAT} котёнок ждёт хозяина дома"
        )
        == "contained"
    )
    assert (
        verdict(get_algorithm("containment"), "котёнок ждёт хозяина дома", f"{FLAT} котёнок ждёт хозяина")
        == "none"
    )


def test_fewer_words_than_a_key_has_are_not_held() -> None:
    assert verdict(get_algorithm("containment"), "детский сад", FLAT) == "none"


def test_equal_shares_both_ways_are_a_duplicate() -> None:
    algorithm = get_algorithm("containment")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and shared(algorithm, FLAT, KITTEN) == 0


@pytest.mark.parametrize("seed", range(15))
def test_a_run_of_eleven_words_makes_candidates(seed: int) -> None:
    chosen = random.Random(seed)
    run, left, right = words(11, 100 + seed), words(500, 200 + seed), words(60, 300 + seed)
    place = chosen.randrange(500)
    a, b = [*left[:place], *run, *left[place:]], [*right[:30], *run, *right[30:]]
    assert shared(get_algorithm("containment"), " ".join(a), " ".join(b))


def test_keys_of_long_texts_are_bounded() -> None:
    assert len(get_algorithm("containment").keys(CanonicalText(text(6000)))) < 160


def test_a_short_quotation_in_a_very_long_text_passes_without_the_sample() -> None:
    algorithm = get_algorithm("containment")
    assert algorithm.should_judge(0.0, 1, 40, 9000)
    assert not algorithm.should_judge(0.0, 1, 40, 900)
    assert not algorithm.should_judge(1.0, 0, 40, 9000)
    assert algorithm.should_judge(0.26, 1, 40, 900)


def test_the_payload_estimates_what_is_held() -> None:
    long = words(9000)
    assert score(get_algorithm("containment"), " ".join(long), " ".join(long[:2000])) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("count", "size"), [(1, 1), (7, 1), (8, 2), (49, 2), (50, 3), (299, 3), (300, 5), (9000, 5)]
)
def test_the_smaller_text_sets_the_shingle(count: int, size: int) -> None:
    assert shingle_size(count) == size


def test_share() -> None:
    assert covered_share([(0, 4), (2, 6)], 10, 2) == pytest.approx(5 / 9)
    assert covered_share([], 10, 2) == covered_share([], 1, 2) == 0.0


@pytest.mark.parametrize(
    "options", [{}, {"size": 3, "window": 4, "run": 6}, {"duplicate": 0.9, "review": 0.2}]
)
def test_contract(options: dict[str, float]) -> None:
    check_contract(get_algorithm("containment", **options))


@pytest.mark.parametrize("options", [{"size": 0}, {"window": 0}, {"run": 4}, {"size": 9}])
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="is"):
        get_algorithm("containment", **options)

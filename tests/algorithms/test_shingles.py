"""The article on shingles in Python: its figures, and what its function got wrong."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.shingles import word_checksums
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import crc32
from django_neardup.text.shingles import classic_shingles, classic_words
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
from tests.text.test_shingle import ARTICLE_STOP, BELINSKY

PYTHON_2 = [1313803605, -1077944445, -2009290115, 1772759749]


def unsigned(value: int) -> int:
    return value % (1 << 32)


@pytest.mark.parametrize(
    ("said", "checksum"), [("My war is over.", 1759088479), ("My war is over!", -127495474)]
)
def test_a_mark_changes_the_checksum(said: str, checksum: int) -> None:
    assert crc32(said) == unsigned(checksum)


def test_checksums_of_the_quotation() -> None:
    canonical = classic_words(BELINSKY, stop_words=ARTICLE_STOP)
    assert word_checksums(canonical, 10) == [unsigned(value) for value in PYTHON_2]
    assert [
        crc32(shingle) for shingle in classic_shingles(BELINSKY, stop_words=ARTICLE_STOP)
    ] == word_checksums(canonical, 10)


def test_the_algorithm_makes_them_of_a_text_without_our_stop_words() -> None:
    said = "Разум дан человеку того чтобы разумно жил того только чтобы понимал неразумно живет"
    left = [word for word in said.lower().split() if word != "только"]
    assert get_algorithm("shingles").checksums(CanonicalText(said)) == word_checksums(left, 10)


def test_marks_case_and_stop_words_are_nothing() -> None:
    assert score(get_algorithm("shingles"), FLAT, FLAT.upper().replace(",", " и").replace(".", "!")) == 1.0


def test_dice_by_hand() -> None:
    """12 words have three shingles; another last word leaves two of them: 2 * 2 / (3 + 3)."""
    one, other = words(12), [*words(12)[:11], "иное"]
    assert score(get_algorithm("shingles"), " ".join(one), " ".join(other)) == pytest.approx(4 / 6)


def test_a_repeated_shingle_counts_the_same_both_ways() -> None:
    """Ten words twice have 11 shingles, the first twice: the article counts 4/12 one way, 2/12 the other."""
    ten = text(10)
    assert score(get_algorithm("shingles"), f"{ten} {ten}", ten) == pytest.approx(2 / 12)


def test_overlapping_outlives_an_insertion_and_side_by_side_does_not() -> None:
    overlapping, butted = get_algorithm("shingles"), get_algorithm("shingles", step=10)
    twenty = text(20)
    assert score(overlapping, twenty, f"иное {twenty}") == pytest.approx(2 * 11 / (11 + 12))
    assert len(butted.checksums(CanonicalText(twenty))) == 2
    assert score(butted, twenty, f"{twenty} иное") == 1.0
    assert score(butted, twenty, f"иное {twenty}") == 0.0


def test_a_sample_of_a_long_text_estimates_its_score() -> None:
    """1500 words, one of 50 another: each kills 10 shingles; about 60 of 1491 are divisible by 25."""
    whole = words(1500)
    edited = ["иное" if place % 50 == 25 else word for place, word in enumerate(whole)]
    sampled = get_algorithm("shingles", modulus=25)
    assert 35 <= len(sampled.checksums(CanonicalText(" ".join(whole)))) <= 90
    assert all(value % 25 == 0 for value in sampled.checksums(CanonicalText(" ".join(whole))))
    exact = score(get_algorithm("shingles"), " ".join(whole), " ".join(edited))
    assert exact == pytest.approx(1 - 300 / 1491, abs=1e-9)
    assert score(sampled, " ".join(whole), " ".join(edited)) == pytest.approx(exact, abs=0.2)


def test_few_words_have_no_shingles_and_do_not_divide_by_zero() -> None:
    algorithm = get_algorithm("shingles")
    nine = text(9)
    assert algorithm.keys(CanonicalText(nine)) == []
    assert score(algorithm, nine, text(9, seed=2)) == 0.0
    assert verdict(algorithm, nine, text(9, seed=2)) == "none"
    assert verdict(algorithm, nine, nine + "!") == "duplicate"


def test_keys_of_long_texts_are_few_and_shared() -> None:
    algorithm = get_algorithm("shingles")
    long = text(1000)
    assert len(algorithm.keys(CanonicalText(long))) == 128
    assert shared(algorithm, long, f"{text(40, seed=3)} {long}") > 100


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("shingles")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and shared(algorithm, FLAT, KITTEN) == 0
    assert shared(algorithm, FLAT, QUOTING) > 20


@pytest.mark.parametrize(
    "options", [{}, {"size": 3, "step": 2}, {"modulus": 25}, {"duplicate": 0.9, "guard": True}]
)
def test_contract(options: dict[str, object]) -> None:
    if "modulus" in options:
        assert get_algorithm("shingles", **options).keys(CanonicalText(FLAT)) != []
    check_contract(get_algorithm("shingles", **options))


@pytest.mark.parametrize("options", [{"size": 0}, {"step": 0}, {"size": 3, "step": 4}, {"modulus": 0}])
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="it is 1"):
        get_algorithm("shingles", **options)

"""The board's article: fifteen longest words, and its two piles."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import crc32
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

PILES = "Система реализует Б/у металлоформы свай {} в хорошем рабочем состоянии. Подробности по телефону или заявке."
LARGE, SMALL = PILES.format("С140.35"), PILES.format("С90.30")
LONG = [
    "металлоформы",
    "подробности",
    "реализует",
    "состоянии",
    "телефону",
    "хорошем",
    "рабочем",
    "система",
    "заявке",
]


def test_without_digits_the_piles_are_one_advert() -> None:
    algorithm = get_algorithm("longest-words")
    chosen = algorithm.longest_words(CanonicalText(LARGE))
    assert chosen == algorithm.longest_words(CanonicalText(SMALL)) and sorted(chosen) == sorted(
        [*LONG, "свай"]
    )
    assert score(algorithm, LARGE, SMALL) == 1.0
    assert verdict(algorithm, LARGE, SMALL) == "duplicate"


def test_with_digits_they_are_90_percent_alike_as_the_article_says() -> None:
    algorithm = get_algorithm("longest-words", digits=True)
    assert "c140.35" in algorithm.longest_words(CanonicalText(LARGE))
    assert score(algorithm, LARGE, SMALL) == pytest.approx(10 / 11)
    assert verdict(algorithm, LARGE, SMALL) == "duplicate"


def test_the_guard_tells_them_apart() -> None:
    judged = get_algorithm("longest-words", guard=True).judge(CanonicalText(LARGE), CanonicalText(SMALL))
    assert (judged.verdict, judged.classes) == ("variant", ("code",))


def test_longest_first_and_ties_by_the_alphabet() -> None:
    document = CanonicalText("яблоко, берег и арбуз; аист кот дом Берег")
    assert get_algorithm("longest-words").longest_words(document) == ["яблоко", "арбуз", "берег", "аист"]
    assert get_algorithm("longest-words", most=2).longest_words(document) == ["яблоко", "арбуз"]
    assert get_algorithm("longest-words", shortest=3).longest_words(document)[-2:] == ["дом", "кот"]


def test_the_letter_x_is_no_mark() -> None:
    chosen = get_algorithm("longest-words").longest_words(
        CanonicalText("xerox linux netflix xbox360 200x300мм", language="en")
    )
    assert chosen == ["netflix", "linux", "xerox", "xbox"]


def test_keys_are_checksums_of_words() -> None:
    assert get_algorithm("longest-words").keys(CanonicalText("Арбуз и берег")) == sorted(
        [crc32("арбуз"), crc32("берег")]
    )


@pytest.mark.parametrize(("common", "judged"), [(12, "duplicate"), (11, "related"), (8, "none")])
def test_80_percent_of_fifteen_words_are_twelve(common: int, judged: str) -> None:
    ours = words(18)[:15]
    theirs = [*ours[:common], *words(18, seed=2)[: 15 - common]]
    algorithm = get_algorithm("longest-words")
    assert score(algorithm, " ".join(ours), " ".join(theirs)) == pytest.approx(common / 15)
    assert verdict(algorithm, " ".join(ours), " ".join(theirs)) == judged


def test_the_length_is_that_of_the_shorter_text() -> None:
    six = words(6)
    assert (
        score(get_algorithm("longest-words"), " ".join(six[:5]), " ".join([*six[:4], *words(9, seed=2)]))
        == 0.8
    )


def test_one_common_word_is_not_enough() -> None:
    assert score(get_algorithm("longest-words"), "квартира", "квартира кот") == 0.0
    assert score(get_algorithm("longest-words", min_shared=1), "квартира", "квартира кот") == 1.0


@pytest.mark.parametrize("least", [2, 5])
def test_equal_texts_of_few_long_words_are_found_by_their_md5(least: int) -> None:
    algorithm = get_algorithm("longest-words", min_shared=least)
    assert is_candidate(algorithm, "Дом и сад", "дом и сад!")
    assert score(algorithm, "Дом и сад", "дом и сад!") == 1.0
    assert not is_candidate(algorithm, "Дом и сад", "дом или сад")


def test_two_texts_without_words_share_nothing() -> None:
    assert score(get_algorithm("longest-words"), "", "!") == 0.0


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("longest-words")
    assert score(algorithm, FLAT, MOVED) == 1.0 and is_candidate(algorithm, FLAT, MOVED)
    assert not is_candidate(algorithm, FLAT, KITTEN)
    assert len(algorithm.keys(CanonicalText(text(5000)))) == 15


@pytest.mark.parametrize("options", [{}, {"min_shared": 5, "digits": True}, {"most": 40, "shortest": 3}])
def test_contract(options: dict[str, int]) -> None:
    check_contract(get_algorithm("longest-words", **options))


@pytest.mark.parametrize("options", [{"min_shared": 0}, {"min_shared": 16}, {"shortest": 0}])
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="is"):
        get_algorithm("longest-words", **options)

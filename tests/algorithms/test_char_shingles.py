from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import crc32
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    check_contract,
    is_candidate,
    score,
    shared,
    text,
    verdict,
)

JOKE = "Штирлиц стрелял вслепую, слепая бегала зигзагами."
TYPO = "Штирлиц стрелял вслепую, слепая бегала зигзаками."
OTHER = "Мюллер открыл окно, Штирлиц закрыл, завязался бой."


def test_multisets_by_hand() -> None:
    """мама: ма, ам, ма; мамам: ма, ам, ма, ам."""
    assert score(get_algorithm("char-shingles", size=2), "мама", "мамам") == pytest.approx(6 / 7)


def test_checksums() -> None:
    assert get_algorithm("char-shingles", size=2).checksums(CanonicalText("Да, кот!")) == [
        crc32("ко"),
        crc32("от"),
    ]
    assert get_algorithm("char-shingles").checksums(CanonicalText("кот")) == []


def test_spaces_are_nothing() -> None:
    assert score(get_algorithm("char-shingles"), "белоснежный дом", "бело-снежный дом") == 1.0
    assert score(get_algorithm("char-shingles"), "белоснежный дом", "бело снежный дом") == 1.0


def test_what_shingles_of_words_cannot_see() -> None:
    letters, whole = get_algorithm("char-shingles"), get_algorithm("shingles")
    assert verdict(letters, JOKE, TYPO) == "duplicate" and is_candidate(letters, JOKE, TYPO)
    assert verdict(whole, JOKE, TYPO) == "none"
    assert verdict(letters, JOKE, OTHER) == "none"


def test_the_longer_the_shingle_the_more_an_edit_costs() -> None:
    scores = [score(get_algorithm("char-shingles", size=size), JOKE, TYPO) for size in (3, 5, 10)]
    assert scores[0] > scores[1] > scores[2] > 0


def test_keys_are_runs_twice_as_long() -> None:
    algorithm = get_algorithm("char-shingles")
    (only,) = (
        set(algorithm.keys(CanonicalText("котёнок дома")))
        - set(algorithm.checksums(CanonicalText("котёнок дома")))
        - {crc32("отенокдома")}
    )
    assert only == crc32("котенокдом")
    assert not set(algorithm.keys(CanonicalText(FLAT))) & set(algorithm.checksums(CanonicalText(FLAT)))
    assert algorithm.keys(CanonicalText("кот")) == []


def test_a_short_text_and_a_longer_one_are_candidates() -> None:
    algorithm = get_algorithm("char-shingles")
    assert is_candidate(algorithm, "Продам диван угловой", "Продам диван угловай")
    assert is_candidate(algorithm, JOKE, f"{JOKE} Смешно")
    assert is_candidate(algorithm, FLAT, FLAT.replace("кирпичный", "панельный"))


def test_keys_are_bounded_and_one_alone_is_no_candidate() -> None:
    algorithm = get_algorithm("char-shingles")
    assert algorithm.min_shared == 2
    assert len(algorithm.keys(CanonicalText(text(3000)))) == 64
    assert shared(algorithm, FLAT, KITTEN) == 0 and verdict(algorithm, FLAT, KITTEN) == "none"


@pytest.mark.parametrize("options", [{}, {"size": 3}, {"size": 10, "review": 0.3}])
def test_contract(options: dict[str, float]) -> None:
    check_contract(get_algorithm("char-shingles", **options))


def test_senseless_size() -> None:
    with pytest.raises(ValueError, match="at least two letters"):
        get_algorithm("char-shingles", size=1)

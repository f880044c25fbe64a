from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import hash_word
from django_neardup.text.set_similarity import cosine
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    check_contract,
    is_candidate,
    score,
    shared,
    text,
    verdict,
    words,
)


def test_cosine_by_hand() -> None:
    """ "ааб" is (2, 1), "абб" is (1, 2): 4 / 5, exactly the article's 20 % of uniqueness."""
    algorithm = get_algorithm("profile-cosine", size=1)
    assert score(algorithm, "ааб", "абб") == pytest.approx(0.8)
    assert verdict(algorithm, "ааб", "абб") == "duplicate"
    assert score(algorithm, "ааб", "ввг") == 0.0


def test_words_of_one_and_two_letters_and_spaces_are_dropped() -> None:
    algorithm = get_algorithm("profile-cosine")
    assert score(algorithm, "Мы едем на дачу", "едем дачу") == 1.0
    assert score(algorithm, "белоснежный дом", "бело снежный дом") == 1.0


@pytest.mark.parametrize("size", [2, 5, 10])
def test_it_is_the_cosine_of_the_counts(size: int) -> None:
    def counts(text: str) -> dict[str, int]:
        letters = "".join(token.surface for token in CanonicalText(text).tokens if len(token.surface) > 2)
        grams = [letters[place : place + size] for place in range(len(letters) - size + 1)]
        return {gram: grams.count(gram) for gram in grams}

    found = score(get_algorithm("profile-cosine", size=size), FLAT, KITTEN)
    assert found == pytest.approx(cosine(counts(FLAT), counts(KITTEN)))


def test_a_sample_of_a_long_profile() -> None:
    """About 40 000 different runs; the second text has the first half of them: 1 / sqrt(2)."""
    long = words(6000)
    algorithm = get_algorithm("profile-cosine", size=9)
    whole, half = " ".join(long), " ".join(long[:3000])
    assert len(algorithm.payload(CanonicalText(whole))) <= 16 + 6 * 8192
    assert score(algorithm, whole, half) == pytest.approx(0.5**0.5, abs=0.05)
    assert 0.35 < score(algorithm, whole, " ".join(long[:800])) < 0.38


def test_keys_are_the_longest_words() -> None:
    algorithm = get_algorithm("profile-cosine", terms=2, min_shared=2)
    document = CanonicalText("металлоформа и гараж, дом, башня", secret=b"secret")
    assert algorithm.select_key_words(document) == ["металлоформа", "башня"]
    assert algorithm.keys(document) == sorted(
        hash_word(word, b"secret") for word in ("металлоформа", "башня")
    )


def test_or_the_rarest_where_the_statistics_say() -> None:
    statistics = TermStatistics(100, 5.0, {"металлоформа": (90, 90), "башня": (50, 60), "дом": (2, 2)})
    algorithm = get_algorithm("profile-cosine", terms=2, min_shared=1, statistics=statistics)
    assert algorithm.select_key_words(CanonicalText("металлоформа и гараж, дом, башня")) == ["гараж", "дом"]
    assert algorithm.parameters()["statistics"] == statistics.digest
    assert "statistics" not in get_algorithm("profile-cosine").parameters()


def test_a_contact_is_no_key() -> None:
    statistics = TermStatistics(100, 5.0, {"гараж": (90, 90)})
    algorithm = get_algorithm("profile-cosine", statistics=statistics)
    assert algorithm.select_key_words(CanonicalText("гараж, +7 916 123-45-67, ivan@example.ru")) == ["гараж"]


def test_a_glyph_is_no_short_word() -> None:
    ours, theirs = "出售二手沙发几乎全新自取", "自取 出售二手沙发几乎全新！"
    algorithm = get_algorithm("profile-cosine")
    assert len(algorithm.keys(CanonicalText(ours, language="zh"))) == 12
    assert is_candidate(algorithm, ours, theirs) and 0.5 < score(algorithm, ours, theirs) < 1
    assert score(algorithm, "ขายโซฟามือสอง", "ขายโซฟามือสอง") == 1.0


def test_ten_candidates_are_looked_at() -> None:
    assert get_algorithm("profile-cosine").limit == 10
    assert get_algorithm("profile-cosine", limit=None).limit is None
    assert len(get_algorithm("profile-cosine").keys(CanonicalText(text(1000)))) == 25


def test_texts_of_fewer_words_must_have_the_same() -> None:
    algorithm = get_algorithm("profile-cosine")
    assert shared(algorithm, "Продам гараж", "гараж продам") == 3
    assert is_candidate(algorithm, "Продам гараж", "Продам и гараж")
    assert shared(algorithm, "Продам гараж", "Продам дачу") == 0
    assert algorithm.keys(CanonicalText("дом")) == algorithm.keys(CanonicalText("и на")) == []


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("profile-cosine")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and shared(algorithm, FLAT, KITTEN) == 0


def test_it_cannot_tell_two_items_apart() -> None:
    pile = "Система реализует металлоформы свай {} в хорошем рабочем состоянии. Подробности по телефону или заявке."
    large, small = pile.format("С140.35"), pile.format("С90.30")
    assert verdict(get_algorithm("profile-cosine"), large, small) == "duplicate"
    assert verdict(get_algorithm("profile-cosine", guard=True), large, small) == "variant"


@pytest.mark.parametrize(
    "options", [{}, {"size": 3, "terms": 5, "min_shared": 1, "limit": None}, {"duplicate": 0.4}]
)
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("profile-cosine", **options))


@pytest.mark.parametrize(
    "options", [{"size": 0}, {"terms": 0}, {"limit": 0}, {"min_shared": 0}, {"terms": 2}]
)
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        get_algorithm("profile-cosine", **options)

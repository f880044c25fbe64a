"""TextProfileSignature of Nutch and Solr."""

from __future__ import annotations

import hashlib

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.other.text_profile import TextProfile
from django_neardup.text import CanonicalText


def profile(text: str, **options: float) -> str:
    return "; ".join(get_algorithm("text-profile", **options).profile_lines(CanonicalText(text)))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ""),
        ("и в на", ""),
        ("кот", "кот 1"),
        ("Лес, дом и кот", "дом 1; кот 1; лес 1"),
        ("кот дом кот", "кот 2"),
        ("дом кот кот кот", "кот 2"),
        ("кот " * 4 + "лес " * 5 + "дом " * 2 + "пёс", "кот 4; лес 4; дом 2"),
        ("дома дом доме дом", "дом 2"),
        ("С140.35 и С140.35", "c140.35 2"),
    ],
)
def test_profiles_by_hand(text: str, wanted: str) -> None:
    assert profile(text) == wanted


@pytest.mark.parametrize(
    ("most", "wanted"),
    [(149, "кот 148; лес 6"), (249, "кот 248; лес 6"), (250, "кот 249; лес 6"), (350, "кот 348; лес 4")],
)
def test_quant_is_a_hundredth_of_the_largest_count(most: int, wanted: str) -> None:
    """149 and 249: 1.49 and 2.49, so 2; 250: 2.5, so 3; 350: 4.  Seven is floored to 6, 6, 6, 4."""
    assert profile("кот " * most + "лес " * 7) == wanted


def test_options() -> None:
    assert profile("я кот кот", shortest=1) == "кот 2"
    assert profile("я кот", shortest=1) == "кот 1; я 1"
    assert profile("кот " * 10 + "лес " * 4, rate=0.5) == "кот 10"
    algorithm = TextProfile(terms=2)
    assert algorithm.keys(CanonicalText("кот кот лес")) == []
    assert len(algorithm.keys(CanonicalText("кот лес"))) == 1


def test_the_signature_is_the_md5_of_the_lines() -> None:
    wanted = hashlib.md5("кот 2\nлес 2".encode()).digest()[:8]
    assert TextProfile().keys(CanonicalText("лес кот кот лес дом")) == [int.from_bytes(wanted, "big")]


def test_order_and_rare_words_are_of_no_account() -> None:
    algorithm = TextProfile()
    a = CanonicalText("кот и лес. Лес, кот, дом")
    b = CanonicalText("Пёс: лес, кот! Кот, лес")
    assert algorithm.judge(a, b).verdict == "duplicate"
    assert algorithm.judge(a, CanonicalText("кот лес лес")).verdict == "none"


def test_equal_counts_have_one_order() -> None:
    words = [f"слово{letter}" for letter in "абвгдежз"]
    forward, backward = CanonicalText(" ".join(words)), CanonicalText(" ".join(reversed(words)))
    assert TextProfile().keys(forward) == TextProfile().keys(backward)


def test_in_short_texts_one_repeated_word_is_all() -> None:
    """The known weakness; `terms` mends it."""
    a, b = (
        CanonicalText("Цена договорная, цена с торгом"),
        CanonicalText("Велосипед, цена 5000, цена без торга"),
    )
    assert TextProfile().judge(a, b).verdict == "duplicate"
    assert TextProfile(terms=3).judge(a, b).verdict == "none"


@pytest.mark.parametrize("options", [{"rate": -0.1}, {"rate": 2}, {"shortest": 0}, {"terms": 0}])
def test_senseless_options(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))} (is )?{next(iter(options.values()))}"):
        get_algorithm("text-profile", **options)

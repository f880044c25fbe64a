from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.rcdl2007.descr_words import DescrWords
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import hash_word

KNOWN = TermStatistics(100, 20.0, {}, {"кот": 0.05, "дом": 0.05, "сад": 0.1, "мост": 0.25, "стол": 0.01})


def made(**options: object) -> DescrWords:
    algorithm = get_algorithm("descr-words", statistics=KNOWN, **options)
    assert isinstance(algorithm, DescrWords)
    return algorithm


def same(a: str, b: str) -> bool:
    algorithm, first, second = made(), CanonicalText(a), CanonicalText(b)
    found = bool(algorithm.measure(algorithm.payload(first), algorithm.payload(second)))
    assert found is not set(algorithm.keys(first)).isdisjoint(algorithm.keys(second))
    return found


def test_words_above_their_thresholds_by_hand() -> None:
    """Of eight words each is 1/8: above 0.05 and 0.1, below 0.25; two of eight are 0.25, which is not above it."""
    assert made().support_words(CanonicalText("кот дом сад мост лес лес лес лес")) == ["дом", "кот", "сад"]
    assert made().support_words(CanonicalText("кот дом сад мост мост лес лес лес")) == ["дом", "кот", "сад"]
    assert made().support_words(CanonicalText("кот дом сад мост мост мост лес лес")) == [
        "дом",
        "кот",
        "мост",
        "сад",
    ]


def test_the_signature_is_of_the_words_in_alphabetical_order() -> None:
    assert made().keys(CanonicalText("сад дом кот", secret=b"x")) == [hash_word("дом кот сад", b"x")]


@pytest.mark.parametrize(
    ("b", "equal"),
    [
        ("сад, КОТ и дом: лес, лес!", True),
        ("кот дом сад нож гриб суп", True),
        ("кот дом сад кот дом сад лес лес лес", True),
        ("кот дом сад стол лес лес", False),
        ("кот дом мост лес лес лес", False),
        ("кот дом сад " + "лес " * 10, False),
    ],
    ids=["order", "other-words", "twice", "one-more", "one-other", "diluted"],
)
def test_equal_vectors(b: str, equal: bool) -> None:
    assert same("кот дом сад лес лес лес", b) is equal


@pytest.mark.parametrize("short", ["", "!!!", "кот дом", "лес лес лес лес", "кот кот кот"])
def test_texts_with_fewer_than_three_ones_are_not_compared(short: str) -> None:
    assert made().keys(CanonicalText(short)) == []
    assert not same(short, short)


def test_the_least_number_is_an_option() -> None:
    assert len(made(least_words=2).keys(CanonicalText("кот дом"))) == 1
    assert made(least_words=2).parameters()["least_words"] == 2
    with pytest.raises(ValueError, match="least_words"):
        made(least_words=0)


def test_statistics_without_support_give_no_keys() -> None:
    algorithm = get_algorithm("descr-words", statistics=TermStatistics(10, 5.0, {"кот": (2, 2)}))
    assert algorithm.keys(CanonicalText("кот дом сад мост стол")) == []


def test_gathered_support_tells_texts_apart_and_knows_an_edited_copy() -> None:
    nouns = ["кот", "дом", "сад", "мост", "стол", "нож", "лес", "гриб", "суп", "хлеб", "сыр", "чай"]
    texts = [
        " ".join([nouns[place], nouns[place + 1], nouns[place + 2]] * 4 + ["в"] * 3) for place in range(10)
    ]
    known = TermStatistics.gather([CanonicalText(text) for text in texts])
    algorithm = get_algorithm("descr-words", statistics=known)
    keys = [tuple(algorithm.keys(CanonicalText(text))) for text in texts]
    assert len(set(keys[1:-1])) == 8 and all(keys[1:-1])
    assert algorithm.keys(CanonicalText(texts[4] + " невиданное дело")) == list(keys[4])

from __future__ import annotations

import pytest

from django_neardup.text.alignment.fuzzy_words import (
    are_same_joined,
    are_similar_codes,
    are_similar_words,
    is_same_word,
)
from django_neardup.text.canonical_text import CanonicalText

SAME = """
машина машину | комнатную комната | велосипед вилосипед | выбор выьорах | кондиционер кондицыонер | тел телефон
часы часов | супер суппир | насчет нащет | любовь любоффь | вообще ваще | продам продаю | машина авто | квартира кв
bicycle bycicle | receive recieve | condition conditoin | tires tyres
"""
OTHER = """
стол стул | кот кит | серый синий | дом дым | granta vesta | красный чёрный | физике химии | кот который | мяч меч
5 6 | 12 два | с140.35 с90.30 | car cargo | rio kia
vii viii | xii xiii | xvii xviii
справний несправний | мебльована немебльована | furnished unfurnished | registered unregistered
"""


def pairs(table: str) -> list[list[str]]:
    return [pair.split() for line in table.strip().splitlines() for pair in line.split("|")]


def alike(a: str, b: str) -> bool:
    first, second = (CanonicalText(f"слово {word}").tokens[1] for word in (a, b))
    return is_same_word(first, second)


@pytest.mark.parametrize("pair", pairs(SAME), ids=" ".join)
def test_one_word(pair: list[str]) -> None:
    assert alike(*pair)
    assert alike(*reversed(pair))


@pytest.mark.parametrize("pair", pairs(OTHER), ids=" ".join)
def test_two_words(pair: list[str]) -> None:
    assert not alike(*pair)
    assert not alike(*reversed(pair))


def test_short_names_differ_by_a_letter() -> None:
    assert are_similar_words("vote", "bote")
    assert not are_similar_words("polo", "solo", may_be_names=True)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("kdl32l4000", "kdl32m4000", False),
        ("coolpixs550", "colpixs550", True),
        ("coolpixs550", "coolpixs560", False),
    ],
)
def test_codes_differ_by_any_figure(a: str, b: str, same: bool) -> None:
    assert are_similar_codes(a, b) is same


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("все же", "всеже", True),
        ("не торопясь", "неторопясь", True),
        ("ВАЗ-2107", "ВАЗ 2107", True),
        ("60 км", "60км", True),
        ("24 соток", "24 сотками", True),
        ("24 соток", "25 соток", False),
        ("красный дом", "синий", False),
        ("исправный", "неисправный", False),
        ("не исправный", "неисправный", True),
        ("XVII", "XVIII", False),
        ("1-2", "12", False),
        ("1-12", "11-2", False),
        ("10 - 15", "1015", False),
        ("1234 5678", "12345678", True),
        ("nonprofessional", "professional", False),
    ],
)
def test_split_and_joined(a: str, b: str, same: bool) -> None:
    assert are_same_joined(CanonicalText(a).tokens, CanonicalText(b).tokens) is same

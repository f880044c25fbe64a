"""Links between words: two tokens at one position, two spellings, and words written together or apart."""

from __future__ import annotations

import pytest

from django_neardup.text.alignment.word_links import (
    GUESS,
    SPELLING,
    SURE,
    are_similar_codes,
    link_joined,
    link_spellings,
    link_words,
)
from django_neardup.text.canonical_text import CanonicalText

LINKED = {
    SURE: """
машина машину | тел телефон | часы часов | вообще ваще | продам продаю | машина авто | квартира кв | tires tyres
хонор хонора | тойота toyota | самсунг samsung
""",
    SPELLING: """
велосипед вилосипед | выбор выьорах | кондиционер кондицыонер | супер суппир | насчет нащет | любовь любоффь
абырвалг абывралг
""",
    GUESS: """
receive recieve | condition conditoin | абырвалг абырвалк | canon canyon
""",
}
SAME = "\n".join(table.strip() for table in LINKED.values())
OTHER = """
стол стул | кот кит | серый синий | дом дым | granta vesta | красный чёрный | физике химии | кот который | мяч меч
5 6 | 12 два | с140.35 с90.30 | car cargo | rio kia | table cable | комнатную комната
vii viii | xii xiii | xvii xviii
справний несправний | мебльована немебльована | furnished unfurnished | registered unregistered
тойота nissan | bicycle bycicle
"""


def pairs(table: str) -> list[list[str]]:
    return [pair.split() for line in table.strip().splitlines() for pair in line.split("|")]


def link(a: str, b: str) -> str:
    first, second = (CanonicalText(f"слово {word}").tokens[1] for word in (a, b))
    return link_words(first, second)


@pytest.mark.parametrize(
    ("kind", "pair"), [(kind, pair) for kind, table in LINKED.items() for pair in pairs(table)], ids=str
)
def test_one_word(kind: str, pair: list[str]) -> None:
    assert link(*pair) == link(*reversed(pair)) == kind


@pytest.mark.parametrize("pair", pairs(OTHER), ids=" ".join)
def test_two_words(pair: list[str]) -> None:
    assert link(*pair) == link(*reversed(pair)) == ""


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("ленина", "лунина", GUESS),
        ("ленина", "леннина", SPELLING),
        ("ленина", "ленину", SURE),
    ],
)
def test_a_name_with_another_letter_is_a_guess(a: str, b: str, kind: str) -> None:
    assert link_spellings(a, b, may_be_names=True) == link_spellings(b, a, may_be_names=True) == kind


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
    ("a", "b", "kind"),
    [
        ("все же", "всеже", SURE),
        ("не торопясь", "неторопясь", SURE),
        ("ВАЗ-2107", "ВАЗ 2107", SURE),
        ("60 км", "60км", SURE),
        ("24 соток", "24 сотками", SURE),
        ("24 соток", "25 соток", ""),
        ("красный дом", "синий", ""),
        ("исправный", "неисправный", ""),
        ("не исправный", "неисправный", SURE),
        ("XVII", "XVIII", ""),
        ("1-2", "12", ""),
        ("1-12", "11-2", ""),
        ("10 - 15", "1015", ""),
        ("1234 5678", "12345678", SURE),
        ("42-44", "42/44", SURE),
        ("42-44", "42/46", ""),
        ("13 128", "13 128 гб", SURE),
        ("nonprofessional", "professional", ""),
        ("тренажерный зал", "тренажорныйзал", SPELLING),
        ("swimming pool", "swimingpool", GUESS),
        ("заработная плата", "з/п", SURE),
        ("зарплата", "з/п", SURE),
        ("зарплата", "квартплата", ""),
    ],
)
def test_split_and_joined(a: str, b: str, kind: str) -> None:
    tokens_a, tokens_b = CanonicalText(a).tokens, CanonicalText(b).tokens
    assert link_joined(tokens_a, tokens_b) == link_joined(tokens_b, tokens_a) == kind

"""Numbers in words.  Notation: what was written, ``|``, the tokens (see ``notation``); ``=`` joins equal texts."""

from __future__ import annotations

import pytest

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.tokens.number_words import in_figures
from tests.text.notation import tokens
from tests.text.reading import assert_read

CASES = """
два = 2 = двух                                            | n:2
двадцать пять = 25                                        | n:25
сто двадцать пять = 125                                   | n:125
девятьсот один = 901                                      | n:901
девять один                                               | n:9 один
пятый = 5 = 5-й                                           | n:5
ну один дом                                               | ну один дом
двадцать один дом = 21 дом                                | n:21 дом
двести метров = 200 метров = 200 м                        | m:200000 u:mm
дом пять тысяч рублей = дом 5000 руб                      | дом p:¤5000₽
двухкомнатная = двухкомнатную = 2-комнатная = 2-х комнатная | n:2 комнатный
двушка = двушку = 2-комнатная квартира = 2к квартира = 2-к. кв. = двухкомнатная квартира | n:2 комнатный
однушка = однокомнатная квартира                          | n:1 комнатный
трёхлитровый бак = 3-литровый бак                         | n:3 литровый бак
двадцать пятого мая = 25 мая                              | d:05-25
дваждыдва сорока                                          | дваждыдва сорок
"""
ENGLISH = """
twenty-five chairs = twenty five chairs = 25 chairs       | n:25 chair
two hundred chairs = 200 chairs                           | n:200 chair
one hundred and one chairs = 101 chairs                   | n:101 chair
no one sits                                               | no one sit
"""


def cases(table: str, language: str) -> list[tuple[str, str, str]]:
    rows = [line.rsplit("|", 1) for line in table.strip().splitlines()]
    return [(text.strip(), wanted.strip(), language) for row, wanted in rows for text in row.split(" = ")]


@pytest.mark.parametrize(("text", "wanted", "language"), [*cases(CASES, "ru"), *cases(ENGLISH, "en")])
def test_numbers_in_words(text: str, wanted: str, language: str) -> None:
    assert tokens(text, language=language) == wanted
    assert tokens(text.upper(), language=language) == wanted
    assert_read(text, language=language)


@pytest.mark.parametrize(
    ("text", "word", "written"),
    [
        ("Сдам двушку, торг", "2", "двушку"),
        ("Дом за двести двадцать тысяч, у реки", "220000", "двести двадцать тысяч"),
    ],
)
def test_tokens_have_the_offsets_of_the_words(text: str, word: str, written: str) -> None:
    found = {
        token.key.removeprefix("¤"): text[token.start : token.end] for token in CanonicalText(text).tokens
    }
    assert found[word].startswith(written[:6])
    assert found[word] in written


@pytest.mark.parametrize(("word", "wanted"), [("двадцать", "20"), ("диван", "диван"), ("", "")])
def test_one_word(word: str, wanted: str) -> None:
    assert in_figures(word) == wanted

"""Signs: their family, their value, the word they belong to, and their place in the raw text."""

from __future__ import annotations

import pytest

from django_neardup.text.canonical_text import CanonicalText

CASES = """
температура -5 ночью       | polarity - 5
температура +5 ночью       | polarity + 5
группа крови O+, донор     | polarity + о
Samsung S10+ чёрный        | polarity + s10
доставка +, торг -         | polarity + доставка, polarity - торг
Договор ✅ торг ❌         | mark + договор, mark - торг
Отель 👍                   | thumb + отель
Отель ⭐⭐⭐ у моря        | stars 3 отель
Отель ★ у моря             | stars 1 отель
+7 903 123-45-67           |
диван-кровать, 5-8 лет     |
купля - продажа            |
гараж                      |
✅                         |
C++ и C#                   |
"""


@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_signs(line: str) -> None:
    raw, wanted = (cell.strip() for cell in line.split("|"))
    text = CanonicalText(raw)
    signs = [f"{sign.family} {sign.value} {text.tokens[sign.token].key}" for sign in text.signs]
    assert ", ".join(signs) == wanted


def test_signs_are_no_tokens() -> None:
    assert CanonicalText("Отель ⭐⭐⭐ ✅ у моря").hashes == CanonicalText("Отель у моря").hashes


def test_places_are_those_of_the_raw_text() -> None:
    raw = "<b>Договор</b> ✅, торг&nbsp;❌"
    assert [raw[sign.start : sign.end] for sign in CanonicalText(raw).signs] == ["✅", "❌"]


def test_a_sign_that_touches_a_letter_or_a_figure_before_it_is_glued() -> None:
    text = CanonicalText("S10+ за +5 ✅")
    assert [(sign.value, sign.is_glued) for sign in text.signs] == [("+", True), ("+", False), ("+", False)]

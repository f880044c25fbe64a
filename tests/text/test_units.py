"""Units: one base unit for a dimension.  Equal quantities are joined by ``=``."""

from __future__ import annotations

import pytest

from django_neardup.text.tokens.units import base_unit, currency_name, multiplier_exponent, unit_name
from tests.text.notation import tokens

EQUAL = """
5 кг = 5000 г = 5 килограммов = 5000 грамм     | m:5000 u:g
1,5 л = 1500 мл = 1500 см3                     | m:1500 u:ml
2 м = 200 см = 2000 мм = 20 dm                 | m:2000 u:mm
1 га = 100 соток = 10000 м2                    | m:10000 u:m2
2×3 м = 200х300 см = 2000x3000 мм              | m:2000x3000 u:mm
2 квт = 2000 вт                                | m:2000 u:w
1 тб = 1000 гб                                 | m:1000000 u:mb
3,2 ггц = 3200 мгц                             | m:3200000000 u:hz
5 ач = 5000 мач                                | m:5000 u:mah
¼ м = 1/4 м                                    | n:1/4 м
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (text.strip(), wanted.strip())
        for row, wanted in (line.rsplit("|", 1) for line in EQUAL.strip().splitlines())
        for text in row.split(" = ")
    ],
)
def test_one_base_unit(text: str, wanted: str) -> None:
    assert tokens(f"ну это да {text}") == f"ну это да {wanted}"


@pytest.mark.parametrize(
    ("a", "b"), [("5 кг", "5 г"), ("5 дюймов", "5 см"), ("5 фунтов", "5 кг"), ("5 л", "5 кг")]
)
def test_other_quantities(a: str, b: str) -> None:
    assert tokens(f"ну это да {a}") != tokens(f"ну это да {b}")


def test_names() -> None:
    assert (unit_name("кв. м"), unit_name(" кг."), unit_name(""), unit_name("штук")) == (
        "m2",
        "kg",
        "",
        "штук",
    )
    assert (base_unit("kg"), base_unit("mm2"), base_unit("in")) == (("g", 3), ("m2", -6), ("in", 0))
    assert (currency_name("руб."), currency_name("$"), currency_name("гривен")) == ("₽", "$", "₴")
    assert [multiplier_exponent(word) for word in ("тыс", "к", "thousand", "млн", "million", "млрд")] == [
        3, 3, 3, 6, 6, 9,
    ]  # fmt: skip

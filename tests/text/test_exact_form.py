"""The exact form: which differences keep two texts exact copies."""

from __future__ import annotations

import pytest

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.exact_form import accents_of

EQUAL = """
Продам гараж                     | продам ГАРАЖ
Продам гараж                     | Продам   гараж!!!
Продам гараж, торг. Звоните      | «Продам» гараж — торг; (звоните…)
Ещё ёлка                         | еще елка
Продам гараж                     | <p>Продам <b>гараж</b></p>
Продам гараж                     | Про\u200bдам га\u00adраж
Продам гараж                     | Продам\u00a0гараж
Мой йод                          | Мои\u0306 и\u0306од
Пpoдaм гapaж                     | Продам гараж
Стойка АВС, бук                  | Стойка ABC, бук
Sеlling а grеy sofа              | Selling a grey sofa
Про\u034fдам га\u034fраж           | Продам гараж
Cafe\u0301 au\u034f lait            | Café au lait
Café crème                       | CAFE\u0301 CRE\u0300ME
"""
DIFFERENT = """
Продам гараж                     | Продам гаражи
Морозов, врач                    | Морозова, врач
5 кг муки                        | 5000 г муки
Торт за 1.5                      | Торт за 15
Торт за 1,5                      | Торт за 1.5
Игра до +5                       | Игра до -5
C++ разработчик                  | C# разработчик
Kuchen in Köln                   | Küchen in Köln
dưa hấu                          | dừa hấu
Гараж ✅                         | Гараж ❌
два стула                        | 2 стула
5а                               | 5б
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize("row", rows(EQUAL), ids=lambda row: row[1])
def test_exact_copies(row: list[str]) -> None:
    a, b = map(CanonicalText, row)
    assert a.exact_digest == b.exact_digest


@pytest.mark.parametrize("row", rows(DIFFERENT), ids=lambda row: row[1])
def test_no_exact_copies(row: list[str]) -> None:
    a, b = map(CanonicalText, row)
    assert a.exact_digest != b.exact_digest


@pytest.mark.parametrize(
    ("text", "accents"),
    [
        ("", ""),
        ("Мой ёж, її", ""),
        ("ÉCOLE à côté", "éàôé"),
        ("e\u0301", "é"),
        ("İstanbul", ""),
        ("straße", ""),
    ],
)
def test_accents(text: str, accents: str) -> None:
    assert accents_of(text) == accents

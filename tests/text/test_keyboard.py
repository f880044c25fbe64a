"""Slips of the pen."""

from __future__ import annotations

import pytest

from django_neardup.text.alignment.keyboard import is_slip, is_swap_or_double

SLIPS = """
door doro | door dooor | door doorr | table tabel | дом ддом | гараж гарааж | стол сотл
bike bke | bike biike | bike bijke | house nouse | диван ливан | bicycle bacycle
"""
OTHER = """
car can | cat ct | дом том | table cable | стол стул | bike bieks | гараж паром | door rood | house houses1
"""
SWAPPED_OR_DOUBLED = "door doro | гараж гарааж | стол сотл | dor door"
NEITHER = "bike bke | диван ливан | door rood | bicycle bacycle | дом мод"


def pairs(table: str) -> list[list[str]]:
    rows = (pair.split() for line in table.strip().splitlines() for pair in line.split("|"))
    return [pair * 2 if len(pair) == 1 else pair for pair in rows]


@pytest.mark.parametrize("pair", pairs(SLIPS), ids=" ".join)
def test_slips(pair: list[str]) -> None:
    assert is_slip(*pair)
    assert is_slip(*reversed(pair))


@pytest.mark.parametrize("pair", [*pairs(OTHER), ["дом", "дом"], ["", ""], ["", "а"]], ids=" ".join)
def test_no_slips(pair: list[str]) -> None:
    assert not is_slip(*pair)
    assert not is_slip(*reversed(pair))


@pytest.mark.parametrize("pair", pairs(SWAPPED_OR_DOUBLED), ids=" ".join)
def test_swapped_and_doubled_letters(pair: list[str]) -> None:
    assert is_swap_or_double(*pair)
    assert is_swap_or_double(*reversed(pair))


@pytest.mark.parametrize("pair", pairs(NEITHER), ids=" ".join)
def test_neither_swapped_nor_doubled(pair: list[str]) -> None:
    assert not is_swap_or_double(*pair)
    assert not is_swap_or_double(*reversed(pair))

"""Words in two scripts."""

from __future__ import annotations

import pytest

from django_neardup.text.alignment.transliteration import sounds_alike

ALIKE = """
тойота toyota | самсунг samsung | филипс philips | бош bosch | вольво volvo | шкода skoda | мерседес mercedes
харьков kharkov | смирнов smirnov
"""
OTHER = """
тойота nissan | самсунг sony | ока oka1 | рок rock1 | киа audi | санта volvo
toyota toyota | тойота тойота | samsung sumsung
"""


def pairs(table: str) -> list[list[str]]:
    return [pair.split() for line in table.strip().splitlines() for pair in line.split("|")]


@pytest.mark.parametrize("pair", pairs(ALIKE), ids=" ".join)
def test_one_name(pair: list[str]) -> None:
    assert sounds_alike(*pair)
    assert sounds_alike(*reversed(pair))


@pytest.mark.parametrize("pair", pairs(OTHER), ids=" ".join)
def test_two_names_or_one_script(pair: list[str]) -> None:
    assert not sounds_alike(*pair)
    assert not sounds_alike(*reversed(pair))

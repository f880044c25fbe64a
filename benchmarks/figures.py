"""What a benchmark measures: figures with bounds, by the rows that measure them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

COMPARISONS = {"<=": operator.le, ">=": operator.ge}
_DIGITS = re.compile(r"(\d+)")


class NotMeasured(Exception):
    """A row or a part of it cannot be measured here; the message says why: a peer is not installed, a program lacks."""


@dataclass(frozen=True)
class Figure:
    """One measured value of a row.

    `row`: the row's number and the figure's own place in it, "8.2".  `must` and `stretch` are bounds such as "<= 1.0",
    None where there is none.  A `name` that ends with " at N" (N a number of documents, 1,000,000) is a point of a
    curve, which the page draws; figures of one row that have one unit and no bound are drawn as bars beside each other.
    """

    row: str
    name: str
    value: float
    unit: str
    must: str | None = None
    stretch: str | None = None

    @property
    def met(self) -> bool | None:
        """Whether the value keeps to `must`; None where nothing is demanded."""
        return None if self.must is None else holds(self.must, self.value)


def holds(bound: str, value: float) -> bool:
    """Whether a value keeps to a bound: an operator, a space, a number."""
    sign, limit = bound.split()
    return bool(COMPARISONS[sign](value, float(limit)))


class Sizes(NamedTuple):
    """How much is measured.

    `rounds` a median is taken of; `saves` in a round; `texts` of one batch; `cold`: posts of a process that starts
    cold; `lookups` a percentile is taken of; `collection`: documents that peers index; `growth`: documents at the
    three points of a curve, the last of them the full collection.
    """

    rounds: int = 7
    saves: int = 200
    texts: int = 1000
    cold: int = 5000
    lookups: int = 1000
    collection: int = 100_000
    growth: tuple[int, int, int] = (10_000, 100_000, 1_000_000)
    quick: bool = False


FULL = Sizes()
QUICK = Sizes(1, 2, 20, 30, 5, 200, (100, 200, 400), quick=True)

Bar = Callable[[str, int], AbstractContextManager[Any]]
"""A progress bar of that title and that many steps: a context manager whose value has ``update(steps)``."""

Measure = Callable[[Sizes, Bar], Iterator[Figure]]


@dataclass(frozen=True)
class Row:
    """Figures that are measured in one go. `number`: "12", or a name; `measure` yields figures "12.1", "12.2" ..."""

    number: str
    title: str
    measure: Measure

    @property
    def described(self) -> str:
        """What is measured and how, peers among it: the docstring."""
        return " ".join((self.measure.__doc__ or "").split())


_rows: dict[str, Row] = {}


def row(number: str, title: str) -> Callable[[Measure], Measure]:
    """Decorator: the function measures the row of that number.  Its docstring says what is measured, peers among it."""

    def known(measure: Measure) -> Measure:
        if number in _rows:
            raise ValueError(f"two rows {number}")
        _rows[number] = Row(number, title, measure)
        return measure

    return known


def rows() -> dict[str, Row]:
    """Every row by its number: numbers first, then names."""
    return {number: _rows[number] for number in sorted(_rows, key=order)}


def order(number: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key of a row's or a figure's number: 2 before 10, numbers before names."""
    parts = (part for part in _DIGITS.split(number) if part not in ("", "."))
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts)


def row_of(number: str) -> str:
    """The row that a figure's number belongs to: "8" of "8.2", "save" of "save.3"."""
    return number.partition(".")[0]


def rounded(value: float) -> float:
    """Four significant digits, or all of a whole number."""
    return float(f"{value:.4g}") if abs(value) < 1000 else float(round(value))

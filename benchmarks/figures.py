"""What a benchmark measures: figures with bounds, by the rows that measure them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

COMPARISONS = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True)
class Figure:
    """One measured value. ``must`` and ``stretch`` are bounds such as "<= 1.0"; None where there is none."""

    name: str
    value: float
    unit: str
    must: str | None = None
    stretch: str | None = None

    @property
    def met(self) -> bool | None:
        """Whether the value keeps to ``must``; None where nothing is demanded."""
        return None if self.must is None else holds(self.must, self.value)


def holds(bound: str, value: float) -> bool:
    """Whether a value keeps to a bound: an operator, a space, a number."""
    sign, limit = bound.split()
    return bool(COMPARISONS[sign](value, float(limit)))


class Sizes(NamedTuple):
    """How much is measured: rounds, and saves a round."""

    rounds: int = 7
    saves: int = 200


Bar = Callable[[str, int], AbstractContextManager[Any]]
"""A progress bar of that title and that many steps: a context manager whose value has ``update(steps)``."""

Row = Callable[[Sizes, Bar], Iterator[Figure]]
_rows: dict[str, Row] = {}


def row(measure: Row) -> Row:
    """Decorator: the function is a row, by its own name; its docstring's first line says what it measures."""
    _rows[measure.__name__.replace("_", "-")] = measure
    return measure


def rows() -> dict[str, Row]:
    """Every row by its name, in the order in which they were written."""
    return dict(_rows)


def described(measure: Row) -> str:
    """A line that says what a row measures."""
    return (measure.__doc__ or "").strip().splitlines()[0]

"""Long lists, cut so that every database takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

PORTION = 500
"""Values in one list of a statement: old releases of SQLite refuse more than 999 parameters."""


def portions(values: Sequence[T], size: int = PORTION) -> Iterator[Sequence[T]]:
    """The values, so many at a time."""
    return (values[start : start + size] for start in range(0, len(values), size))

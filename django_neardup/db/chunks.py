"""Long lists in chunks that every database accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

CHUNK_SIZE = 500
"""Values in one list of a statement. Old releases of SQLite refuse more than 999 parameters."""


def chunked(values: Sequence[T], size: int = CHUNK_SIZE) -> Iterator[Sequence[T]]:
    """Split the values into chunks of ``size``."""
    return (values[start : start + size] for start in range(0, len(values), size))

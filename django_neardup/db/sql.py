"""Raw SQL for all databases. Statements quote names with double quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import models

from .backends import get_backend
from .backends.base import Row
from .chunks import CHUNK_SIZE, chunked

M = TypeVar("M", bound=models.Model)
R = TypeVar("R")


def fetch_all(using: str, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Run a statement and return its rows."""
    return get_backend(using).fetch_all(statement, parameters)


def execute(using: str, statement: str, parameters: Sequence[Any] = ()) -> int:
    """Run a statement and return the number of affected rows."""
    return get_backend(using).execute(statement, parameters)


def execute_many(using: str, statement: str, parameter_sets: Sequence[Sequence[Any]]) -> None:
    """Run a statement once for each set of parameters."""
    get_backend(using).execute_many(statement, parameter_sets)


def fetch_all_in(using: str, statement: str, values: Iterable[int], *leading_values: Any) -> list[Row]:
    """Run a statement with the list ``IN ({})`` and return its rows.

    ``leading_values`` are the parameters before the list. Long lists are split over several statements.
    """
    backend = get_backend(using)
    rows: list[Row] = []
    for chunk in chunked(list(values)):
        chunk_statement, parameters = backend.with_list(statement, chunk)
        rows += backend.fetch_all(chunk_statement, [*leading_values, *parameters])
    return rows


def fetch_union_in(using: str, statement: str, values: Iterable[int], *leading_values: Any) -> list[Row]:
    """Run a union of two SELECTs and return its rows without repetitions.

    Both contain the same list ``IN ({})`` and, before it, the same parameters ``leading_values``.
    """
    backend = get_backend(using)
    rows: list[Row] = []
    # The list stands in the statement twice.
    for chunk in chunked(list(values), CHUNK_SIZE // 2):
        chunk_statement, parameters = backend.with_list(statement, chunk)
        rows += backend.fetch_all(chunk_statement, [*leading_values, *parameters] * 2)
    return list(dict.fromkeys(rows))


def filter_in_chunks(
    queryset: models.QuerySet[M, R], field: str, values: Iterable[Any]
) -> Iterator[models.QuerySet[M, R]]:
    """Yield querysets of the rows that have one of the values in a field, one for each chunk of values."""
    return (queryset.filter(**{f"{field}__in": chunk}) for chunk in chunked(list(values)))

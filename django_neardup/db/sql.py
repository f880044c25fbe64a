"""Raw SQL for all databases. Statements quote names with double quotes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from .chunks import CHUNK_SIZE, chunked

T = TypeVar("T")
M = TypeVar("M", bound=models.Model)
R = TypeVar("R")


def array_literal(numbers: Sequence[int]) -> str:
    """Format numbers as a PostgreSQL array. All drivers send text alike, and none is faster with a list."""
    return f"{{{str(list(numbers))[1:-1]}}}"


def fetch_all(using: str, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_quote_for_vendor(connection, statement), parameters)
        return list(cursor.fetchall())


def execute(using: str, statement: str, parameters: Sequence[Any] = ()) -> int:
    """Run a statement and return the number of affected rows."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_quote_for_vendor(connection, statement), parameters)
        return cursor.rowcount  # type: ignore[no-any-return]


def execute_many(using: str, statement: str, parameter_sets: Sequence[Sequence[Any]]) -> None:
    """Run a statement once for each set of parameters."""
    if len(parameter_sets) == 1:
        execute(using, statement, parameter_sets[0])
    elif parameter_sets:
        with connections[using].cursor() as cursor:
            cursor.executemany(_quote_for_vendor(connections[using], statement), parameter_sets)


def fetch_all_in(
    using: str, statement: str, values: Iterable[int], *leading_values: Any
) -> list[tuple[Any, ...]]:
    """Run a statement with the list ``IN ({})`` and return its rows.

    ``leading_values`` are the parameters before the list. Long lists are split over several statements.
    """
    rows: list[tuple[Any, ...]] = []
    for chunk in chunked(list(values)):
        chunk_statement, parameters = _with_list(using, statement, chunk)
        rows += fetch_all(using, chunk_statement, [*leading_values, *parameters])
    return rows


def fetch_union_in(
    using: str, statement: str, values: Iterable[int], *leading_values: Any
) -> list[tuple[Any, ...]]:
    """Run a union of two SELECTs and return its rows without repetitions.

    Both contain the same list ``IN ({})`` and, before it, the same parameters ``leading_values``.
    """
    rows: list[tuple[Any, ...]] = []
    # The list stands in the statement twice.
    for chunk in chunked(list(values), CHUNK_SIZE // 2):
        chunk_statement, parameters = _with_list(using, statement, chunk)
        rows += fetch_all(using, chunk_statement, [*leading_values, *parameters] * 2)
    return list(dict.fromkeys(rows))


def _with_list(using: str, statement: str, values: Sequence[int]) -> tuple[str, Sequence[Any]]:
    """Return the statement with the numbers in place of every ``IN ({})``, and the parameters of one list."""
    # One parameter: the drivers write it faster than hundreds.
    if vendor(using) == "postgresql":
        return statement.replace("IN ({})", "= ANY(%s::bigint[])"), [array_literal(values)]
    return statement.replace("{}", placeholders(len(values))), values


def stream_rows(queryset: models.QuerySet[Any], using: str, size: int) -> Iterable[Any]:
    """Read a queryset in chunks of ``size`` rows, for a caller that writes at the same time."""
    # SQLite reads all rows first. A half-read SELECT keeps its snapshot, and after a write of another process
    # no write is allowed from that snapshot.
    return list(queryset) if vendor(using) == "sqlite" else queryset.iterator(chunk_size=size)


def insert_rows(
    using: str,
    table: str,
    columns: Sequence[str],
    value_rows: Sequence[Sequence[Any]],
    json_columns: Collection[str] = (),
) -> None:
    """Insert rows. Values of ``json_columns`` are JSON as text."""
    if not value_rows:
        return
    if vendor(using) == "postgresql":
        _insert_as_json(using, table, columns, value_rows, json_columns)
    else:
        statement = f'INSERT INTO "{table}" ({quoted_columns(columns)}) VALUES ({placeholders(len(columns))})'
        execute_many(using, statement, value_rows)


def _insert_as_json(
    using: str,
    table: str,
    columns: Sequence[str],
    value_rows: Sequence[Sequence[Any]],
    json_columns: Collection[str],
) -> None:
    """Insert rows on PostgreSQL.

    All rows are one JSON parameter; values that all rows share are sent once.
    """
    # Drivers need longer to write hundreds of parameters than PostgreSQL needs to insert the rows.
    shared = {name: values[0] for name, *values in zip(columns, *value_rows) if len({*values}) == 1}
    varying = [(position, name) for position, name in enumerate(columns) if name not in shared]
    rows = json.dumps(
        [{name: row[position] for position, name in varying} for row in value_rows], default=str
    )
    expressions = [
        f"(\"{name}\" #>> '{{}}')::jsonb" if name in json_columns else f'"{name}"' for _, name in varying
    ]
    execute(
        using,
        f'INSERT INTO "{table}" ({quoted_columns([*shared, *(name for _, name in varying)])}) '
        f"SELECT {', '.join(['%s'] * len(shared) + expressions)} "
        f'FROM jsonb_populate_recordset(NULL::"{table}", %s)',
        [*shared.values(), rows],
    )


def filter_in_chunks(
    queryset: models.QuerySet[M, R], field: str, values: Iterable[Any]
) -> Iterator[models.QuerySet[M, R]]:
    """Yield querysets of the rows that have one of the values in a field, one for each chunk of values."""
    return (queryset.filter(**{f"{field}__in": chunk}) for chunk in chunked(list(values)))


def quoted_columns(names: Iterable[str]) -> str:
    """Return column names, quoted and separated by commas."""
    return ", ".join(f'"{name}"' for name in names)


def placeholders(count: int) -> str:
    """Return placeholders for a list of ``count`` values."""
    return ", ".join(["%s"] * count)


def vendor(using: str) -> str:
    """Return "sqlite", "postgresql" or "mysql". MariaDB is "mysql" too."""
    return connections[using].vendor


def supports_skip_locked(using: str) -> bool:
    """Return whether the database can skip rows that are locked elsewhere when it locks rows."""
    return bool(connections[using].features.has_select_for_update_skip_locked)


def binary_parameter(using: str, data: bytes) -> Any:
    """Wrap bytes as a parameter."""
    return connections[using].Database.Binary(data)  # type: ignore[attr-defined]


def _quote_for_vendor(connection: BaseDatabaseWrapper, statement: str) -> str:
    return statement.replace('"', "`") if connection.vendor == "mysql" else statement

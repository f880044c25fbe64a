"""Statements without model objects: written with double quotes around names, run on any of the databases."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from ..portions import PORTION, portions
from ..storage.postgresql import array

T = TypeVar("T")
M = TypeVar("M", bound=models.Model)
R = TypeVar("R")


def rows(using: str, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What the statement reads."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_quoted(connection, statement), values)
        return list(cursor.fetchall())


def execute(using: str, statement: str, values: Sequence[Any] = ()) -> int:
    """Rows that the statement found to write."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_quoted(connection, statement), values)
        return cursor.rowcount  # type: ignore[no-any-return]


def execute_many(using: str, statement: str, many: Sequence[Sequence[Any]]) -> None:
    """The statement once for each of many."""
    if len(many) == 1:
        execute(using, statement, many[0])
    elif many:
        with connections[using].cursor() as cursor:
            cursor.executemany(_quoted(connections[using], statement), many)


def rows_in(using: str, statement: str, values: Iterable[int], *before: Any) -> list[tuple[Any, ...]]:
    """What a statement reads that holds one list, its ``IN ({})``, and before it parameters of its own."""
    found: list[tuple[Any, ...]] = []
    for portion in portions(list(values)):
        asked, listed = _listed(using, statement, portion)
        found += rows(using, asked, [*before, *listed])
    return found


def rows_either(using: str, statement: str, values: Iterable[int], *before: Any) -> list[tuple[Any, ...]]:
    """What a union of two reads that each hold the same list, ``IN ({})``, and before it the same parameters; a row
    that both of them find comes once."""
    found: list[tuple[Any, ...]] = []
    for portion in portions(list(values), PORTION // 2):
        asked, listed = _listed(using, statement, portion)
        found += rows(using, asked, [*before, *listed] * 2)
    return list(dict.fromkeys(found))


def _listed(using: str, statement: str, values: Sequence[int]) -> tuple[str, Sequence[Any]]:
    """The statement with those numbers in place of every ``IN ({})``, and the parameters of each: PostgreSQL takes
    them as one, which its drivers write sooner than hundreds."""
    if vendor(using) == "postgresql":
        return statement.replace("IN ({})", "= ANY(%s::bigint[])"), [array(values)]
    return statement.replace("{}", holes(len(values))), values


def streamed(queryset: models.QuerySet[Any], using: str, size: int) -> Iterable[Any]:
    """What a queryset reads, so many at a time, for a caller that writes meanwhile. SQLite gives all of it first: a
    SELECT that is half read keeps its snapshot, behind which nobody may write once others have."""
    return list(queryset) if vendor(using) == "sqlite" else queryset.iterator(chunk_size=size)


def insert(
    using: str,
    table: str,
    columns: Sequence[str],
    many: Sequence[Sequence[Any]],
    documents: Collection[str] = (),
) -> None:
    """Add those rows; ``documents``: columns of JSON, which is given as text."""
    if not many:
        return
    if vendor(using) == "postgresql":
        _insert_at_once(using, table, columns, many, documents)
    else:
        statement = f'INSERT INTO "{table}" ({named(columns)}) VALUES ({holes(len(columns))})'
        execute_many(using, statement, many)


def _insert_at_once(
    using: str,
    table: str,
    columns: Sequence[str],
    many: Sequence[Sequence[Any]],
    documents: Collection[str],
) -> None:
    """The rows as one parameter, as drivers need longer for hundreds of them than PostgreSQL does; beside it, once,
    what is alike in all of them."""
    alike = {name: values[0] for name, *values in zip(columns, *many) if len({*values}) == 1}
    own = [(place, name) for place, name in enumerate(columns) if name not in alike]
    rows = json.dumps([{name: row[place] for place, name in own} for row in many], default=str)
    taken = [f"(\"{name}\" #>> '{{}}')::jsonb" if name in documents else f'"{name}"' for _, name in own]
    execute(
        using,
        f'INSERT INTO "{table}" ({named([*alike, *(name for _, name in own)])}) '
        f"SELECT {', '.join(['%s'] * len(alike) + taken)} "
        f'FROM jsonb_populate_recordset(NULL::"{table}", %s)',
        [*alike.values(), rows],
    )


def among(
    queryset: models.QuerySet[M, R], field: str, values: Iterable[Any]
) -> Iterator[models.QuerySet[M, R]]:
    """The rows where that field holds one of the values, so many values a queryset."""
    return (queryset.filter(**{f"{field}__in": some}) for some in portions(list(values)))


def named(names: Iterable[str]) -> str:
    """Names of columns, with commas."""
    return ", ".join(f'"{name}"' for name in names)


def holes(number: int) -> str:
    """Placeholders of a list."""
    return ", ".join(["%s"] * number)


def vendor(using: str) -> str:
    """ "sqlite", "postgresql" or "mysql" (MariaDB too)."""
    return connections[using].vendor


def skips_locked(using: str) -> bool:
    """Whether rows can be locked without waiting for those that others hold."""
    return bool(connections[using].features.has_select_for_update_skip_locked)


def binary(using: str, data: bytes) -> Any:
    """Bytes as a parameter."""
    return connections[using].Database.Binary(data)  # type: ignore[attr-defined]


def _quoted(connection: BaseDatabaseWrapper, statement: str) -> str:
    return statement.replace('"', "`") if connection.vendor == "mysql" else statement

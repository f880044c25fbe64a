"""Column types whose meaning must be the same on every database."""

from __future__ import annotations

import json
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class ExactCharField(models.CharField):  # type: ignore[type-arg]
    """Text compared byte by byte: MariaDB's default collation takes "a" and "A" for one key."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        column = super().db_type(connection)
        if connection.vendor == "mysql" and column:
            return f"{column} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        return column


class DigestField(models.CharField):  # type: ignore[type-arg]
    """A 128-bit digest in 32 hexadecimal digits, empty where there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 32)
        kwargs.setdefault("default", "")
        kwargs.setdefault("blank", True)
        super().__init__(*args, **kwargs)


class KeysField(models.Field):  # type: ignore[type-arg]
    """64-bit numbers: an array on PostgreSQL, and text, which stays empty, elsewhere. Read and written in SQL alone."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return {"postgresql": "bigint[]", "mysql": "longtext"}.get(connection.vendor, "text")

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj))


def _milliseconds(number: Any) -> Any:
    """A number of a clock: Django takes any for one of 32 bits, and a month has more milliseconds than fit."""
    return models.Value(number, models.BigIntegerField()) if isinstance(number, int) else number


class DatabaseClock(models.Func):
    """Now by the database's own clock, in whole milliseconds since 1970: leases trust no worker's clock or zone.

    MariaDB tells the moment at which the statement began: only that it tells in UTC, and the time of a session's zone
    has an hour that comes twice."""

    output_field = models.BigIntegerField()
    arity = 0

    def __add__(self, other: Any) -> Any:
        return super().__add__(_milliseconds(other))

    def __sub__(self, other: Any) -> Any:
        return super().__sub__(_milliseconds(other))

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)", ()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:
        return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", []

    def as_mysql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000", []


CLOCK_SQL = {
    "sqlite": DatabaseClock().as_sqlite(None, None)[0],
    "postgresql": DatabaseClock().as_postgresql(None, None)[0],
    "mysql": DatabaseClock().as_mysql(None, None)[0],
}

"""Column types with the same meaning on every database."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from ..db.backends import get_backend


class ExactCharField(models.CharField):  # type: ignore[type-arg]
    """Text compared byte by byte. In MariaDB's default collation "a" equals "A"."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        column = super().db_type(connection)
        return get_backend(connection.alias).exact_text_type(column) if column else column


class DigestField(models.CharField):  # type: ignore[type-arg]
    """A 128-bit digest as 32 hexadecimal digits, or empty."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 32)
        kwargs.setdefault("default", "")
        kwargs.setdefault("blank", True)
        super().__init__(*args, **kwargs)


def _to_big_integer(number: Any) -> Any:
    """Wrap an integer as a 64-bit value."""
    # Django takes any integer for one of 32 bits, but the milliseconds of a month do not fit into 32 bits.
    return models.Value(number, models.BigIntegerField()) if isinstance(number, int) else number


class DatabaseClock(models.Func):
    """The current time by the database's clock, in whole milliseconds since 1970.

    Leases do not depend on the clock or time zone of a worker.
    """

    output_field = models.BigIntegerField()
    arity = 0

    def __add__(self, other: Any) -> Any:
        return super().__add__(_to_big_integer(other))

    def __sub__(self, other: Any) -> Any:
        return super().__sub__(_to_big_integer(other))

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:  # type: ignore[override]
        return get_backend(connection.alias).clock, ()

"""A SQL expression for the key of a post as its document stores it. Indexes stay usable."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.db.models import CharField, Func, UUIDField
from django.db.models.sql.compiler import SQLCompiler

from .backends import get_backend

Sql: TypeAlias = tuple[str, tuple[Any, ...]]

UUID_PARTS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
"""Start (from 1) and length of each part of a UUID within its 32 digits."""


def is_uuid_without_type(field: Any, connection: Any) -> bool:
    """Return whether the field stores a UUID as 32 digits.

    That is so if the database has no UUID type, or if the site's column has another type.
    """
    return isinstance(field, UUIDField) and field.db_type(connection) != "uuid"


class DocumentKey(Func):
    """A non-integer key as text. UUIDs have hyphens and lower case letters."""

    arity = 1

    def __init__(self, value: Any, key_field: Any) -> None:
        super().__init__(value, output_field=CharField())
        self.key_field = key_field

    def as_sql(self, compiler: SQLCompiler, connection: Any, **extra: Any) -> Sql:  # type: ignore[override]
        sql, values = compiler.compile(self.source_expressions[0])
        text_sql, repetitions = self._text_sql(sql, connection), 1
        if is_uuid_without_type(self.key_field, connection):
            # The key's SQL appears once for each part, so its parameters do too.
            repetitions = len(UUID_PARTS)
        return get_backend(connection.alias).exact_text(text_sql), (*values,) * repetitions

    def _text_sql(self, sql: str, connection: Any) -> str:
        if not isinstance(self.key_field, UUIDField):
            return sql
        backend = get_backend(connection.alias)
        if not is_uuid_without_type(self.key_field, connection):
            return backend.text_of_uuid(sql)
        return backend.joined([f"SUBSTR({sql}, {start}, {length})" for start, length in UUID_PARTS], "-")

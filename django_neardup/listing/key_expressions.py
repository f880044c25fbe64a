"""From a post's key to its document and back, in SQL, so that an index serves either way."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from django.db import connections
from django.db.models import CharField, Expression, F, Field, Func, IntegerField, Model, UUIDField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler

from ..pipeline.content_objects import content_type_of
from ..querysets import pk_field
from ..visibility import GroupingError

Sql: TypeAlias = tuple[str, tuple[Any, ...]]
KeyFieldType: TypeAlias = "type[Field[Any, Any]]"

UUID_PARTS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
"""Where the parts of a UUID begin in its 32 digits, and how long they are."""


def is_uuid_without_type(field: Any, connection: Any) -> bool:
    """Whether that field holds a UUID as 32 digits: the database has no type for it, or the site's column another."""
    return isinstance(field, UUIDField) and field.db_type(connection) != "uuid"


def key_field_type(model: type[Model]) -> KeyFieldType:
    """IntegerField, UUIDField or CharField; ``GroupingError`` for a primary key of any other kind."""
    key = pk_field(model)
    for kind in (IntegerField, UUIDField, CharField):
        if isinstance(key, kind):
            return kind
    raise GroupingError(
        f"{model._meta.label} has a primary key of the kind {type(key).__name__}: collapse() takes integers, "
        "UUIDs and CharFields. Group a ready list instead, by group()."
    )


def membership_filter(model: type[Model], key: Combinable) -> dict[str, Any]:
    """What a membership must fulfil to be that of the post with this key."""
    column = "object_key" if key_field_type(model) is IntegerField else "object_id"
    return {"content_type_id": ContentTypeId(model), column: document_key(model, key)}


def document_key(model: type[Model], key: Combinable) -> Combinable:
    """A post's key as documents hold it: numbers in ``object_key``, all else in ``object_id``."""
    return key if key_field_type(model) is IntegerField else DocumentKey(key, pk_field(model))


def post_key(model: type[Model]) -> Combinable:
    """The key, as the posts' table holds it, of the post that a membership stands for."""
    if key_field_type(model) is IntegerField:
        return F("object_key")
    return PostKey(F("object_id"), model)


class ContentTypeId(Expression):
    """The content type of a model, in whichever database the statement is run."""

    def __init__(self, model: type[Model]) -> None:
        super().__init__(output_field=IntegerField())
        self.model = model

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Sql:
        return "%s", (content_type_of(self.model, connection.alias).pk,)


class DocumentKey(Func):
    """A key that is no number, as text; a UUID hyphenated, in small letters."""

    arity = 1

    def __init__(self, value: Any, key_field: Any) -> None:
        super().__init__(value, output_field=CharField())
        self.key_field = key_field

    def as_sql(self, compiler: SQLCompiler, connection: Any, **extra: Any) -> Sql:  # type: ignore[override]
        sql, values = compiler.compile(self.source_expressions[0])
        made, times = self._text_sql(sql, connection), 1
        if is_uuid_without_type(self.key_field, connection):
            times = len(UUID_PARTS)
        if connection.vendor == "mysql":
            made = f"CONVERT({made} USING utf8mb4) COLLATE utf8mb4_bin"
        return made, (*values,) * times

    def _text_sql(self, sql: str, connection: Any) -> str:
        if not isinstance(self.key_field, UUIDField):
            return sql
        if not is_uuid_without_type(self.key_field, connection):
            return f"({sql})::text" if connection.vendor == "postgresql" else f"CAST({sql} AS CHAR(36))"
        parts = [f"SUBSTR({sql}, {start}, {length})" for start, length in UUID_PARTS]
        return (
            f"CONCAT_WS('-', {', '.join(parts)})"
            if connection.vendor == "mysql"
            else " || '-' || ".join(parts)
        )


class PostKey(Func):
    """A document's ``object_id`` as the posts' table holds it, in that column's own collation."""

    arity = 1

    def __init__(self, document_key: Any, model: type[Model]) -> None:
        super().__init__(document_key, output_field=CharField())
        self.column = model._meta.db_table, model._meta.pk.column
        self.key_field = pk_field(model)

    def as_sql(self, compiler: SQLCompiler, connection: Any, **extra: Any) -> Sql:  # type: ignore[override]
        text = self.source_expressions[0]
        digits = is_uuid_without_type(self.key_field, connection)
        if isinstance(self.key_field, UUIDField) and not digits:
            sql, values = compiler.compile(Cast(text, UUIDField()))
            return sql, (*values,)
        sql, values = compiler.compile(text)
        if digits:
            sql = f"REPLACE({sql}, '-', '')"
        if connection.vendor == "mysql":
            charset, collation = _column_collation(connection.alias, *self.column)
            sql = f"CONVERT({sql} USING {charset}) COLLATE {collation}"
        return sql, (*values,)


@cache
def _column_collation(alias: str, table: str, column: str) -> tuple[str, str]:
    """Character set and collation of a column: an index is of no use to a comparison in another one."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT character_set_name, collation_name FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = %s AND column_name = %s",
            [table, column],
        )
        found: tuple[str, str] = cursor.fetchone()
    return found

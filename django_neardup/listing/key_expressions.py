"""SQL expressions that convert a post's key to its document's key and back. Indexes stay usable both ways."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.db.models import CharField, Expression, F, Field, Func, IntegerField, Model, UUIDField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler

from ..db.backends import get_backend
from ..pipeline.content_objects import content_type_of
from ..querysets import pk_field
from ..visibility import GroupingError

Sql: TypeAlias = tuple[str, tuple[Any, ...]]
KeyFieldType: TypeAlias = "type[Field[Any, Any]]"

UUID_PARTS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
"""Start (from 1) and length of each part of a UUID within its 32 digits."""


def is_uuid_without_type(field: Any, connection: Any) -> bool:
    """Return whether the field stores a UUID as 32 digits.

    That is so if the database has no UUID type, or if the site's column has another type.
    """
    return isinstance(field, UUIDField) and field.db_type(connection) != "uuid"


def key_field_type(model: type[Model]) -> KeyFieldType:
    """Return IntegerField, UUIDField or CharField.

    Raise ``GroupingError`` if the primary key is of another kind.
    """
    key = pk_field(model)
    for field_type in (IntegerField, UUIDField, CharField):
        if isinstance(key, field_type):
            return field_type
    raise GroupingError(
        f"{model._meta.label} has a primary key of the kind {type(key).__name__}: collapse() takes integers, "
        "UUIDs and CharFields. Group a ready list instead, by group()."
    )


def membership_filter(model: type[Model], key: Combinable) -> dict[str, Any]:
    """Return the filter for the membership of the post with this key."""
    column = "object_key" if key_field_type(model) is IntegerField else "object_id"
    return {"content_type_id": ContentTypeId(model), column: document_key(model, key)}


def document_key(model: type[Model], key: Combinable) -> Combinable:
    """Return a post's key as documents store it: integers in ``object_key``, other keys in ``object_id``."""
    return key if key_field_type(model) is IntegerField else DocumentKey(key, pk_field(model))


def post_key(model: type[Model]) -> Combinable:
    """Return the key of a membership's post as the posts' table stores it."""
    if key_field_type(model) is IntegerField:
        return F("object_key")
    return PostKey(F("object_id"), model)


class ContentTypeId(Expression):
    """The id of a model's content type in the database that runs the statement."""

    def __init__(self, model: type[Model]) -> None:
        super().__init__(output_field=IntegerField())
        self.model = model

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Sql:
        return "%s", (content_type_of(self.model, connection.alias).pk,)


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


class PostKey(Func):
    """A document's ``object_id`` as the posts' table stores it, in the collation of its key column."""

    arity = 1

    def __init__(self, document_key: Any, model: type[Model]) -> None:
        super().__init__(document_key, output_field=CharField())
        self.column = model._meta.db_table, model._meta.pk.column
        self.key_field = pk_field(model)

    def as_sql(self, compiler: SQLCompiler, connection: Any, **extra: Any) -> Sql:  # type: ignore[override]
        text = self.source_expressions[0]
        is_digits = is_uuid_without_type(self.key_field, connection)
        if isinstance(self.key_field, UUIDField) and not is_digits:
            sql, values = compiler.compile(Cast(text, UUIDField()))
            return sql, (*values,)
        sql, values = compiler.compile(text)
        if is_digits:
            sql = f"REPLACE({sql}, '-', '')"
        return get_backend(connection.alias).like_column(sql, *self.column), (*values,)

"""SQL expressions that convert a post's key to its document's key and back. Indexes stay usable both ways."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.db.models import CharField, Expression, F, Field, Func, IntegerField, Model, UUIDField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.db.models.sql.compiler import SQLCompiler

from ..db.backends import get_backend
from ..db.document_key import DocumentKey, Sql, is_uuid_without_type
from ..pipeline.content_objects import content_type_of
from ..querysets import pk_field
from ..visibility import GroupingError

KeyFieldType: TypeAlias = "type[Field[Any, Any]]"


def key_field_type(model: type[Model]) -> KeyFieldType:
    """Return IntegerField, UUIDField or CharField.

    Raise ``GroupingError`` if the primary key is of another kind.
    """
    key = pk_field(model)
    for field_type in (IntegerField, UUIDField, CharField):
        if isinstance(key, field_type):
            return field_type
    raise GroupingError(
        f"{model._meta.label} has a primary key of the type {type(key).__name__}, but collapse() supports only "
        "integers, UUIDs and CharFields. Use group() on a list instead."
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

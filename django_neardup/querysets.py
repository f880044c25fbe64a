"""Helpers for fields, primary keys and filters of querysets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import models
from django.db.models import Model, QuerySet
from django.db.models.sql import Query

from .db.chunks import chunked


def field_value(instance: Any, name: str) -> Any:
    """Return an attribute of the object.

    Return None for a relation that is not set yet on an unsaved object, and for a field that is not
    translated.
    """
    try:
        return getattr(instance, name)
    except ObjectDoesNotExist as error:
        if instance._state.adding or _is_missing_translation(error):
            return None
        raise


def _is_missing_translation(error: ObjectDoesNotExist) -> bool:
    """Return whether an object of django-parler has no translation: neither in the language nor in another."""
    return any(base.__name__ == "TranslationDoesNotExist" for base in type(error).__mro__)


def concrete_fields_by_name(model: type[models.Model]) -> dict[str, models.Field[Any, Any]]:
    """Return the fields that have a column, by field name and by attribute name."""
    return {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}


def pk_field(model: type[models.Model]) -> Any:
    """Return the field of the primary key. For a child model it is the field of the parent."""
    field: Any = model._meta.pk
    while field.remote_field is not None:
        field = field.target_field
    return field


def is_unfiltered(queryset: models.QuerySet[Any]) -> bool:
    """Return whether the queryset is a plain ``all()``.

    A filter, join, slice or annotation makes it filtered. So does a custom class, which may add one.
    """
    query = queryset.query
    is_plain_class = (
        type(queryset) is models.QuerySet
        and type(query) is Query
        and set(query.alias_map) <= {query.base_table}
    )
    return is_plain_class and not (
        query.where
        or query.is_sliced
        or query.combinator
        or query.annotations
        or query.extra
        or query.distinct_fields
    )


def parse_pk(model: type[models.Model], text: Any) -> Any:
    """Convert text to a primary key of the model. Return None if it is not valid."""
    try:
        return model._meta.pk.to_python(text)
    except ValidationError:
        return None


M = TypeVar("M", bound=Model)


def filterable(queryset: QuerySet[M]) -> QuerySet[M]:
    """Return a queryset of the same objects that can be filtered further.

    Windows that are selected too are computed again over the remaining rows.
    """
    query: Any = queryset.query
    # A window or ``distinct("author")`` chooses among rows, and Django filters before that choice. Filtering
    # out an author's newest post would let the next one in. So the choice becomes a subquery of keys.
    if not (query.distinct_fields or query.where.contains_over_clause):
        return queryset
    chosen = queryset.filter(pk__in=queryset.using(None).values("pk"))
    query = chosen.query
    query.distinct, query.distinct_fields = False, ()
    conditions = [condition for condition in query.where.children if not condition.contains_over_clause]
    query.where = query.where.create(conditions, query.where.connector)
    return chosen


def from_database(queryset: QuerySet[M]) -> QuerySet[M]:
    """Return a queryset that reads its rows from the database, not from the cache of a package.

    The packages leave out querysets that are read for writing.
    """
    uncached: Any = queryset.all()
    uncached._for_write = True
    rows: QuerySet[M] = uncached
    return rows


def with_translations(queryset: QuerySet[M]) -> QuerySet[M]:
    """Return a queryset that loads the translations of django-parler with its objects.

    Without this, each object takes them from the cache of that package, or by a separate statement.
    """
    options: Any = getattr(queryset.model, "_parler_meta", None)
    return queryset.prefetch_related(*(option.rel_name for option in options)) if options else queryset


def get_or_none(queryset: QuerySet[M], pk: Any, using: str) -> M | None:
    """Return the object with a primary key, if the queryset holds it in that database now; otherwise None."""
    return filterable(queryset).using(using).filter(pk=pk).first()


def existing_pks(queryset: QuerySet[Any], pks: Collection[Any], using: str) -> set[Any]:
    """Return the primary keys of objects that the queryset holds in that database now.

    This always runs a query. If the caller has just read the objects and the queryset is a plain ``all()``,
    skip it.
    """
    rows = from_database(filterable(queryset).using(using)).order_by()
    querysets = (rows.filter(pk__in=chunk) for chunk in chunked(list(pks)))
    return {pk for chunk_queryset in querysets for pk in chunk_queryset.values_list("pk", flat=True)}

"""Columns and attributes of a model's objects, and querysets that leave none of them out."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import models
from django.db.models.sql import Query


def value_of(instance: Any, name: str) -> Any:
    """That attribute of the object; None for a relation that an unsaved one has not been given yet."""
    try:
        return getattr(instance, name)
    except ObjectDoesNotExist:
        if instance._state.adding:
            return None
        raise


def columns_of(model: type[models.Model]) -> dict[str, models.Field[Any, Any]]:
    """The fields with columns, by their names and those of their attributes."""
    return {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}


def key_field(model: type[models.Model]) -> Any:
    """The field of the primary key; a child's is its parent's."""
    key: Any = model._meta.pk
    while key.remote_field is not None:
        key = key.target_field
    return key


def is_whole(queryset: models.QuerySet[Any]) -> bool:
    """Whether it is plain ``all()``: no filter, join, slice, annotation, or class of its own that may add one."""
    query = queryset.query
    plain = (
        type(queryset) is models.QuerySet
        and type(query) is Query
        and set(query.alias_map) <= {query.base_table}
    )
    return plain and not (
        query.where
        or query.is_sliced
        or query.combinator
        or query.annotations
        or query.extra
        or query.distinct_fields
    )


def as_key(model: type[models.Model], text: str) -> Any:
    """That text as a primary key of the model; None where it is none."""
    try:
        return model._meta.pk.to_python(text)
    except ValidationError:
        return None

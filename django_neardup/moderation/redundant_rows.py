"""Detection of marker rows, which hold only references. Of two equal ones, one is redundant."""

from __future__ import annotations

from typing import Any

from django.db import models

from .relations import ModelType


def content_attributes(model: ModelType, is_through: bool) -> list[str]:
    """Return the attributes that make up the content of a row.

    For a link row these are all attributes except its own key. For a marker row these are its references.
    Return an empty list if a row holds more than that.
    """
    fields = model._meta.local_concrete_fields
    if is_through:
        pk_fields = model._meta.pk_fields
        return [field.attname for field in fields if pk_fields != [field]]
    foreign_keys = [field.attname for field in fields if isinstance(field, models.ForeignKey)]
    return foreign_keys if is_marker_model(model) else []


def is_marker_model(model: ModelType) -> bool:
    """Return whether a row only joins other objects, like a favourite or a subscription.

    Such a row has at least two references. Its other columns are its key and dates that are set
    automatically.
    """
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    foreign_keys = [field for field in fields if isinstance(field, models.ForeignKey)]
    return len(foreign_keys) > 1 and all(
        field in foreign_keys or _is_set_automatically(field) for field in fields
    )


def _is_set_automatically(field: Any) -> bool:
    if not isinstance(field, models.DateField):
        return False
    return field.auto_now or field.auto_now_add or callable(field.default)

"""Attributes of a model that can be read as text.

An adapter may name them, and ``--fields`` of a preview.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.fields.related_descriptors import ReverseManyToOneDescriptor

TO_MANY_TYPES = (models.Manager, ReverseManyToOneDescriptor)
"""Types of the class attributes that lead to many objects."""


def text_attribute_problem(model: type[models.Model], name: Any) -> tuple[str, str] | None:
    """Return why an attribute is not text, and a hint.

    Return None if it is a column, a property or a single object.
    """
    label, field = model._meta.label, find_field(model, name)
    if field is not None and field.concrete and not field.many_to_many:
        return None
    if not isinstance(name, str) or not hasattr(model, name):
        return f"{label} has no field {name!r}", "Name fields or properties of the model."
    value = getattr(model, name)
    if isinstance(value, TO_MANY_TYPES) or (field is not None and field.one_to_many):
        return (
            f"{name!r} of {label} is not text: it leads to many objects",
            "Join them in a property or in text().",
        )
    if callable(value):
        return f"{name!r} of {label} is not text: it is a method", "Call it in a property or in text()."
    return None


def find_field(model: type[models.Model], name: Any) -> Any:
    """Return the field with that field name or column attribute. Return None if there is none."""
    if not isinstance(name, str):
        return None
    by_column = {field.attname: field for field in model._meta.concrete_fields}
    try:
        return by_column.get(name) or model._meta.get_field(name)
    except FieldDoesNotExist:
        return None

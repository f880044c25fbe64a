"""Which attributes of a model can be read as a text: what an adapter may name, and a preview's ``--fields``."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.fields.related_descriptors import ReverseManyToOneDescriptor

MANY = (models.Manager, ReverseManyToOneDescriptor)
"""What a model's class has under the name of an attribute that gives many objects."""


def unreadable(model: type[models.Model], name: Any) -> tuple[str, str] | None:
    """Why an attribute is no text, and a hint; None where it is one: a column, a property, a single object."""
    label, field = model._meta.label, field_of(model, name)
    if field is not None and field.concrete and not field.many_to_many:
        return None
    if not isinstance(name, str) or not hasattr(model, name):
        return f"{label} has no field {name!r}", "Name fields or properties of the model."
    value = getattr(model, name)
    if isinstance(value, MANY) or (field is not None and field.one_to_many):
        return (
            f"{name!r} of {label} is no text: it leads to many objects",
            "Join them in a property or in text().",
        )
    if callable(value):
        return f"{name!r} of {label} is no text: it is a method", "Call it in a property or in text()."
    return None


def field_of(model: type[models.Model], name: Any) -> Any:
    """The field of that name, or of that column's name; None where there is none."""
    if not isinstance(name, str):
        return None
    by_column = {field.attname: field for field in model._meta.concrete_fields}
    try:
        return by_column.get(name) or model._meta.get_field(name)
    except FieldDoesNotExist:
        return None

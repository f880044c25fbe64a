"""An unsaved post, built from the values that its author has entered so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.http import HttpRequest

from ..adapters import Adapter, reads_unnamed
from ..similar_posts import find_by_key

FIELD_ERRORS = (ValidationError, ValueError, TypeError, OverflowError, RecursionError)
"""Errors that fields raise for invalid values."""
FILE_FIELDS = (models.FileField, models.FilePathField)
INVALID_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""Characters that forms do not send and that some databases reject."""


def build_draft(adapter: Adapter, request: HttpRequest, values: Mapping[str, Any]) -> models.Model:
    """Build the post of the values, without saving it.

    If the visitor may see or has written the post ``values["pk"]``, change that one. Otherwise build a new
    one. Fields that the adapter does not compare and values that their fields reject are left out.
    """
    edited = _find_edited_post(adapter, request, values.get("pk"))
    instance: models.Model = adapter.model() if edited is None else edited
    for field in fillable_fields(adapter):
        value = values.get(field.name, values.get(field.attname))
        if _is_form_value(value):
            _set_field(instance, field, value)
    return instance


def fillable_fields(adapter: Adapter) -> Iterator[models.Field[Any, Any]]:
    """Yield the fields that a visitor may fill in.

    These are the fields that the adapter compares, and the fields in ``identity`` and ``scope``. If the
    adapter has a ``text()`` or names properties, its watched fields are included.

    Files are left out, because a name would be read as the name of a file. Relations are left out unless they
    are in ``identity`` or ``scope`` only: the visitor may not be allowed to read the text of the related
    object.
    """
    compared = {*adapter.fields, *adapter.contacts}
    if reads_unnamed(adapter):
        compared |= {*adapter.watch}
    for name in sorted({*compared, *adapter.identity, *adapter.scope}):
        field = _find_field(adapter.model, name)
        if field is not None and not (field.is_relation and compared & {field.name, field.attname}):
            yield field


def _find_field(model: type[models.Model], name: str) -> models.Field[Any, Any] | None:
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    if not isinstance(field, models.Field) or isinstance(field, FILE_FIELDS) or not field.concrete:
        return None
    is_not_editable = field.many_to_many or field.primary_key or getattr(field, "generated", False)
    return None if is_not_editable else field


def _is_form_value(value: Any) -> bool:
    """Return whether a form can send the value."""
    if not isinstance(value, str):
        return isinstance(value, int | float)
    return INVALID_CHARACTERS.search(value) is None


def _set_field(instance: models.Model, field: models.Field[Any, Any], value: Any) -> None:
    try:
        python_value = field.to_python(value)
        if field.is_relation:
            field.validate(python_value, instance)
    except FIELD_ERRORS:
        return
    setattr(instance, field.attname, python_value)


def _find_edited_post(adapter: Adapter, request: HttpRequest, pk: Any) -> models.Model | None:
    """Return the post with that primary key if the visitor may see it or has written it.

    Otherwise return None.
    """
    if not _is_form_value(pk):
        return None
    try:
        key = adapter.model._meta.pk.to_python(pk)
    except FIELD_ERRORS:
        return None
    visible_post = find_by_key(adapter.visible(request), key)
    return _find_own_post(adapter, request, key) if visible_post is None else visible_post


def _find_own_post(adapter: Adapter, request: HttpRequest, key: Any) -> models.Model | None:
    author = adapter.request_author(request)
    post = None if author is None else find_by_key(adapter.model._base_manager.all(), key)
    writer = None if post is None else adapter.author(post)
    return post if writer is not None and str(writer) == str(author) else None

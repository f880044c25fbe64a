"""A post as it would be, made of what its author has written so far; never saved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.http import HttpRequest

from ..adapters import Adapter, reads_unnamed
from ..similar import with_key

UNREADABLE = (ValidationError, ValueError, TypeError, OverflowError, RecursionError)
"""What fields raise of values that are not theirs."""
FILES = (models.FileField, models.FilePathField)
UNFIT = re.compile("[\0\ud800-\udfff]")
"""Letters that no form sends, and not every database takes."""


def draft(adapter: Adapter, request: HttpRequest, values: Mapping[str, Any]) -> models.Model:
    """The post that those values make: a new one, or that of ``values["pk"]`` where the visitor may see it or wrote it.

    Names that the adapter does not compare, and values that their fields refuse, are left out.
    """
    edited = _edited(adapter, request, values.get("pk"))
    instance: models.Model = adapter.model() if edited is None else edited
    for field in asked(adapter):
        value = values.get(field.name, values.get(field.attname))
        if _is_plain(value):
            _put(instance, field, value)
    return instance


def asked(adapter: Adapter) -> Iterator[models.Field[Any, Any]]:
    """The fields that a visitor may fill in: those which the adapter compares, and those it watches where it has a
    ``text()`` or names properties.

    Files stay out, for a name would be taken for its file; so do, but for ``identity`` and ``scope``, relations: the
    words of what they lead to are not his to read.
    """
    quoted = {*adapter.fields, *adapter.contacts}
    if reads_unnamed(adapter):
        quoted |= {*adapter.watch}
    for name in sorted({*quoted, *adapter.identity, *adapter.scope}):
        field = _field(adapter.model, name)
        if field is not None and not (field.is_relation and quoted & {field.name, field.attname}):
            yield field


def _field(model: type[models.Model], name: str) -> models.Field[Any, Any] | None:
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    if not isinstance(field, models.Field) or isinstance(field, FILES) or not field.concrete:
        return None
    given = field.many_to_many or field.primary_key or getattr(field, "generated", False)
    return None if given else field


def _is_plain(value: Any) -> bool:
    """Whether a form could send that value."""
    if not isinstance(value, str):
        return isinstance(value, int | float)
    return UNFIT.search(value) is None


def _put(instance: models.Model, field: models.Field[Any, Any], value: Any) -> None:
    try:
        known = field.to_python(value)
        if field.is_relation:
            field.validate(known, instance)
    except UNREADABLE:
        return
    setattr(instance, field.attname, known)


def _edited(adapter: Adapter, request: HttpRequest, pk: Any) -> models.Model | None:
    """The post of that key, if this visitor may know of it."""
    if not _is_plain(pk):
        return None
    try:
        key = adapter.model._meta.pk.to_python(pk)
    except UNREADABLE:
        return None
    found = with_key(adapter.visible(request), key)
    return _own(adapter, request, key) if found is None else found


def _own(adapter: Adapter, request: HttpRequest, key: Any) -> models.Model | None:
    author = adapter.request_author(request)
    found = None if author is None else with_key(adapter.model._base_manager.all(), key)
    writer = None if found is None else adapter.author(found)
    return found if writer is not None and str(writer) == str(author) else None

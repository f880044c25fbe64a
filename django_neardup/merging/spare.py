"""Rows that say who and what, and nothing else: of two that are equal one is spare."""

from __future__ import annotations

from typing import Any

from django.db import models

from .relations import ModelType


def content(model: ModelType, is_link: bool) -> list[str]:
    """The attributes that say all there is to a row: of a link all but its own key, of a mark its references. Nothing
    where a row is more than these."""
    fields = model._meta.local_concrete_fields
    if is_link:
        keys = model._meta.pk_fields
        return [field.attname for field in fields if keys != [field]]
    joins = [field.attname for field in fields if isinstance(field, models.ForeignKey)]
    return joins if is_mark(model) else []


def is_mark(model: ModelType) -> bool:
    """Whether a row only joins: a favourite, a subscription. It has two references or more, and besides these and
    its key nothing but dates that were set by themselves."""
    own = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    joins = [field for field in own if isinstance(field, models.ForeignKey)]
    return len(joins) > 1 and all(field in joins or _sets_itself(field) for field in own)


def _sets_itself(field: Any) -> bool:
    if not isinstance(field, models.DateField):
        return False
    return field.auto_now or field.auto_now_add or callable(field.default)

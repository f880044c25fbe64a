"""Updates of rows with the signals of a save: `QuerySet.update()` sends none, and caches and search indexes listen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models
from django.db.models.signals import post_save, pre_save

from .relations import ModelType, get_field, rows_in_portions


def update_rows(model: ModelType, keys: Sequence[Any], values: Mapping[str, Any], using: str) -> None:
    """Set columns of the rows, by field name. Receivers hear a raw save of each row."""
    for portion in rows_in_portions(model, keys, using):
        rows = _changed_instances(portion, values) if _has_listeners(model) else []
        _send(pre_save, rows, values, using)
        portion.update(**values)
        # As for a fixture, ``raw`` tells receivers to leave other rows alone.
        _send(post_save, rows, values, using, created=False)


def _has_listeners(model: ModelType) -> bool:
    # Django sends no such signal for the tables that it has made for a many-to-many relation.
    return not model._meta.auto_created and any(
        signal.has_listeners(model) for signal in (pre_save, post_save)
    )


def _changed_instances(rows: models.QuerySet[Any], values: Mapping[str, Any]) -> list[models.Model]:
    """Return the rows as they will be."""
    instances = list(rows)
    for instance in instances:
        for name, value in values.items():
            # Not ``setattr()``: a descriptor may set other columns besides, such as those of languages.
            instance.__dict__[get_field(rows.model, name).attname] = value
    return instances


def _send(
    signal: Any, rows: Sequence[models.Model], values: Mapping[str, Any], using: str, **arguments: Any
) -> None:
    for row in rows:
        signal.send(
            type(row), instance=row, raw=True, using=using, update_fields=frozenset(values), **arguments
        )

"""What a deletion would take along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import models
from django.db.models.deletion import Collector
from django.utils.translation import gettext as _

from .relations import named


class _Everything(Collector):
    """Collects every row as an instance, also those that Django would delete unseen."""

    def can_fast_delete(self, *args: Any, **kwargs: Any) -> bool:
        return False


@dataclass(frozen=True)
class Fall:
    """What a deletion does to other rows: those that go too, and those that lose a reference (row, field, new one)."""

    rows: list[models.Model]
    emptied: list[tuple[models.Model, Any, Any]]


def falling(instances: Sequence[models.Model], using: str) -> Fall:
    """What the deletion of those objects does to others.

    ``ProtectedError`` or ``RestrictedError`` where something forbids it.
    """
    collector = _Everything(using=using)
    for model in dict.fromkeys(type(each) for each in instances):
        collector.collect([each for each in instances if type(each) is model])
    gone = {row for found in collector.data.values() for row in found}
    rows = sorted(gone - set(instances), key=lambda row: (row._meta.label_lower, str(row.pk)))
    updates: Any = collector.field_updates
    emptied = [
        (row, field, getattr(value, "pk", value))
        for (field, value), portions in updates.items()
        for row in chain.from_iterable(portions)
        if row not in gone
    ]
    return Fall(rows, emptied)


def fall_with(instances: Sequence[models.Model], using: str) -> list[models.Model]:
    """Every row that goes with those objects, but for themselves; it raises as ``falling`` does."""
    return falling(instances, using).rows


def protected(instances: Sequence[models.Model], using: str) -> list[str]:
    """Why those objects cannot be deleted; nothing where they can."""
    try:
        fall_with(instances, using)
    except models.ProtectedError as error:
        return protecting(error.protected_objects)
    except models.RestrictedError as error:
        return protecting(error.restricted_objects)
    return []


def protecting(rows: Iterable[models.Model]) -> list[str]:
    """The rows that forbid a deletion, in words."""
    return [_("%(what)s protects it from deletion.") % {"what": named(row)} for row in rows]

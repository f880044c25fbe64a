"""What a deletion would take along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models
from django.db.models.deletion import Collector
from django.utils.translation import gettext as _

from .plan import named


class _Everything(Collector):
    """Collects every row as an instance, also those that Django would delete unseen."""

    def can_fast_delete(self, *args: Any, **kwargs: Any) -> bool:
        return False


def fall_with(instances: Sequence[models.Model], using: str) -> list[models.Model]:
    """Every row that goes with those objects, but for themselves.

    ``ProtectedError`` or ``RestrictedError`` where something forbids it.
    """
    collector = _Everything(using=using)
    collector.collect(instances)
    given = set(instances)
    rows = (row for found in collector.data.values() for row in found)
    return sorted(
        (row for row in rows if row not in given), key=lambda row: (row._meta.label_lower, str(row.pk))
    )


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

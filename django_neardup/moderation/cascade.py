"""The effect of a deletion on other rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import models
from django.db.models.deletion import Collector
from django.utils.translation import gettext as _

from .relations import describe_object


class _FullCollector(Collector):
    """A collector that loads every row, including rows that Django would delete without loading them."""

    def can_fast_delete(self, *args: Any, **kwargs: Any) -> bool:
        return False


@dataclass(frozen=True)
class CascadeResult:
    """The effect of a deletion on other rows: which are deleted too, and which lose a reference.

    ``emptied_references`` holds (row, field, new value).
    """

    deleted_rows: list[models.Model]
    emptied_references: list[tuple[models.Model, Any, Any]]


def collect_cascade(instances: Sequence[models.Model], using: str) -> CascadeResult:
    """Return the effect of deleting the objects on other rows.

    Raise ProtectedError or RestrictedError if something forbids the deletion.
    """
    collector = _FullCollector(using=using)
    for model in dict.fromkeys(type(instance) for instance in instances):
        collector.collect([instance for instance in instances if type(instance) is model])
    deleted = {row for rows_of_model in collector.data.values() for row in rows_of_model}
    rows = sorted(deleted - set(instances), key=lambda row: (row._meta.label_lower, str(row.pk)))
    updates: Any = collector.field_updates
    emptied = [
        (row, field, getattr(value, "pk", value))
        for (field, value), row_portions in updates.items()
        for row in chain.from_iterable(row_portions)
        if row not in deleted
    ]
    return CascadeResult(rows, emptied)


def cascaded_rows(instances: Sequence[models.Model], using: str) -> list[models.Model]:
    """Return every other row that is deleted with the objects. Raise the errors of ``collect_cascade``."""
    return collect_cascade(instances, using).deleted_rows


def deletion_obstacles(instances: Sequence[models.Model], using: str) -> list[str]:
    """Return why the objects cannot be deleted. Return an empty list if they can."""
    try:
        cascaded_rows(instances, using)
    except models.ProtectedError as error:
        return protection_messages(error.protected_objects)
    except models.RestrictedError as error:
        return protection_messages(error.restricted_objects)
    return []


def protection_messages(rows: Iterable[models.Model]) -> list[str]:
    """Return the rows that forbid a deletion, in words."""
    return [_("%(what)s protects it from deletion.") % {"what": describe_object(row)} for row in rows]

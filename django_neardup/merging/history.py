"""What the admin's history says of every object that was touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db import models, router

from ..pipeline.committing import after_commit


def log(
    by: Any, instances: Sequence[models.Model], message: str, using: str, *, deletion: bool = False
) -> None:
    """A line in the history of each object: now, while they still have keys; at the commit in another
    database.
    """
    if not instances or getattr(by, "pk", None) is None or not apps.is_installed("django.contrib.admin"):
        return
    from django.contrib.admin.models import CHANGE, DELETION, LogEntry

    asked = by.pk, _snapshot(instances), DELETION if deletion else CHANGE, message
    if router.db_for_write(LogEntry) == using:
        _write(*asked)
    else:
        after_commit(using, _write, *asked)


class _Named:
    """An object as the history takes it: kind, key and name, kept from before a deletion."""

    def __init__(self, instance: models.Model) -> None:
        self._meta, self.pk, self._name = instance._meta, instance.pk, str(instance)

    def __str__(self) -> str:
        return self._name


def _snapshot(instances: Sequence[models.Model]) -> list[Any]:
    return [_Named(instance) for instance in instances]


def _write(user: Any, instances: list[Any], flag: int, message: str) -> None:
    from django.contrib.admin.models import LogEntry

    LogEntry.objects.log_actions(user, instances, flag, message)

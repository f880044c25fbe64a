"""Entries in the history of the admin for every object that was touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db import models, router

from ..db.transactions import call_after_commit


def write_admin_log(
    user: Any, instances: Sequence[models.Model], message: str, using: str, *, is_deletion: bool = False
) -> None:
    """Write a line to the history of each object. In another database, write it at the commit."""
    if not instances or getattr(user, "pk", None) is None or not apps.is_installed("django.contrib.admin"):
        return
    from django.contrib.admin.models import CHANGE, DELETION, LogEntry

    # Take keys and names now: a deletion that follows clears the keys.
    arguments = user.pk, _logged_objects(instances), DELETION if is_deletion else CHANGE, message
    if router.db_for_write(LogEntry) == using:
        _write_log_entries(*arguments)
    else:
        call_after_commit(using, _write_log_entries, *arguments)


class _LoggedObject:
    """The options, key and name of an object for the history, copied before a deletion."""

    def __init__(self, instance: models.Model) -> None:
        self._meta, self.pk, self._name = instance._meta, instance.pk, str(instance)

    def __str__(self) -> str:
        return self._name


def _logged_objects(instances: Sequence[models.Model]) -> list[Any]:
    return [_LoggedObject(instance) for instance in instances]


def _write_log_entries(user: Any, instances: list[Any], action_flag: int, message: str) -> None:
    from django.contrib.admin.models import LogEntry

    LogEntry.objects.log_actions(user, instances, action_flag, message)

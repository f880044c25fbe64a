"""Entries in the history of the admin for every object that was touched.

The messages name posts by their numbers, never by their titles. So an erasure has only the name of the object
to replace, and only in lines with ``MARK``: those of the admin itself and of the site are not ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.apps import apps
from django.db import models, router
from django.utils.text import capfirst

from ..db.sql import filter_in_chunks
from ..db.transactions import call_after_commit
from .relations import ModelType, models_of_table

MARK = " [neardup]"
"""The end of every message of ours. It says who wrote a line. The admin shows a message as it is."""


def write_admin_log(
    user: Any, instances: Sequence[models.Model], message: str, using: str, *, is_deletion: bool = False
) -> None:
    """Write a line to the history of each object. In another database, write it at the commit."""
    if not instances or getattr(user, "pk", None) is None or not apps.is_installed("django.contrib.admin"):
        return
    from django.contrib.admin.models import CHANGE, DELETION, LogEntry

    # Take keys and names now: a deletion that follows clears the keys.
    flag = DELETION if is_deletion else CHANGE
    arguments = user.pk, _logged_objects(instances), flag, f"{message}{MARK}"
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


def number_in_message(model_name: Any, object_id: Any) -> str:
    """Return how a message names an object: by the name of its model and its number."""
    return f"{capfirst(model_name)} {erased_name(object_id)}"


def erased_name(object_id: Any) -> str:
    """Return the name of an object in a line after its erasure."""
    return f"№\N{NO-BREAK SPACE}{object_id}"[:200]


def lines_with_names(objects: Iterable[tuple[ModelType, str]]) -> list[Any]:
    """Return our lines about the objects that still have their names, from the database of the log."""
    if not apps.is_installed("django.contrib.admin"):
        return []
    from django.contrib.admin.models import LogEntry
    from django.contrib.contenttypes.models import ContentType

    ids_by_model: dict[ModelType, list[str]] = {}
    for model, object_id in objects:
        ids_by_model.setdefault(model, []).append(object_id)
    ours = LogEntry.objects.using(router.db_for_write(LogEntry)).filter(change_message__endswith=MARK)
    lines: list[Any] = []
    for model, object_ids in ids_by_model.items():
        # A line may name an object by a proxy of its model.
        types = ContentType.objects.get_for_models(*models_of_table(model), for_concrete_models=False)
        for rows in filter_in_chunks(ours.filter(content_type__in=types.values()), "object_id", object_ids):
            lines += (line for line in rows if line.object_repr != erased_name(line.object_id))
    return lines


def erase_names(lines: Iterable[Any]) -> None:
    """Replace the names of the objects in lines by their numbers. Who, when and which act stay."""
    for line in lines:
        line.object_repr = erased_name(line.object_id)
        line.save(using=line._state.db, update_fields=["object_repr"])

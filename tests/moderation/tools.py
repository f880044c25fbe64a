"""Snapshots of the database, and short names for what the tests merge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.db.models import Count, Model, Value

from django_neardup.models import ChangedDocument, MergeRecord, OpenItem
from django_neardup.moderation import ActionContext, merge
from django_neardup.moderation.relations import rows_of
from django_neardup.moderation.undo.restore import undo
from tests.testapp.zoo import Piece


def filled(*labels: str, using: str = "default") -> dict[type[Model], int]:
    """The models of those apps whose tables have rows, and how many they have."""
    models, statement, values = _counting(labels)
    with connections[using].cursor() as cursor:
        cursor.execute(statement, values)
        return {models[number]: count for number, count in cursor.fetchall()}


@cache
def _counting(labels: tuple[str, ...]) -> tuple[list[type[Model]], str, tuple[Any, ...]]:
    """One statement for all tables, which takes longer to build than to run."""
    models = _models(labels)
    first, *others = [
        rows_of(model, "default").order_by().values(n=Value(number)).annotate(count=Count("*"))
        for number, model in enumerate(models)
    ]
    # Django 6.1 would order the union as its first model says.
    return models, *first.union(*others, all=True).order_by().query.sql_with_params()


def _models(labels: Sequence[str]) -> list[type[Model]]:
    """All but the rows of the queue: these are formed again around whatever has changed."""
    found = apps.get_models(include_auto_created=True)
    queue = (ChangedDocument, OpenItem, OpenItem.documents.through)
    return [
        model
        for model in found
        if not model._meta.proxy and model._meta.app_label in labels and model not in queue
    ]


def snapshot(
    using: str = "default", labels: tuple[str, ...] = ("testapp", "neardup", "admin", "auth")
) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the site and of the app."""
    rows: dict[str, list[dict[str, Any]]] = {model._meta.label: [] for model in _models(labels)}
    for model in filled(*labels, using=using):
        rows[model._meta.label] = list(rows_of(model, using).order_by("pk").values())
    return rows


def site(using: str = "default") -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the site: bytes, dates and numbers as they are stored."""
    return snapshot(using, ("testapp", "auth"))


def pieces(*codes: str) -> list[Piece]:
    return [Piece.objects.create(code=code) for code in codes]


def run(keeper: Any, *losers: Any, **case: Any) -> list[MergeRecord]:
    return merge(keeper, losers, ActionContext(**case))


def undone(*records: MergeRecord, by: Any = None, using: str = "default") -> list[MergeRecord]:
    """Undo them in that order; after each no row points at nothing, which InnoDB sees to at every statement."""
    found = []
    for record in records:
        found.append(undo(record, by, using))
        if connections[using].features.can_defer_constraint_checks:
            connections[using].check_constraints()
    return found


def kind(model: Any, **options: Any) -> ContentType:
    return ContentType.objects.get_for_model(model, **options)


def history() -> list[tuple[str, int]]:
    return list(LogEntry.objects.order_by("pk").values_list("object_repr", "action_flag"))

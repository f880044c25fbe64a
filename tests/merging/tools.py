"""Snapshots of the database, and short names for what the tests merge."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connections

from django_neardup.merging import Case, merge, undo
from django_neardup.merging.relations import rows_of
from django_neardup.models import MergeRecord
from tests.testapp.zoo import Piece


def snapshot(using: str = "default") -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the site and of the app."""
    models = [
        model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.app_label in ("testapp", "neardup", "admin", "auth")
    ]
    return {model._meta.label: list(rows_of(model, using).order_by("pk").values()) for model in models}


def site(using: str = "default") -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of the site: bytes, dates and numbers as they are stored."""
    tables = snapshot(using)
    return {label: rows for label, rows in tables.items() if label.split(".")[0] in ("testapp", "auth")}


def pieces(*codes: str) -> list[Piece]:
    return [Piece.objects.create(code=code) for code in codes]


def run(keeper: Any, *losers: Any, **case: Any) -> list[MergeRecord]:
    return merge(keeper, losers, Case(**case))


def undone(*records: MergeRecord, by: Any = None, using: str = "default") -> list[MergeRecord]:
    """Undo them in that order; after each no row points at nothing."""
    found = []
    for record in records:
        found.append(undo(record, by, using))
        connections[using].check_constraints()
    return found


def kind(model: Any, **options: Any) -> ContentType:
    return ContentType.objects.get_for_model(model, **options)


def history() -> list[tuple[str, int]]:
    return list(LogEntry.objects.order_by("pk").values_list("object_repr", "action_flag"))

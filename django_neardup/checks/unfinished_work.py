"""Checks that query a database for work that was begun and is not done: posts in quarantine, interrupted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage
from django.urls import NoReverseMatch, reverse

from ..pipeline.backfill import abandoned_passes
from ..pipeline.quarantine import quarantined
from .database import run_on_databases, schema_problem
from .messages import check_message


def check_quarantine(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _quarantine_messages)


def check_unfinished_runs(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _unfinished_run_messages)


def _quarantine_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    count = quarantined(alias).count()
    if count:
        yield check_message(
            "W116",
            f"Database {alias!r}: {count} posts are in quarantine, and are not compared.",
            f"See their reasons under documents in the admin{_quarantine_url()}. Posts whose worker died are tried "
            'again daily. For the others remove the cause, then save them or choose "Try again".',
        )


def _quarantine_url() -> str:
    try:
        return f" ({reverse('admin:neardup_document_changelist')}?work=quarantined)"
    except NoReverseMatch:
        return ""


def _unfinished_run_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    passes = abandoned_passes(alias)
    if not passes:
        return
    labels = sorted(index_pass.model._meta.label for index_pass in passes)
    is_rebuild = any(index_pass.is_rebuild for index_pass in passes)
    command = "neardup_index --rebuild" if is_rebuild else "neardup_index"
    hint = f"Run python manage.py neardup_index {' '.join(labels)} --database {alias}: it goes on where it stopped."
    yield check_message(
        "W117",
        f"Database {alias!r}: {command} has not finished {', '.join(labels)}, and no process is working on it.",
        f"{hint} With --rebuild it would begin again." if is_rebuild else hint,
    )

"""Checks that query a database for work that was begun and is not done.

Posts in quarantine, interrupted runs, and changed keys that are not in the key index yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.urls import NoReverseMatch, reverse

from ..conf import get_site_settings
from ..index.index_class import get_index
from ..pipeline.backfill import abandoned_passes
from ..pipeline.quarantine import quarantined
from .database import run_on_databases, schema_problem
from .messages import check_message


def check_quarantine(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _quarantine_messages)


def check_unfinished_runs(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _unfinished_run_messages)


def check_key_index(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _key_index_messages)


def _quarantine_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    count = quarantined(alias).count()
    if count:
        yield check_message(
            "W116",
            f"Database {alias!r}: {count} posts are in quarantine and are not compared.",
            f"The list of documents in the admin shows the reasons{_quarantine_url()}. Remove the cause, then save the "
            'posts or choose "Try again". A post whose worker died is retried daily.',
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
    hint = f"Run python manage.py neardup_index {' '.join(labels)} --database {alias}: it continues where it stopped."
    yield check_message(
        "W117",
        f"Database {alias!r}: {command} has not finished {', '.join(labels)}, and no process is working on them.",
        f"{hint} With --rebuild it would start again." if is_rebuild else hint,
    )


def _key_index_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    try:
        index = get_index(alias)
    except ImproperlyConfigured:
        # E014 reports it.
        return
    problem = index.problem()
    if problem:
        yield check_message(
            "W120",
            f"Database {alias!r}: {problem}",
            "Nothing is lost: what cannot be done meanwhile waits in the database.",
        )
    changes, seconds = index.waiting_changes()
    if seconds > get_site_settings().late_seconds:
        yield check_message(
            "W119",
            f"Database {alias!r}: {changes} changed keys have waited up to {seconds} seconds to be sent to the "
            "key index.",
            "Until then searches read them from the database, which is slower. Run a worker, and read its log.",
        )

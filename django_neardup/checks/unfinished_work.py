"""Checks that query a database for work that was begun and is not done: posts in quarantine, interrupted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage
from django.urls import NoReverseMatch, reverse

from ..pipeline.quarantine import quarantined
from .database import run_on_databases, schema_problem
from .messages import check_message


def check_quarantine(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _quarantine_messages)


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

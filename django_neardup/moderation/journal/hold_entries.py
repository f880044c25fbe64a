"""The hold of a post in the journal, and how an undo restores it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models

from ...adapters import adapters_of
from ...models import Document, Hold
from ...pipeline import documents_of

HOLD_COLUMNS = ("state", "verdict", "exact", "own", "trust", "digest")


def document_of(post: models.Model, using: str) -> Document | None:
    """Return the post's document.

    Return None if its model is not registered or the post has no document yet.
    """
    documents = documents_of([post], using).values() if adapters_of(post) else ()
    return next(iter(documents), None)


def hold_journal_entry(document: Document | None, using: str) -> dict[str, Any]:
    """Return what the journal stores of a hold. Return an empty dict if the post is not held."""
    holds = Hold.objects.using(using).filter(document=document)
    hold_values = holds.values(*HOLD_COLUMNS, "created").first() if document else None
    return {"hold": {**hold_values, "created": hold_values["created"].isoformat()}} if hold_values else {}


def restore_hold(post: models.Model, journal: Mapping[str, Any], using: str) -> None:
    """Hold a post that has come back, with the old columns and the old date. A hold that exists stays."""
    stored_hold: Any = journal.get("hold")
    document = document_of(post, using) if stored_hold else None
    if document is None:
        return
    values = {name: stored_hold[name] for name in HOLD_COLUMNS}
    hold, is_created = Hold.objects.using(using).get_or_create(document=document, defaults=values)
    if is_created:
        # ``auto_now_add`` has set the date of today.
        rows = Hold.objects.using(using).filter(pk=hold.pk)
        rows.update(created=datetime.fromisoformat(stored_hold["created"]))

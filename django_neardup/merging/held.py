"""A post that waits before it is published: the journal keeps its hold, and an undo puts it back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models

from ..adapters import adapters_of
from ..models import Document, Hold
from ..pipeline import documents_of

COLUMNS = ("state", "verdict", "exact", "own", "trust", "digest")


def document_of(post: models.Model, using: str) -> Document | None:
    """What is known of the post; None where its model is not registered, or nobody has met it yet."""
    known = documents_of([post], using).values() if adapters_of(post) else ()
    return next(iter(known), None)


def noted(document: Document | None, using: str) -> dict[str, Any]:
    """What the journal says of a hold; nothing of a post that is not held."""
    holds = Hold.objects.using(using).filter(document=document)
    held = holds.values(*COLUMNS, "created").first() if document else None
    return {"hold": {**held, "created": held["created"].isoformat()}} if held else {}


def hold_again(post: models.Model, journal: Mapping[str, Any], using: str) -> None:
    """Hold a post that has come back as it was held before, since the same day, unless it is held."""
    kept: Any = journal.get("hold")
    document = document_of(post, using) if kept else None
    if document is None:
        return
    values = {name: kept[name] for name in COLUMNS}
    held, is_new = Hold.objects.using(using).get_or_create(document=document, defaults=values)
    if is_new:
        rows = Hold.objects.using(using).filter(pk=held.pk)
        rows.update(created=datetime.fromisoformat(kept["created"]))

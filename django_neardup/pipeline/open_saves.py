"""Saves outside of a transaction, whose mark cannot be committed together with the post.

In autocommit, which is Django's default, a post is committed before its mark is written. A process that dies
between the two would leave a post that is never compared. So such a save first notes in the document that it
has begun, and its mark ends that. If it is not marked within ``LEASE_SECONDS`` a worker marks it, and twice
more after as long again: a slow save may be committed after the first time.

The key of a new post may be unknown until it is saved. Such posts are found without a document (``reconcile``).
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, models, transaction

from ..adapters import Adapter
from ..conf import get_site_settings, marks_saved_posts
from ..db.queries import documents as document_queries
from ..exceptions import error_name
from .content_objects import canonical_id
from .locks import call_with_retries
from .work_queue import begin_save

logger = logging.getLogger(__name__)

MAX_SAVES = 500
"""Overdue saves that one call marks."""


def note_save(adapter: Adapter, instance: models.Model, key: Any, using: str) -> None:
    """Note that a save begins, unless the mark will be committed together with the post."""
    _begun(instance).pop((adapter.model, using), None)
    # The database makes some keys. Then the field has none yet, or an expression (``db_default``).
    if key in (None, "") or hasattr(key, "resolve_expression"):
        return
    try:
        if not marks_saved_posts() or not transaction.get_autocommit(using):
            return
        begin_save(adapter, key, using, is_new=instance._state.adding)
    except (Error, ImproperlyConfigured) as error:
        # The save itself tells what is wrong, or its mark does.
        logger.info(
            "neardup: a save of %s cannot be noted (%s)", adapter.model._meta.label, error_name(error)
        )
    else:
        _begun(instance)[adapter.model, using] = canonical_id(key)


def take_note(adapter: Adapter, instance: models.Model, key: Any, using: str) -> bool:
    """Return whether the save of the object, which has ended, was noted under this key. A second call returns False."""
    return _begun(instance).pop((adapter.model, using), None) == canonical_id(key)


def _begun(instance: models.Model) -> dict[Any, str]:
    """Return the keys of the saves that are noted and not ended, by model of the document and database."""
    begun: dict[Any, str] = instance._state.__dict__.setdefault("neardup_begun", {})
    return begun


def mark_overdue_saves(using: str) -> int:
    """Mark posts whose save began and was not marked within ``LEASE_SECONDS``. Return their number."""
    milliseconds = int(get_site_settings().lease_seconds * 1000)
    overdue = document_queries.overdue_saves(using, milliseconds, MAX_SAVES)
    # One statement for each: a statement that waits for one row while it holds others can deadlock with a request.
    return sum(
        call_with_retries(document_queries.mark_open_saves, using, document, milliseconds)
        for document in overdue
    )

"""Saves outside of a transaction, whose mark cannot be committed together with the post.

In autocommit, which is Django's default, a post is committed before its mark is written. A process that dies between
the two would leave a post that nobody compares. So such a save first notes in the document that it has begun, and its
mark ends that. A save that is not marked within ``LEASE_SECONDS`` is marked by a worker.

The key of a new post may be unknown until it is saved. Such posts are found without a document (``reconcile``).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Hashable
from typing import Any, NamedTuple

from django.db import Error, connections, models, transaction

from ..adapters import Adapter
from ..conf import get_site_settings, marks_saved_posts
from ..db.queries import documents as document_queries
from ..exceptions import error_name
from .work_queue import begin_save, mark_key

logger = logging.getLogger(__name__)

MAX_SAVES = 500
"""Overdue saves that one call marks."""
MAX_KEPT = 1000
"""Failed marks that a process keeps."""
RETRY_SECONDS = 1.0
"""How long a save waits at most for the second attempt of its mark."""


class Mark(NamedTuple):
    """A mark that could not be written."""

    adapter: Adapter
    key: Any
    using: str

    def __str__(self) -> str:
        return f"{self.adapter.model._meta.label} {self.key}"

    @property
    def identity(self) -> Hashable:
        return self.adapter.model, str(self.key), self.using


_kept: dict[Hashable, Mark] = {}
"""Marks that failed twice, oldest first."""


def note_save(adapter: Adapter, instance: models.Model, key: Any, using: str) -> None:
    """Note that a save begins, unless the mark will be committed together with the post."""
    _begun(instance).discard((adapter.model, using))
    if key is None or not marks_saved_posts() or not transaction.get_autocommit(using):
        return
    try:
        begin_save(adapter, key, using)
    except Error as error:
        # The save itself tells what is wrong, or its mark does.
        logger.info("neardup: no save of %s is noted (%s)", adapter.model._meta.label, error_name(error))
    else:
        _begun(instance).add((adapter.model, using))


def take_note(adapter: Adapter, instance: models.Model, using: str) -> bool:
    """Return whether the save of the object, which has ended, was noted. A second call returns False."""
    noted, begun = (adapter.model, using), _begun(instance)
    was_noted = noted in begun
    begun.discard(noted)
    return was_noted


def _begun(instance: models.Model) -> set[Any]:
    """Return the saves of the object that are noted and not ended: model of the document and database of each."""
    begun: set[Any] = instance._state.__dict__.setdefault("neardup_begun", set())
    return begun


def mark_overdue_saves(using: str) -> int:
    """Mark posts whose save began and was not marked within ``LEASE_SECONDS``. Return their number."""
    milliseconds = int(get_site_settings().lease_seconds * 1000)
    overdue = document_queries.overdue_saves(using, milliseconds, MAX_SAVES)
    # One statement for each: a statement that waits for one row while it holds others can deadlock with a request.
    return sum(document_queries.end_saves(using, document, milliseconds) for document in overdue)


def mark_again(mark: Mark) -> None:
    """Try a failed mark again on a connection of its own. If that fails too, keep it. Call it after the commit."""
    keep_mark(mark)
    # In another thread Django opens another connection: that of the site may be in any state.
    thread = threading.Thread(target=_mark_in_thread, args=[mark], name="neardup-mark", daemon=True)
    thread.start()
    thread.join(RETRY_SECONDS)
    if mark.identity in _kept:
        logger.error("neardup: %s is saved but not marked; this process marks it at its next save", mark)


def _mark_in_thread(mark: Mark) -> None:
    try:
        _mark_kept(mark)
    except Error as error:
        logger.info("neardup: the second attempt failed too (%s)", error_name(error))
    finally:
        connections[mark.using].close()


def keep_mark(mark: Mark) -> None:
    """Keep a failed mark for the next save of this process."""
    _kept.pop(mark.identity, None)
    _kept[mark.identity] = mark
    while len(_kept) > MAX_KEPT:
        lost = _kept.pop(next(iter(_kept)), None)
        logger.error("neardup: %s is not marked; neardup_index --reconcile finds it", lost)


def mark_kept(using: str) -> None:
    """Write the marks that this process has kept. Call it outside of a transaction. Those that fail are kept."""
    for mark in [mark for mark in [*_kept.values()] if mark.using == using]:
        try:
            _mark_kept(mark)
        except Error as error:
            logger.info("neardup: %s is still not marked (%s)", mark, error_name(error))
            return


def _mark_kept(mark: Mark) -> None:
    mark_key(mark.adapter, mark.key, mark.using)
    _kept.pop(mark.identity, None)

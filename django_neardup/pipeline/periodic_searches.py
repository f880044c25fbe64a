"""Searches that workers repeat: one worker at a time, and not too often.

A marked post is found immediately. These searches find unmarked posts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from django.db import models
from django.db.models import Q

from ..exceptions import infrastructure_errors, without_message
from ..index import keys as storage
from ..models import PeriodicSearch
from ..models.fields import DatabaseClock
from .deleted_posts import MAX_PURGED, purge
from .emptied_journals import MAX_EMPTIED, empty_old_journals
from .quarantine import MAX_RETRIES, retry_given_up
from .reconcile import BATCH, mark_missing

logger = logging.getLogger(__name__)

SEARCHES: Final[dict[str, Callable[[str], int]]] = {
    # Posts whose process died between their commit and their mark.
    "missing": mark_missing,
    # Posts whose worker died, a day ago.
    "given up": retry_given_up,
    # Deleted posts whose time is over.
    "expired": purge,
    # Merge records that are too old for an undo.
    "old journals": empty_old_journals,
    # Entries without keys in an index outside the database.
    "removed keys": storage.purge,
}
"""By name: a search in a database, which returns how many rows it found and saw to."""

MANY = min(BATCH, MAX_RETRIES, MAX_PURGED, MAX_EMPTIED)
"""A search that finds so many rows may have left some: the limit of the most careful one."""
MIN_SECONDS = 30.0
"""Seconds between two searches of a name, at least."""
RESTS = 20
"""A search rests for so many times its own duration, at most ``MAX_SECONDS``."""
MAX_SECONDS = 300.0
"""The longest rest. A search that is due later than that is due now: the clock was set back."""
CLAIM_SECONDS = 120.0
"""A search that has not ended after so many seconds may be repeated: its process is dead."""


def run_due_searches(using: str) -> int:
    """Run the searches that no process has run recently. Return how many rows they found.

    If a search finds many rows, more may be left, and it is due at once. An error of a search that is not the
    database's is logged, and the others run.
    """
    # One read for all. On SQLite an update that matches nothing would still wait for the one writer.
    resting = set(PeriodicSearch.objects.using(using).exclude(_is_due()).values_list("name", flat=True))
    return sum(
        _run(search, name, using)
        for name, search in SEARCHES.items()
        if name not in resting and _claim(name, using)
    )


def _run(search: Callable[[str], int], name: str, using: str) -> int:
    started, found = time.monotonic(), 0
    try:
        found = search(using)
    except infrastructure_errors():
        raise
    except Exception as error:
        logger.error("neardup: the periodic search %r failed", name, exc_info=without_message(error))
    rest = min(max(MIN_SECONDS, RESTS * (time.monotonic() - started)), MAX_SECONDS)
    # A post that is found again each time must not keep workers busy.
    seconds = 0.0 if found >= MANY else rest
    _postpone(PeriodicSearch.objects.using(using).filter(name=name), seconds)
    return found


def _claim(name: str, using: str) -> bool:
    rows = PeriodicSearch.objects.using(using)
    rows.bulk_create([PeriodicSearch(name=name)], ignore_conflicts=True)
    return bool(_postpone(rows.filter(_is_due(), name=name), CLAIM_SECONDS))


def _is_due() -> Q:
    return Q(due__lte=DatabaseClock()) | Q(due__gt=DatabaseClock() + int(MAX_SECONDS * 1000))


def _postpone(rows: models.QuerySet[PeriodicSearch], seconds: float) -> int:
    return rows.update(due=DatabaseClock() + int(seconds * 1000))

"""Searches that workers repeat while nothing waits: at most one worker at a time, and not too often."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import models
from django.db.models import Q

from ..models import IdlePass
from ..models.fields import DatabaseClock

MIN_SECONDS = 30.0
"""Seconds between two passes of a name, at least."""
RESTS = 20
"""A pass is not repeated before so many times its own duration. So it takes at most a twentieth of a worker's time."""
MAX_SECONDS = 300.0
"""The longest rest. A pass that is due later than that is due now: the clock was set back."""
CLAIM_SECONDS = 120.0
"""A pass that has not ended after so many seconds may be repeated: its process is dead."""


def run_if_due(name: str, using: str, run: Callable[[], int]) -> int:
    """Run a pass, unless a process has done so recently. Return what it returns, or 0.

    If it returns something, more may be left, and it is due at once.
    """
    if not _claim(name, using):
        return 0
    started = time.monotonic()
    found = run()
    seconds = 0.0 if found else min(max(MIN_SECONDS, RESTS * (time.monotonic() - started)), MAX_SECONDS)
    _postpone(IdlePass.objects.using(using).filter(name=name), seconds)
    return found


def _claim(name: str, using: str) -> bool:
    rows = IdlePass.objects.using(using).filter(name=name)
    is_due = Q(due__lte=DatabaseClock()) | Q(due__gt=DatabaseClock() + int(MAX_SECONDS * 1000))
    if _postpone(rows.filter(is_due), CLAIM_SECONDS):
        return True
    if rows.exists():
        return False
    IdlePass.objects.using(using).bulk_create([IdlePass(name=name)], ignore_conflicts=True)
    return bool(_postpone(rows.filter(is_due), CLAIM_SECONDS))


def _postpone(rows: models.QuerySet[IdlePass], seconds: float) -> int:
    return rows.update(due=DatabaseClock() + int(seconds * 1000))

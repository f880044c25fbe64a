"""No queue: the work is done in the request that saved the post."""

from __future__ import annotations

import threading

from .. import pipeline
from .base import Notifier

DRAIN_SECONDS = 20.0
"""Longest duration of one drain. The rest waits for the next request."""
MAX_DRAINS = 10
"""Largest number of drains after one notification."""


class _DrainState(threading.local):
    """Databases that this thread still has to drain. None while no drain is running."""

    aliases: set[str] | None = None


_drain_state = _DrainState()


def check(queue: str) -> None:
    """Accept any queue name, because there is no queue."""


def notify(notifier: Notifier, queue: str, using: str) -> None:
    """Drain the database before the request continues."""
    drain_now(using)


def drain_now(using: str) -> None:
    """Drain the database in this thread. Errors are logged."""
    # A listener of our signals may save a post and so notify from inside a drain. The outer loop takes its
    # database when the running drain has ended.
    if _drain_state.aliases is not None:
        _drain_state.aliases.add(using)
        return
    _drain_state.aliases = {using}
    try:
        for _ in range(MAX_DRAINS):
            if _drain_state.aliases:
                _drain_logged(_drain_state.aliases.pop())
    finally:
        _drain_state.aliases = None


def _drain_logged(alias: str) -> None:
    try:
        pipeline.drain(using=alias, seconds=DRAIN_SECONDS)
    except Exception as error:
        pipeline.log_failed_drain(alias, error)

"""What every queue shares: a bound in time, silence after a fault, and the work that the job does."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from django.db import DatabaseError, close_old_connections

from .. import pipeline
from ..faults import INTERRUPTS
from ..models import Document

logger = logging.getLogger("django_neardup.queues")

BOUND = 0.4
"""Seconds that a request waits for the queue at the most; bounds what timeouts do not (DNS, a slow link)."""
PAUSE = 10.0
"""Seconds of silence after a fault."""
DRAIN_SECONDS = 240.0
"""Seconds of work in one job, all databases together."""


class Port(Protocol):
    """A module that rings: rq, tasks, inline."""

    def check(self, queue: str) -> None:
        """Raise ``ImproperlyConfigured`` where the site's settings cannot serve that queue."""

    def ring(self, bell: Bell, queue: str, using: str) -> None:
        """Have the documents of the database ``using`` drained soon."""


class Bell:
    """The state of a process: whether the queue was unwell a moment ago. Safe to share between threads."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget every fault, as a new process would."""
        self._lock = threading.Lock()
        self._quiet_until = 0.0
        self._stuck: threading.Thread | None = None

    def quiet(self) -> bool:
        """Whether a fault is so fresh, or an attempt still so stuck, that it is not worth trying."""
        stuck = self._stuck
        return time.monotonic() < self._quiet_until or (stuck is not None and stuck.is_alive())

    def press(self, send: Callable[[], object], *, bounded: bool = True) -> None:
        """Call ``send``, unless the queue was unwell a moment ago.

        A bounded call runs in a thread of its own and is left to itself after ``BOUND`` seconds.
        What it raises opens the silence and is logged once.
        """
        if self.quiet():
            return
        try:
            if bounded:
                self._press_bounded(send)
            else:
                send()
        except Exception as error:
            self.hush(error)

    def _press_bounded(self, send: Callable[[], object]) -> None:
        faults: list[Exception] = []

        def attempt() -> None:
            try:
                send()
            except Exception as error:
                faults.append(error)

        thread = threading.Thread(target=attempt, name="neardup-bell", daemon=True)
        thread.start()
        thread.join(BOUND)
        if faults:
            raise faults[0]
        if thread.is_alive():
            self._stuck = thread
            raise TimeoutError(f"no answer within {BOUND} seconds")

    def hush(self, error: Exception) -> None:
        """Be silent for ``PAUSE`` seconds; the first to call it says so in the log."""
        with self._lock:
            first = time.monotonic() >= self._quiet_until
            self._quiet_until = time.monotonic() + PAUSE if first else self._quiet_until
        if first:
            logger.error(
                "The queue cannot be told that posts wait (%s: %s). They are marked in the database; "
                "neardup_worker --once finds them. The queue is left alone for %d seconds.",
                type(error).__name__, error, PAUSE,
            )  # fmt: skip


def drain_everywhere(ring_again: Callable[[], object], seconds: float = DRAIN_SECONDS) -> None:
    """Drain every database that holds documents, sharing the time, and ring again where it pays. For workers alone:
    connections are closed.

    One database's fault does not keep the others waiting; the first one is raised when all have had their turn.
    """
    close_old_connections()
    try:
        more, faults = _drain_all(pipeline.own_databases(), time.monotonic() + seconds)
    finally:
        close_old_connections()
    if more:
        ring_again()
    if faults:
        raise faults[0]


def _drain_all(aliases: list[str], deadline: float) -> tuple[bool, list[Exception]]:
    """Whether work is left that a second drain would get on with; and the faults."""
    more = False
    faults: list[Exception] = []
    for position, alias in enumerate(aliases):
        share = (deadline - time.monotonic()) / (len(aliases) - position)
        try:
            if _holds_documents(alias):
                result = pipeline.drain(using=alias, seconds=max(share, 1.0))
                more = more or (result.pending and result.turns > 0)
        except tuple(INTERRUPTS):
            raise
        except Exception as error:
            logger.exception("The documents of the database %r were not drained.", alias)
            faults.append(error)
    return more, faults


def _holds_documents(alias: str) -> bool:
    """Whether work may wait there; a database that was never migrated holds none."""
    try:
        return bool(Document.objects.using(alias).exists())
    except DatabaseError:
        if pipeline.holds_tables(alias):
            raise
        return False

"""Shared parts of the queues: a timeout, a pause after a failure, and the work of the job."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from django.db import DatabaseError, close_old_connections

from .. import pipeline
from ..conf import DISABLED, is_enabled
from ..exceptions import JOB_TIMEOUT_ERRORS, NeardupError
from ..models import Document
from ..pipeline.periodic_searches import run_due_searches

logger = logging.getLogger("django_neardup.queues")

SEND_TIMEOUT = 0.4
"""Longest wait of a request for the queue, in seconds.

It also covers what socket timeouts do not (DNS, a slow link).
"""
SUSPEND_SECONDS = 10.0
"""Seconds without notifications after a failure."""
DRAIN_SECONDS = 240.0
"""Seconds of work in one job, for all databases together."""


class NotificationBackend(Protocol):
    """A module that notifies the worker: ``rq``, ``tasks`` or ``inline``."""

    def check(self, queue: str) -> None:
        """Raise ``ImproperlyConfigured`` if the site's settings cannot serve the queue."""

    def notify(self, notifier: Notifier, queue: str, using: str) -> None:
        """Start a drain of the database ``using`` soon."""


class Notifier:
    """The health of the queue, as this process knows it. It is safe to share between threads."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget every failure, as in a new process."""
        self._lock = threading.Lock()
        self._suspended_until = 0.0
        self._stuck_thread: threading.Thread | None = None

    def is_suspended(self) -> bool:
        """Return whether a failure is recent or an attempt is still stuck."""
        stuck = self._stuck_thread
        return time.monotonic() < self._suspended_until or (stuck is not None and stuck.is_alive())

    def send(self, callback: Callable[[], object], *, has_timeout: bool = True) -> None:
        """Call ``callback``, unless the queue failed recently.

        If ``has_timeout`` is true, the call runs in its own thread, and the caller waits at most
        ``SEND_TIMEOUT`` seconds for it. An exception or a timeout suspends notifications and is logged once.
        """
        if self.is_suspended():
            return
        try:
            if has_timeout:
                self._send_with_timeout(callback)
            else:
                callback()
        except Exception as error:
            self.suspend(error)

    def _send_with_timeout(self, callback: Callable[[], object]) -> None:
        faults: list[Exception] = []

        def attempt() -> None:
            try:
                callback()
            except Exception as error:
                faults.append(error)

        # Socket timeouts do not cover the look-up of a host name, so the whole attempt runs in a thread.
        thread = threading.Thread(target=attempt, name="neardup-bell", daemon=True)
        thread.start()
        thread.join(SEND_TIMEOUT)
        if faults:
            raise faults[0]
        if thread.is_alive():
            self._stuck_thread = thread
            raise TimeoutError(f"no answer within {SEND_TIMEOUT} seconds")

    def suspend(self, error: Exception) -> None:
        """Send no notification for ``SUSPEND_SECONDS``.

        Log the error if notifications are not suspended already.
        """
        with self._lock:
            is_new_failure = time.monotonic() >= self._suspended_until
            self._suspended_until = (
                time.monotonic() + SUSPEND_SECONDS if is_new_failure else self._suspended_until
            )
        if is_new_failure:
            logger.error(
                "neardup: the queue cannot be notified of pending posts (%s: %s). They are marked in the database, "
                "and neardup_worker --once processes them. The next attempt is in %d seconds.",
                type(error).__name__, error, SUSPEND_SECONDS,
            )  # fmt: skip


def drain_all_databases(notify_again: Callable[[], object], seconds: float = DRAIN_SECONDS) -> None:
    """Drain every database that has documents, with a share of the time each.

    Notify again if another drain can progress. If ``NEARDUP_ENABLED`` is False, log it and do nothing: the job was
    enqueued before the app was switched off.

    Call it only in workers, because it closes connections. A failure in one database does not stop the
    others. At the end NeardupError names the databases. The log has the traceback of each.
    """
    if not is_enabled():
        logger.warning("neardup: %s.", DISABLED)
        return
    close_old_connections()
    try:
        can_progress, faults = _drain_databases(pipeline.routed_databases(), time.monotonic() + seconds)
    finally:
        close_old_connections()
    if can_progress:
        notify_again()
    if faults:
        # The queue keeps and shows the error: it must quote no post.
        raise NeardupError("Some posts are still pending: " + "; ".join(faults))


def _drain_databases(aliases: list[str], deadline: float) -> tuple[bool, list[str]]:
    """Return whether a second drain can get further, and the failures."""
    can_progress = False
    faults: list[str] = []
    for position, alias in enumerate(aliases):
        share = (deadline - time.monotonic()) / (len(aliases) - position)
        try:
            if _has_documents(alias):
                result = pipeline.drain(using=alias, seconds=max(share, 1.0))
                # A drain that processed nothing would process nothing again.
                can_progress = can_progress or (result.has_pending and result.processed > 0)
                can_progress = bool(run_due_searches(alias)) or can_progress
        # The queue ends the whole job: this is no failure of one database.
        except tuple(JOB_TIMEOUT_ERRORS):
            raise
        except Exception as error:
            faults.append(pipeline.log_failed_drain(alias, error))
    return can_progress, faults


def _has_documents(alias: str) -> bool:
    """Return whether the database may have pending work. A database that was never migrated has none."""
    try:
        return bool(Document.objects.using(alias).exists())
    except DatabaseError:
        # A missing table is no failure, but an unreachable database is one.
        if pipeline.has_tables(alias):
            raise
        return False

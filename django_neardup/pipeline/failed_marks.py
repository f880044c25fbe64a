"""Marks that failed: tried again at once, then with growing pauses, until they are written or the process ends.

The save must not suffer. So a thread for each database does this, on a separate connection: the site's
connection may be in any state, and is never closed here.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from django.db import connections

from ..adapters import Adapter
from ..exceptions import error_name, infrastructure_errors
from ..queues import notify_worker
from .work_queue import begin_save, mark_key

logger = logging.getLogger(__name__)

MAX_MARKS = 1000
"""Failed marks that a process keeps for a database. If there are more, the oldest are lost."""
WAIT_SECONDS = 1.0
"""How long a save waits at most for the second attempt of its mark."""
EXIT_SECONDS = 5.0
"""How long a process that ends waits at most for one more attempt."""
PAUSES = (1.0, 60.0)
"""Seconds between two attempts, at first and at most. They double with every attempt."""


class Mark(NamedTuple):
    """A mark that could not be written.

    - ``is_committed``: whether the post is known to be.
    - ``schema``: the customer's schema, with django-tenants. Another connection begins in another one.
    """

    adapter: Adapter
    key: Any
    using: str
    is_committed: bool = True
    schema: str | None = None

    def __str__(self) -> str:
        return f"{self.adapter.model._meta.label} {self.key}"

    @property
    def identity(self) -> Hashable:
        return self.adapter.model, str(self.key), self.schema

    def write(self) -> None:
        if self.schema is not None:
            connections[self.using].set_schema(self.schema)  # type: ignore[attr-defined]
        if self.is_committed:
            mark_key(self.adapter, self.key, self.using)
        else:
            # Before the commit a worker would read the former text. An open save is marked later.
            begin_save(self.adapter, self.key, self.using)


class FailedMarks:
    """The failed marks of this process in one database, and the thread that writes them."""

    def __init__(self, using: str) -> None:
        self.using = using
        self._marks: dict[Hashable, Mark] = {}
        # Marks that the thread has not tried yet. They do not wait for the pause of failed marks.
        self._untried: set[Hashable] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._pause, self._next_attempt = PAUSES[0], 0.0
        self._is_failing = self._has_lost = False

    def __contains__(self, mark: Mark) -> bool:
        return mark.identity in self._marks

    def __len__(self) -> int:
        return len(self._marks)

    def add(self, mark: Mark, *, wait_seconds: float = WAIT_SECONDS) -> bool:
        """Try a mark again. Return whether it was written within so many seconds.

        If the last attempt of the thread has failed too, do not wait: one save after the other would wait in vain.

        Call it after the commit, if there is one.
        """
        with self._changed:
            self._marks.pop(mark.identity, None)
            self._marks[mark.identity] = mark
            self._untried.add(mark.identity)
            self._limit()
            if not self._start():
                return False
            self._changed.notify_all()
            return self._changed.wait_for(lambda: mark not in self, 0.0 if self._is_failing else wait_seconds)

    def wait(self, seconds: float = EXIT_SECONDS) -> None:
        """Try all once more now, and wait until none is left, at most so long."""
        with self._changed:
            self._next_attempt = 0.0
            if self._marks and self._start():
                self._changed.notify_all()
                self._changed.wait_for(lambda: not self._marks, seconds)

    def _start(self) -> bool:
        if self._thread is not None and self._thread.is_alive():
            return True
        thread = threading.Thread(target=self._write_all, name="neardup-mark", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            # There are too many threads, or the interpreter ends. The next failed mark starts one.
            logger.info("neardup: the thread for failed marks cannot be started (%s)", error_name(error))
            return False
        self._thread = thread
        return True

    def _limit(self) -> None:
        while len(self._marks) > MAX_MARKS:
            identity, lost = next(iter(self._marks.items()))
            self._forget(identity)
            if not self._has_lost:
                logger.error(
                    "neardup: more than %d saved posts could not be marked as pending, the first is %s. Run "
                    "neardup_index --reconcile when the database works again.",
                    MAX_MARKS, lost,
                )  # fmt: skip
            self._has_lost = True

    def _write_all(self) -> None:
        while marks := self._next_marks():
            written = self._write(marks)
            with self._changed:
                # Without a pause yet: new marks have failed, or all of them once more.
                if self._marks and time.monotonic() >= self._next_attempt:
                    self._next_attempt = time.monotonic() + self._pause
                    self._pause = min(self._pause * 2, PAUSES[1])
                self._changed.notify_all()
            if written:
                notify_worker(self.using)

    def _next_marks(self) -> list[Mark]:
        """Wait until marks are due, and return them. If none is left, return none: the thread ends."""
        with self._changed:
            while self._marks:
                untried = [self._marks[identity] for identity in self._untried]
                pause = self._next_attempt - time.monotonic()
                if untried or pause <= 0:
                    self._untried.clear()
                    return untried or [*self._marks.values()]
                self._changed.wait(pause)
            self._thread, self._is_failing, self._has_lost = None, False, False
            self._pause, self._next_attempt = PAUSES[0], 0.0
            return []

    def _write(self, marks: Sequence[Mark]) -> int:
        """Write marks, until the database itself fails. Return their number."""
        written = 0
        for mark in marks:
            try:
                mark.write()
            # A hook of the site in the connection may raise anything, and the thread must not end by it.
            except Exception as error:
                logger.info("neardup: %s is still not marked as pending (%s)", mark, error_name(error))
                self._put_last(mark)
                if isinstance(error, infrastructure_errors()):
                    break
            else:
                written += 1
                with self._changed:
                    self._is_failing = False
                    # Unless the post was saved and not marked once more meanwhile.
                    if self._marks.get(mark.identity) is mark:
                        self._forget(mark.identity)
                        self._changed.notify_all()
        try:
            connections[self.using].close()
        except Exception as error:
            logger.info("neardup: the connection for failed marks cannot be closed (%s)", error_name(error))
        return written

    def _put_last(self, mark: Mark) -> None:
        with self._changed:
            self._is_failing = True
            if self._marks.get(mark.identity) is mark:
                self._marks[mark.identity] = self._marks.pop(mark.identity)

    def _forget(self, identity: Hashable) -> None:
        del self._marks[identity]
        self._untried.discard(identity)


_by_database: dict[str, FailedMarks] = {}


def failed_marks(using: str) -> FailedMarks:
    """Return the failed marks of this process in a database."""
    return _by_database.setdefault(using, FailedMarks(using))


# A child has no thread of its parent, which goes on with these marks itself. Windows knows no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_by_database.clear)


@atexit.register
def _try_once_more() -> None:
    for marks in [*_by_database.values()]:
        marks.wait()

"""Marks that failed: tried again at once, then with growing pauses, until they are written or the process ends.

The save is not to suffer, so this is done in a thread, on a connection of its own: that of the site may be in any
state, and is never closed here.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connections

from ..adapters import Adapter
from ..exceptions import error_name, infrastructure_errors
from ..queues import notify_worker
from .work_queue import begin_save, mark_key

logger = logging.getLogger(__name__)

MAX_MARKS = 1000
"""Failed marks that a process keeps. If there are more, the oldest are lost."""
WAIT_SECONDS = 1.0
"""How long a save waits at most for the second attempt of its mark."""
EXIT_SECONDS = 5.0
"""How long a process that ends waits at most for one more attempt."""
PAUSES = (1.0, 60.0)
"""Seconds between two attempts, at first and at most. They double with every attempt."""


class Mark(NamedTuple):
    """A mark that could not be written. ``is_committed``: whether the post is known to be."""

    adapter: Adapter
    key: Any
    using: str
    is_committed: bool = True

    def __str__(self) -> str:
        return f"{self.adapter.model._meta.label} {self.key}"

    @property
    def identity(self) -> Hashable:
        return self.adapter.model, str(self.key), self.using

    def write(self) -> None:
        if self.is_committed:
            mark_key(self.adapter, self.key, self.using)
        else:
            # Before the commit a worker would read the former text. An open save is marked later.
            begin_save(self.adapter, self.key, self.using)


class FailedMarks:
    """The failed marks of this process, and the thread that writes them."""

    def __init__(self) -> None:
        self._marks: dict[Hashable, Mark] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._has_lost = False

    def __contains__(self, mark: Mark) -> bool:
        return mark.identity in self._marks

    def __len__(self) -> int:
        return len(self._marks)

    def add(self, mark: Mark, *, wait_seconds: float = WAIT_SECONDS) -> bool:
        """Try a mark again. Return whether it was written within so many seconds. Call it after the commit, if there
        is one.
        """
        with self._changed:
            self._marks.pop(mark.identity, None)
            self._marks[mark.identity] = mark
            self._limit()
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="neardup-mark", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            return self._changed.wait_for(lambda: mark not in self, wait_seconds)

    def wait(self, seconds: float = EXIT_SECONDS) -> None:
        """Try once more now, and wait until nothing is left, at most so long."""
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._marks, seconds)

    def _limit(self) -> None:
        while len(self._marks) > MAX_MARKS:
            lost = self._marks.pop(next(iter(self._marks)))
            if not self._has_lost:
                logger.error(
                    "neardup: more than %d saved posts could not be marked, %s the first. Run neardup_index "
                    "--reconcile when the database is well again.",
                    MAX_MARKS, lost,
                )  # fmt: skip
            self._has_lost = True

    def _write_all(self) -> None:
        pause, longest = PAUSES
        while True:
            with self._changed:
                marks = [*self._marks.values()]
                if not marks:
                    self._thread = None
                    return
            for using, of_database in groupby(
                sorted(marks, key=lambda each: each.using), lambda each: each.using
            ):
                self._write_to(using, [*of_database])
            tried = {id(mark) for mark in marks}
            with self._changed:
                self._changed.notify_all()
                has_new = any(id(mark) not in tried for mark in self._marks.values())
                if self._marks and not has_new and not self._changed.wait(pause):
                    pause = min(pause * 2, longest)

    def _write_to(self, using: str, marks: Sequence[Mark]) -> None:
        written = 0
        try:
            for mark in marks:
                try:
                    mark.write()
                except infrastructure_errors() as error:
                    self._put_last(mark, error)
                    break
                except (Error, ImproperlyConfigured) as error:
                    self._put_last(mark, error)
                else:
                    written += 1
                    self._remove(mark)
        finally:
            connections[using].close()
        if written:
            notify_worker(using)

    def _put_last(self, mark: Mark, error: Exception) -> None:
        logger.info("neardup: %s is still not marked (%s)", mark, error_name(error))
        with self._changed:
            # Unless the post was saved and not marked once more meanwhile.
            if self._marks.get(mark.identity) is mark:
                self._marks[mark.identity] = self._marks.pop(mark.identity)

    def _remove(self, mark: Mark) -> None:
        with self._changed:
            if self._marks.get(mark.identity) is mark:
                del self._marks[mark.identity]


failed_marks = FailedMarks()

# A child has no thread of its parent, which goes on with these marks itself.
os.register_at_fork(after_in_child=failed_marks.__init__)  # type: ignore[misc]


@atexit.register
def _try_once_more() -> None:
    if failed_marks:
        failed_marks.wait()

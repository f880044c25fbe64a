"""Transactions under a space's lock row, and those that a database may ask to repeat."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from django.db import OperationalError, transaction

from .sql import execute, vendor

P = ParamSpec("P")
R = TypeVar("R")

ATTEMPTS = 6
PAUSE = 0.02
REPEATABLE = {"40001", "40P01", 1213, 1205, 1020, 1412}
"""Serialization failure and deadlock of PostgreSQL; deadlock, lock timeout, changed row, changed table of MariaDB."""


@contextmanager
def writing(using: str) -> Iterator[None]:
    """A durable transaction that writes from its beginning: SQLite then never has to upgrade a lock."""
    with transaction.atomic(using=using, durable=True):
        if vendor(using) == "sqlite":
            execute(using, 'UPDATE "neardup_document" SET "id" = "id" WHERE "id" = -1')
        yield


@contextmanager
def space_lock(spaces: Iterable[int], using: str) -> Iterator[None]:
    """A durable transaction that begins by locking the rows of those spaces, in id order.

    The first statement is a write: SQLite then never has to upgrade a lock, and MariaDB takes its snapshot only
    once the lock is held.
    """
    with transaction.atomic(using=using, durable=True):
        for space in sorted(set(spaces)):
            execute(using, 'UPDATE "neardup_space" SET "lock" = "lock" + 1 WHERE "id" = %s', [space])
        yield


def retrying(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function that opens its own transaction; again, with growing pauses, where the database asks for it."""
    for attempt in range(ATTEMPTS - 1):
        try:
            return function(*args, **kwargs)
        except OperationalError as error:
            if not _repeatable(error):
                raise
            time.sleep(PAUSE * 2**attempt * (0.5 + random.random()))
    return function(*args, **kwargs)


def _repeatable(error: OperationalError) -> bool:
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    number = error.args[0] if error.args else None
    return state in REPEATABLE or number in REPEATABLE or "database is locked" in str(error)

"""Transactions under the lock of a space, and retries of transactions that the database rejects."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from django.db import OperationalError, transaction

from ..db.backends import get_backend
from ..db.queries import documents as document_queries

P = ParamSpec("P")
R = TypeVar("R")

MAX_ATTEMPTS = 6
RETRY_PAUSE = 0.02
"""Seconds before the first repetition. Later pauses double."""
RETRYABLE_CODES = {"40001", "40P01", 1213, 1205, 1020, 1412}
"""PostgreSQL: serialization failure, deadlock.

MariaDB: deadlock, lock timeout, changed row, changed table.
"""


@contextmanager
def write_transaction(using: str) -> Iterator[None]:
    """Open a durable transaction that begins with a write."""
    with transaction.atomic(using=using, durable=True):
        get_backend(using).begin_writing()
        yield


@contextmanager
def space_lock(spaces: Iterable[int], using: str) -> Iterator[None]:
    """Open a durable transaction that first locks the rows of the spaces, in id order.

    The first statement is a write. So SQLite never has to upgrade a read lock, and MariaDB takes its snapshot
    after it has the lock.
    """
    with transaction.atomic(using=using, durable=True):
        for space in sorted(set(spaces)):
            document_queries.lock_space(using, space)
        yield


def call_with_retries(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function that opens its own transaction, and return its result.

    If the database rejects the transaction, repeat the call after growing pauses, at most ``MAX_ATTEMPTS``
    calls.
    """
    for attempt in range(MAX_ATTEMPTS - 1):
        try:
            return function(*args, **kwargs)
        except OperationalError as error:
            if not _is_retryable(error):
                raise
            # Random, so that two transactions that deadlocked do not collide again.
            time.sleep(RETRY_PAUSE * 2**attempt * (0.5 + random.random()))  # noqa: S311
    return function(*args, **kwargs)


def _is_retryable(error: OperationalError) -> bool:
    cause = error.__cause__
    sql_state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    error_number = error.args[0] if error.args else None
    return (
        sql_state in RETRYABLE_CODES or error_number in RETRYABLE_CODES or "database is locked" in str(error)
    )

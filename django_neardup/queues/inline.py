"""No queue at all: the work is done at once, in the request that has saved the post."""

from __future__ import annotations

import threading

from .. import pipeline
from .base import Bell, logger

SECONDS = 20.0
"""What one drain works at the most; the rest waits for the next request."""
ROUNDS = 10
"""How many drains one ring may lead to."""


class _Waiting(threading.local):
    """Databases that this thread is to drain; None where it is not draining."""

    aliases: set[str] | None = None


_waiting = _Waiting()


def check(queue: str) -> None:
    """Any queue's name will do: there is none."""


def ring(bell: Bell, queue: str, using: str) -> None:
    """Drain that database before the request goes on."""
    drain_now(using)


def drain_now(using: str) -> None:
    """Drain that database in this thread; errors are logged.

    A listener of our signals may save a post, which rings again from inside. That ring is answered when the
    drain that is under way has ended.
    """
    if _waiting.aliases is not None:
        _waiting.aliases.add(using)
        return
    _waiting.aliases = {using}
    try:
        for _ in range(ROUNDS):
            if _waiting.aliases:
                _drain_logged(_waiting.aliases.pop())
    finally:
        _waiting.aliases = None


def _drain_logged(alias: str) -> None:
    try:
        pipeline.drain(using=alias, seconds=SECONDS)
    except Exception:
        logger.exception("The documents of the database %r were not drained.", alias)

"""What Ctrl-C or a signal leaves of a database connection."""

from __future__ import annotations

from django.db import connections


def close_if_interrupted(error: BaseException, using: str) -> None:
    """Close the connection if ``error`` is an interruption, such as ``KeyboardInterrupt`` or ``SystemExit``.

    The interruption may have left the connection in the middle of a statement, so that the next one would fail.
    """
    if not isinstance(error, Exception):
        connections[using].close()

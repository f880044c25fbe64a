"""An end for a test that would hang if the work were not linear."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

HANG_SECONDS = 120


@contextmanager
def hang_guard() -> Iterator[None]:
    """Raise ``TimeoutError`` in a block that hangs, also in a regular expression, which notices signals."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)

"""Ctrl-C and signals that end a process between two steps, and never in the middle of a statement."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupted_between_steps(
    signal_number: int = signal.SIGINT, error: Callable[[], BaseException] = KeyboardInterrupt
) -> Iterator[Callable[[], None]]:
    """Hold a signal back until the next step, and yield the function to call between two steps.

    That function raises ``error()`` if the signal has come, and so does the end of the last step. A signal that comes
    again raises it at once. An ignored signal stays ignored.
    """
    # An exception anywhere could leave a database connection in the middle of a statement. Then everything that
    # closes transactions and frees claims would fail too.
    has_come = threading.Event()

    def note(*_: Any) -> None:
        if has_come.is_set():
            raise error()
        has_come.set()

    def check() -> None:
        if has_come.is_set():
            raise error()

    # Only this thread may set a handler.
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal_number) == signal.SIG_IGN
    ):
        yield check
        return
    handler = signal.signal(signal_number, note)
    try:
        yield check
        check()
    finally:
        # None is a handler that was not set from Python. It cannot be set again.
        if handler is not None:
            signal.signal(signal_number, handler)

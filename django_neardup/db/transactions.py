"""Callbacks after a commit."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction


def call_after_commit(using: str, callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """Call a function once the transaction of that database has committed. Without a transaction, call it
    now.

    Errors of the function are logged. They do not prevent other callbacks.
    """

    # Django logs the ``__qualname__`` of a failed callback. ``functools.partial`` has none.
    @wraps(callback)
    def call() -> None:
        callback(*args, **kwargs)

    transaction.on_commit(call, using=using, robust=True)

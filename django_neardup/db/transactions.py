"""Callbacks after a commit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction

from ..exceptions import without_message

logger = logging.getLogger(__name__)


def call_after_commit(using: str, callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """Call a function once the transaction of that database has committed. Without a transaction, call it
    now.

    Errors of the function are logged. They do not prevent other callbacks.
    """

    @wraps(callback)
    def call() -> None:
        # Django would log the message of the error too, which may quote a post.
        try:
            callback(*args, **kwargs)
        except Exception as error:
            # ``functools.partial`` has no name.
            name = getattr(callback, "__qualname__", type(callback).__qualname__)
            logger.error("neardup: %s failed after a commit", name, exc_info=without_message(error))

    transaction.on_commit(call, using=using, robust=True)

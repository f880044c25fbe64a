"""What is done when a transaction has committed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction


def after_commit(using: str, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> None:
    """Call a function with these arguments as soon as the transaction of that database has committed; outside of one
    now. What it raises is logged, and keeps no other callback from being called."""

    @wraps(function)  # Django logs the name of what has failed, which a partial has not
    def call() -> None:
        function(*arguments, **named)

    transaction.on_commit(call, using=using, robust=True)

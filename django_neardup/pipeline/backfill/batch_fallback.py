"""Processing of many posts together, and one by one if that fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from ...algorithms.statistics import StatisticsMissing
from ...exceptions import infrastructure_errors
from ..version_guard import SchemeChanged
from .ranges import LeaseLost

T = TypeVar("T")
R = TypeVar("R")

logger = logging.getLogger(__name__)


def _fatal_errors() -> tuple[type[Exception], ...]:
    """Return errors that no single post causes. They end the run."""
    return (*infrastructure_errors(), StatisticsMissing, SchemeChanged, LeaseLost)


def apply_to_all_or_each(function: Callable[[Sequence[T]], list[R]], posts: Sequence[T]) -> list[R]:
    """Return the results of ``function`` for all posts.

    If it fails, apply it to each post in turn. A single post that fails is left out and logged: the normal
    drain counts its attempts.
    """
    if not posts:
        return []
    try:
        return function(posts)
    except _fatal_errors():
        raise
    except Exception as error:
        if len(posts) == 1:
            logger.warning("neardup: a post is left to the drain (%s)", type(error).__name__)
            return []
    return [result for post in posts for result in apply_to_all_or_each(function, [post])]

"""Many posts in one go, unless one of them spoils it for the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from ...faults import nobodys
from ...signatures.statistics import StatisticsMissing
from ..fence import Outdated
from .claims import Overtaken

T = TypeVar("T")
R = TypeVar("R")

logger = logging.getLogger(__name__)


def _ending() -> tuple[type[Exception], ...]:
    """Errors of which no single post is guilty: they end the run."""
    return (*nobodys(), StatisticsMissing, Outdated, Overtaken)


def together(do: Callable[[Sequence[T]], list[R]], posts: Sequence[T]) -> list[R]:
    """What ``do`` makes of all posts; where it fails, of each alone, without those of which it can make nothing.

    These are logged: the ordinary drain counts their attempts."""
    if not posts:
        return []
    try:
        return do(posts)
    except _ending():
        raise
    except Exception as error:
        if len(posts) == 1:
            logger.warning("neardup: a post is left to the drain (%s)", type(error).__name__)
            return []
    return [made for post in posts for made in together(do, [post])]

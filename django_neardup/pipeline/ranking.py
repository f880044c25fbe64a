"""Whom to align first, of those that pass the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice

LIKEST = 4
"""Of so many that may be aligned one is kept for the likest, which go before representatives of other clusters: where
one template fills them, those may be many."""


def in_order(passing: Mapping[int, int | None], first: Iterable[int | None], most: int) -> list[int]:
    """All of ``passing``, in the order in which they are to be aligned where that is done with ``most`` of them.

    ``passing``: documents that pass the screen, the likest first, each with the representative of its cluster: itself
    where it represents one, None where it stands alone. Those of ``first`` go before all; then the few that are likest,
    each behind its representative; then other representatives, then the rest."""
    before = [each for each in first if each is not None and each in passing]
    likest = islice((each for each in passing if each not in before), max(1, most // LIKEST))
    few = (each for like in likest for each in (passing[like], like) if each is not None and each in passing)
    led = (each for each, leader in passing.items() if each == leader)
    return list(dict.fromkeys(chain(before, few, led, passing)))

"""How much is done between two signs of life, by how long it has taken so far."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

FIRST = 5
"""Posts of the first portion: nobody knows yet how long they take."""
SECONDS = 5.0
"""What a portion is to take at most, well within a lease."""


class Pace:
    """``size``: how many to take next, at most ``most``; twice as many as before, or fewer where they take long."""

    def __init__(self, most: int, first: int = FIRST) -> None:
        self.size, self.most = min(first, most), most

    def took(self, number: int, seconds: float) -> None:
        """So many took that long. Fewer than were asked for may only say that they were too many."""
        fitting = int(number * SECONDS / max(seconds, 0.001))
        grown = 2 * self.size if number >= self.size else self.size
        self.size = max(1, min(self.most, grown, fitting))

    def portions(self, values: Sequence[T]) -> Iterator[Sequence[T]]:
        """The values, as many at a time as the time that the caller takes for them allows."""
        place = 0
        while portion := values[place : place + self.size]:
            began = time.monotonic()
            yield portion
            self.took(len(portion), time.monotonic() - began)
            place += len(portion)

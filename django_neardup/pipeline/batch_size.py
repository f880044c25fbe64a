"""The size of the next batch, chosen by how long earlier batches took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

FIRST_SIZE = 5
"""Posts in the first batch, when their processing time is not known yet."""
TARGET_SECONDS = 5.0
"""Longest time that a batch should take: well within a lease."""


class AdaptiveBatchSize:
    """How many rows to take next.

    ``size`` doubles after each full batch, up to ``max_size``. It shrinks if a batch takes longer than the
    target.
    """

    def __init__(self, max_size: int, first_size: int = FIRST_SIZE) -> None:
        self.size, self.max_size = min(first_size, max_size), max_size

    def record(self, count: int, seconds: float) -> None:
        """Record that ``count`` rows took ``seconds``, and set the next size.

        Few rows can only make it smaller.
        """
        fitting_size = int(count * TARGET_SECONDS / max(seconds, 0.001))
        # A batch smaller than requested does not show that a larger one would be fast.
        larger_size = 2 * self.size if count >= self.size else self.size
        self.size = max(1, min(self.max_size, larger_size, fitting_size))

    def batches(self, values: Sequence[T]) -> Iterator[Sequence[T]]:
        """Yield the values in batches. The caller's time with each batch sets the size of the next one."""
        start = 0
        while batch := values[start : start + self.size]:
            started = time.monotonic()
            yield batch
            self.record(len(batch), time.monotonic() - started)
            start += len(batch)

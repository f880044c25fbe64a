"""Processor time of the steps of an algorithm, each step's own: what a step spends in another is the other's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(slots=True)
class Cost:
    """Seconds of processor time, and how often the step was taken."""

    seconds: float = 0.0
    count: int = 0

    def add(self, other: Cost) -> None:
        self.seconds += other.seconds
        self.count += other.count

    @property
    def each(self) -> float | None:
        """Milliseconds a step; None if there was none."""
        return 1000 * self.seconds / self.count if self.count else None


class Clock(dict[str, Cost]):
    """Costs by the name of the step."""

    def __init__(self) -> None:
        super().__init__()
        self._inner = 0.0

    def __missing__(self, step: str) -> Cost:
        return self.setdefault(step, Cost())

    def run(self, step: str, function: Callable[..., Result], *arguments: object) -> Result:
        """Call the function and charge the step with what it took, less the steps it called itself."""
        outer, self._inner = self._inner, 0.0
        start = process_time()
        try:
            return function(*arguments)
        finally:
            whole = process_time() - start
            cost = self[step]
            cost.seconds += whole - self._inner
            cost.count += 1
            self._inner = outer + whole

    def merge(self, others: dict[str, Cost]) -> None:
        """Add the costs of another clock."""
        for step, cost in others.items():
            self[step].add(cost)

"""Processor time of the steps of an algorithm. The time of a nested step counts only for the nested step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(slots=True)
class Cost:
    """Seconds of processor time, and the number of times that the step ran."""

    seconds: float = 0.0
    count: int = 0

    def add(self, other: Cost) -> None:
        self.seconds += other.seconds
        self.count += other.count

    @property
    def mean_milliseconds(self) -> float | None:
        """Return the mean milliseconds of a step. Return None if it never ran."""
        return 1000 * self.seconds / self.count if self.count else None


class StepClock(dict[str, Cost]):
    """Costs by the name of the step."""

    def __init__(self) -> None:
        super().__init__()
        self._nested_seconds = 0.0

    def __missing__(self, step: str) -> Cost:
        return self.setdefault(step, Cost())

    def measure(self, step: str, function: Callable[..., Result], *arguments: object) -> Result:
        """Call the function and charge the step with its time, less the time of nested steps."""
        outer_nested_seconds, self._nested_seconds = self._nested_seconds, 0.0
        start = process_time()
        try:
            return function(*arguments)
        finally:
            elapsed = process_time() - start
            cost = self[step]
            cost.seconds += elapsed - self._nested_seconds
            cost.count += 1
            self._nested_seconds = outer_nested_seconds + elapsed

    def merge(self, costs: dict[str, Cost]) -> None:
        """Add the costs of another clock."""
        for step, cost in costs.items():
            self[step].add(cost)

"""Runs rows: one that fails is reported with its reason, and the others go on."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from tqdm import tqdm

from benchmarks.figures import Figure, NotMeasured, Row, Sizes, rounded, row_of
from tests.services import FailedServiceError, MissingServiceError

EXPECTED = (NotMeasured, MissingServiceError, FailedServiceError)


@dataclass
class Outcome:
    """What a run has brought. `left`: row and reason of what was not measured; `broken`: rows with a fault of ours."""

    figures: list[Figure] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def missed(self) -> list[Figure]:
        """Figures that do not keep to their `must`."""
        return [figure for figure in self.figures if figure.met is False]


def run(
    chosen: Iterable[Row], sizes: Sizes, quiet: bool, keep: Callable[[Outcome], None] = lambda outcome: None
) -> Outcome:
    """The figures of those rows; what a row has yielded before it fails counts. `keep`: told after each row."""
    outcome = Outcome()
    silent = quiet or not sys.stderr.isatty()

    def bar(title: str, steps: int) -> Any:
        return tqdm(total=steps, desc=title, leave=False, disable=silent)

    for each in chosen:
        started = perf_counter()
        try:
            _measured(each, sizes, bar, outcome)
        except EXPECTED as error:
            outcome.left.append((each.number, str(error)))
        except Exception as error:
            traceback.print_exc()
            outcome.broken.append(each.number)
            outcome.left.append((each.number, traceback.format_exception_only(error)[-1].strip()))
        if not quiet:
            print(f"row {each.number}: {perf_counter() - started:.0f} s", file=sys.stderr)
        keep(outcome)
    return outcome


def _measured(each: Row, sizes: Sizes, bar: Any, outcome: Outcome) -> None:
    for figure in each.measure(sizes, bar):
        if row_of(figure.row) != each.number:
            raise ValueError(f"row {each.number} gave a figure {figure.row}")
        outcome.figures.append(replace(figure, value=rounded(figure.value)))

"""One line a row: all sets of pairs mode together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .corpora import matches
from .metrics import Core, best_threshold, macro_f1
from .results import Answers, PairsResult

APART = ("*headline*",)
ADVERTS = ("ads*",)
By = Literal["grouped", "swept"]


@dataclass(slots=True)
class Summary:
    """Results of one row on the sets, those that are kept apart among them."""

    algorithm: str
    kind: str
    results: list[PairsResult]
    apart: Sequence[str] = APART

    def cores(self, by: By = "grouped", patterns: Sequence[str] | None = None) -> dict[str, Core]:
        """Core pairs of the sets that have both classes: of those of the patterns, or of those not kept apart."""
        found = {
            result.corpus: getattr(result, by)
            for result in self.results
            if (matches(result.corpus, patterns) if patterns else not matches(result.corpus, self.apart))
        }
        return {name: each for name, each in found.items() if each is not None}

    @property
    def macro(self) -> float | None:
        """Mean F1 of `duplicate` on core pairs over the sets that are not kept apart."""
        return macro_f1(self.cores())

    @property
    def macro_all(self) -> float | None:
        """The same over all sets."""
        return macro_f1(self.cores(patterns=["*"]))

    @property
    def adverts(self) -> float | None:
        return macro_f1(self.cores(patterns=ADVERTS))

    @property
    def headlines(self) -> float | None:
        """The same over the sets kept apart."""
        return macro_f1(self.cores(patterns=self.apart)) if self.apart else None

    @property
    def best(self) -> tuple[float, float] | None:
        """The threshold on the score that would be best for the sets that are not kept apart, and the F1 then; for
        those kept apart where there are no others."""
        cores = self.cores("swept") or self.cores("swept", ["*"])
        return None if self.kind == "floor" else best_threshold(cores)

    @property
    def answers(self) -> Answers:
        """Costs of all sets."""
        made = Answers()
        for result in self.results:
            made.clock.merge(result.answers.clock)
            made.keys += result.answers.keys
        return made


def summaries(results: Sequence[PairsResult], apart: Sequence[str] = APART) -> list[Summary]:
    """One of each row, in the order of the rows."""
    made: dict[str, Summary] = {}
    for result in results:
        row = made.setdefault(result.algorithm, Summary(result.algorithm, result.kind, [], apart))
        row.results.append(result)
    return list(made.values())


def cut_at_best(results: Sequence[PairsResult], apart: Sequence[str] = APART) -> dict[str, float]:
    """Give the ceiling and the peers the verdicts of their best single thresholds; those thresholds, by name."""
    made = {}
    for row in summaries([result for result in results if result.kind in ("ceiling", "peer")], apart):
        best = row.best
        if best:
            made[row.algorithm] = best[0]
        for result in row.results:
            result.cut(best[0] if best else 0.5)
    return made

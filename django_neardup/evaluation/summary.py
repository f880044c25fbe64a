"""Summary of pairs mode: one line for each row, over all sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .corpora import matches_any
from .metrics import CoreScores, best_threshold, macro_f1
from .peers import PEERS
from .results import PairsResult, RowJudgements

SEPARATE_SETS = ("*headline*",)
"""Patterns of sets that are left out of the means."""
ADVERT_SETS = ("ads*",)
"""Patterns of sets of adverts."""
CoreSource = Literal["core_by_verdict", "core_by_score"]


@dataclass(slots=True)
class RowSummary:
    """Results of one row on all sets, including the separate ones."""

    algorithm: str
    kind: str
    results: list[PairsResult]
    separate_sets: Sequence[str] = SEPARATE_SETS

    def cores(
        self, source: CoreSource = "core_by_verdict", patterns: Sequence[str] | None = None
    ) -> dict[str, CoreScores]:
        """Return the core pairs of the sets that have both classes, by set.

        With ``patterns``, these are the sets that match. Otherwise they are all sets that are not separate.
        """
        core_by_set = {
            result.corpus: getattr(result, source)
            for result in self.results
            if (
                matches_any(result.corpus, patterns)
                if patterns
                else not matches_any(result.corpus, self.separate_sets)
            )
        }
        return {name: core for name, core in core_by_set.items() if core is not None}

    @property
    def mean_f1(self) -> float | None:
        """Return the mean F1 of ``duplicate`` on core pairs, over the sets that are not separate."""
        return macro_f1(self.cores())

    @property
    def mean_f1_all_sets(self) -> float | None:
        """Return the mean F1 over all sets."""
        return macro_f1(self.cores(patterns=["*"]))

    @property
    def mean_f1_adverts(self) -> float | None:
        return macro_f1(self.cores(patterns=ADVERT_SETS))

    @property
    def mean_f1_separate_sets(self) -> float | None:
        """Return the mean F1 over the separate sets. Return None if there are none."""
        return macro_f1(self.cores(patterns=self.separate_sets)) if self.separate_sets else None

    @property
    def best_threshold_and_f1(self) -> tuple[float, float] | None:
        """Return the best threshold on the score, and its mean F1.

        It is the best one for the sets that are not separate. If all sets are separate, it is the best one
        for them.
        """
        cores = self.cores("core_by_score") or self.cores("core_by_score", ["*"])
        return None if self.kind in ("floor", "fixed") else best_threshold(cores)

    @property
    def cost_totals(self) -> RowJudgements:
        """Return the costs of all sets."""
        totals = RowJudgements()
        for result in self.results:
            totals.clock.merge(result.judgements.clock)
            totals.key_count += result.judgements.key_count
        return totals


def summarize_rows(
    results: Sequence[PairsResult], separate_sets: Sequence[str] = SEPARATE_SETS
) -> list[RowSummary]:
    """Return one summary for each row, in the order of the rows."""
    summaries: dict[str, RowSummary] = {}
    for result in results:
        summary = summaries.setdefault(
            result.algorithm, RowSummary(result.algorithm, result.kind, [], separate_sets)
        )
        summary.results.append(result)
    return list(summaries.values())


def apply_best_thresholds(
    results: Sequence[PairsResult], separate_sets: Sequence[str] = SEPARATE_SETS
) -> dict[str, float]:
    """Set the verdicts of the ceiling and the peers by their best thresholds.

    Return the thresholds by name.
    """
    thresholds = {}
    for row in summarize_rows(
        [result for result in results if result.kind in ("ceiling", "peer")], separate_sets
    ):
        best = row.best_threshold_and_f1
        if best:
            thresholds[row.algorithm] = best[0]
        for result in row.results:
            result.apply_threshold(best[0] if best else 0.5)
    return thresholds


def add_fixed_rows(results: Sequence[PairsResult]) -> list[PairsResult]:
    """Return the results, each of a peer followed by its row at the peer's fixed threshold."""
    all_results = []
    for result in results:
        all_results.append(result)
        if result.kind == "peer":
            all_results.append(_fixed_result(result, PEERS[result.algorithm].fixed_threshold))
    return all_results


def _fixed_result(result: PairsResult, threshold: float) -> PairsResult:
    title = f"{result.algorithm} at {threshold:g}"
    fixed = PairsResult(title, result.corpus, result.pairs, replace(result.judgements), "fixed")
    fixed.apply_threshold(threshold)
    return fixed

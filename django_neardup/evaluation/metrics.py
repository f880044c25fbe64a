"""Counts of right and wrong verdicts, and rates computed from them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .corpora import LabelledPair

CHANGE_BANDS = ("0-0.1", "0.1-0.3", "0.3-0.5", "0.5-1", "?")
"""Names of bands of the share of changed words."""
THRESHOLDS = tuple(step / 200 for step in range(1, 201))
"""Thresholds on the score that are tried: 0.005, 0.010 … 1."""


def change_band(changed_share: float | None) -> str:
    """Return the band of a share of changed words. A band includes its upper bound."""
    if changed_share is None:
        return "?"
    for limit, name in ((0.1, CHANGE_BANDS[0]), (0.3, CHANGE_BANDS[1]), (0.5, CHANGE_BANDS[2])):
        if changed_share <= limit:
            return name
    return CHANGE_BANDS[3]


def ratio(part: int, whole: int) -> float | None:
    """Return part / whole. Return None if whole is 0."""
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None. Return None if there are none."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


@dataclass(slots=True)
class VerdictCounts:
    """Verdicts on pairs with the same label, and the number of pairs found.

    ``ConfusionCounts`` defines what is found.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    found_count: int = 0

    @property
    def total_count(self) -> int:
        return self.verdicts.total()

    @property
    def offered_count(self) -> int:
        return self.total_count - self.verdicts["none"]


@dataclass(slots=True)
class ConfusionCounts:
    """Verdicts of one algorithm on one set.

    A true pair is found if its verdict is ``duplicate``. If one text is labelled to contain the other,
    ``contained`` is right too. A false pair with the verdict ``duplicate`` is an error. A pair is offered if
    it has any verdict except ``none``.
    """

    positive: VerdictCounts = field(default_factory=VerdictCounts)
    negative: VerdictCounts = field(default_factory=VerdictCounts)
    policy: VerdictCounts = field(default_factory=VerdictCounts)
    bands: dict[str, VerdictCounts] = field(
        default_factory=lambda: {name: VerdictCounts() for name in CHANGE_BANDS}
    )

    def add(self, pair: LabelledPair, verdict: str) -> None:
        is_found = verdict == "duplicate" or (
            pair.is_containment and pair.is_duplicate is True and verdict == "contained"
        )
        outcomes = [{True: self.positive, False: self.negative, None: self.policy}[pair.is_duplicate]]
        if pair.is_duplicate:
            outcomes.append(self.bands[change_band(pair.changed_share)])
        for outcome in outcomes:
            outcome.verdicts[verdict] += 1
            outcome.found_count += is_found

    @property
    def missed_count(self) -> int:
        return self.positive.total_count - self.positive.found_count

    @property
    def wrong_count(self) -> int:
        return self.negative.found_count

    @property
    def precision(self) -> float | None:
        return ratio(self.positive.found_count, self.positive.found_count + self.wrong_count)

    @property
    def recall(self) -> float | None:
        return ratio(self.positive.found_count, self.positive.total_count)

    @property
    def f1(self) -> float | None:
        """Return 2 tp / (2 tp + fp + fn). Return None if there are no true pairs and no errors."""
        return ratio(
            2 * self.positive.found_count,
            2 * self.positive.found_count + self.wrong_count + self.missed_count,
        )


@dataclass(frozen=True, slots=True)
class CoreScores:
    """Scores of the core pairs of a set, ascending: of the true ones and of the false ones.

    ``LabelledPair.is_core`` defines core pairs. A verdict has the score 1 for ``duplicate`` and 0 for any
    other, so the threshold 0.5 stands for it.
    """

    true_scores: tuple[float, ...]
    false_scores: tuple[float, ...]

    def counts(self, threshold: float = 0.5) -> tuple[int, int, int]:
        """Return true pairs found, true pairs missed, false pairs found.

        Found is a score of ``threshold`` or more.
        """
        missed = bisect_left(self.true_scores, threshold)
        return (
            len(self.true_scores) - missed,
            missed,
            len(self.false_scores) - bisect_left(self.false_scores, threshold),
        )

    def f1(self, threshold: float = 0.5) -> float:
        """Return F1, 0..1. Return 0 if no true pair is found."""
        found, missed, wrong = self.counts(threshold)
        return 2 * found / (2 * found + missed + wrong) if found else 0.0

    def precision(self, threshold: float = 0.5) -> float:
        """Return the precision. Return 1 if no pair is found."""
        found, _, wrong = self.counts(threshold)
        return found / (found + wrong) if found + wrong else 1.0

    def recall(self, threshold: float = 0.5) -> float:
        found, missed, _ = self.counts(threshold)
        return found / (found + missed) if found + missed else 0.0


def build_core_scores(pairs: Sequence[LabelledPair], scores: Sequence[float]) -> CoreScores | None:
    """Return the scores of the core pairs of a set.

    Return None if there are no true core pairs, or no false pairs at all. If a pair is listed twice, in any
    order of its texts, the last label counts.
    """
    if all(pair.is_duplicate is not False for pair in pairs):
        return None
    last = {frozenset((pair.a, pair.b)): number for number, pair in enumerate(pairs)}
    chosen = [number for number in last.values() if pairs[number].is_core]
    true = sorted(scores[number] for number in chosen if pairs[number].is_duplicate)
    false = sorted(scores[number] for number in chosen if not pairs[number].is_duplicate)
    return CoreScores(tuple(true), tuple(false)) if true else None


def macro_f1(cores: Mapping[str, CoreScores], threshold: float = 0.5) -> float | None:
    """Return the mean F1 of the sets."""
    return mean(core.f1(threshold) for core in cores.values())


def best_threshold(cores: Mapping[str, CoreScores]) -> tuple[float, float] | None:
    """Return the threshold with the highest mean F1 of the sets, and that mean.

    The steps are 0.005. Return None if there are no sets.
    """
    if not cores:
        return None
    f1_by_threshold = {threshold: macro_f1(cores, threshold) or 0.0 for threshold in THRESHOLDS}
    best = max(f1_by_threshold, key=lambda threshold: f1_by_threshold[threshold])
    return best, f1_by_threshold[best]

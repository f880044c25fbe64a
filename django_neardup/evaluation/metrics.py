"""Counts of right and wrong verdicts, and the rates made of them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .corpora import LabelledPair

BANDS = ("0-0.1", "0.1-0.3", "0.3-0.5", "0.5-1", "?")
THRESHOLDS = tuple(step / 200 for step in range(1, 201))


def band(changed: float | None) -> str:
    """The band of a share of changed words; the upper bound belongs to the band."""
    if changed is None:
        return "?"
    for limit, name in ((0.1, BANDS[0]), (0.3, BANDS[1]), (0.5, BANDS[2])):
        if changed <= limit:
            return name
    return BANDS[3]


def ratio(part: int, whole: int) -> float | None:
    """part / whole, or None where there is nothing to divide by."""
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Of the values that are there; None if none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


@dataclass(slots=True)
class Outcome:
    """How the pairs of one truth were judged: counts of verdicts, and of those found as they should be."""

    verdicts: Counter[str] = field(default_factory=Counter)
    grouped: int = 0

    @property
    def total(self) -> int:
        return self.verdicts.total()

    @property
    def offered(self) -> int:
        return self.total - self.verdicts["none"]


@dataclass(slots=True)
class Score:
    """Verdicts of one algorithm on one set.

    A true pair is found when it is called `duplicate`; where one text is labelled to hold the other, `contained` is as
    right.  A false pair is an error when it is called `duplicate`.  Offered = any verdict but `none`.
    """

    positive: Outcome = field(default_factory=Outcome)
    negative: Outcome = field(default_factory=Outcome)
    policy: Outcome = field(default_factory=Outcome)
    bands: dict[str, Outcome] = field(default_factory=lambda: {name: Outcome() for name in BANDS})

    def add(self, pair: LabelledPair, verdict: str) -> None:
        found = verdict == "duplicate" or (
            pair.contains and pair.duplicate is True and verdict == "contained"
        )
        outcomes = [{True: self.positive, False: self.negative, None: self.policy}[pair.duplicate]]
        if pair.duplicate:
            outcomes.append(self.bands[band(pair.changed)])
        for outcome in outcomes:
            outcome.verdicts[verdict] += 1
            outcome.grouped += found

    @property
    def missed(self) -> int:
        return self.positive.total - self.positive.grouped

    @property
    def wrong(self) -> int:
        return self.negative.grouped

    @property
    def precision(self) -> float | None:
        return ratio(self.positive.grouped, self.positive.grouped + self.wrong)

    @property
    def recall(self) -> float | None:
        return ratio(self.positive.grouped, self.positive.total)

    @property
    def f1(self) -> float | None:
        """2 tp / (2 tp + fp + fn); None without true pairs and without errors."""
        return ratio(2 * self.positive.grouped, 2 * self.positive.grouped + self.wrong + self.missed)


@dataclass(frozen=True, slots=True)
class Core:
    """Scores of the core pairs of a set (see `LabelledPair.core`), ascending, of the true and of the false ones.

    Of a verdict the score is 1 for `duplicate` and 0 for any other, so that the one threshold 0.5 stands for it.
    """

    true: tuple[float, ...]
    false: tuple[float, ...]

    def counts(self, threshold: float = 0.5) -> tuple[int, int, int]:
        """True pairs found, true pairs missed, false pairs found: those with a score of `threshold` and more."""
        missed = bisect_left(self.true, threshold)
        return len(self.true) - missed, missed, len(self.false) - bisect_left(self.false, threshold)

    def f1(self, threshold: float = 0.5) -> float:
        """0..1; 0 where no true pair is found."""
        found, missed, wrong = self.counts(threshold)
        return 2 * found / (2 * found + missed + wrong) if found else 0.0

    def precision(self, threshold: float = 0.5) -> float:
        """1 where nothing is found."""
        found, _, wrong = self.counts(threshold)
        return found / (found + wrong) if found + wrong else 1.0

    def recall(self, threshold: float = 0.5) -> float:
        found, missed, _ = self.counts(threshold)
        return found / (found + missed) if found + missed else 0.0


def core(pairs: Sequence[LabelledPair], scores: Sequence[float]) -> Core | None:
    """The core pairs of a set; None unless true ones are among them and false ones in the set.

    Of a pair that is listed twice, in whichever order, the last label counts.
    """
    if all(pair.duplicate is not False for pair in pairs):
        return None
    last = {frozenset((pair.a, pair.b)): number for number, pair in enumerate(pairs)}
    chosen = [number for number in last.values() if pairs[number].core]
    true = sorted(scores[number] for number in chosen if pairs[number].duplicate)
    false = sorted(scores[number] for number in chosen if not pairs[number].duplicate)
    return Core(tuple(true), tuple(false)) if true else None


def macro_f1(cores: Mapping[str, Core], threshold: float = 0.5) -> float | None:
    """Mean F1 of the sets."""
    return mean(each.f1(threshold) for each in cores.values())


def best_threshold(cores: Mapping[str, Core]) -> tuple[float, float] | None:
    """The single threshold, in steps of 0.005, that makes the mean F1 of the sets greatest, and that mean.

    None where there are no sets.
    """
    if not cores:
        return None
    reached = {threshold: macro_f1(cores, threshold) or 0.0 for threshold in THRESHOLDS}
    best = max(reached, key=lambda threshold: reached[threshold])
    return best, reached[best]

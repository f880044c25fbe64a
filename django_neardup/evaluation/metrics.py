"""Counts of right and wrong verdicts, and the rates made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .corpora import LabelledPair

BANDS = ("0-0.1", "0.1-0.3", "0.3-0.5", "0.5-1", "?")


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

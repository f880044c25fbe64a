"""What a run of the bench finds out, before it is put in tables."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .corpora import LabelledPair
from .costs import Clock
from .metrics import Core, Score, core

Record = dict[str, Any]
Row = dict[str, Any]


@dataclass(slots=True)
class Answers:
    """What one row said of some pairs, in their order, and the processor time of its steps.

    `keys` counts the keys of the texts that `clock["keys"]` counts.
    """

    verdicts: list[str] = field(default_factory=list)
    scores: array[float] = field(default_factory=lambda: array("d"))
    classes: list[tuple[str, ...]] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    keys: int = 0

    def extend(self, other: Answers) -> None:
        """Add what was said of the pairs that follow."""
        self.verdicts += other.verdicts
        self.scores.extend(other.scores)
        self.classes += other.classes
        self.clock.merge(other.clock)
        self.keys += other.keys


@dataclass
class PairsResult:
    """What one row of the bench made of the labelled pairs of one set.

    `kind`: `algorithm`, `floor` (one verdict for all), `ceiling` (brute force) or `peer`; `threshold`: the one that
    was swept for, of the last two.
    """

    algorithm: str
    corpus: str
    pairs: Sequence[LabelledPair]
    answers: Answers
    kind: str = "algorithm"
    threshold: float | None = None

    @cached_property
    def score(self) -> Score:
        made = Score()
        for pair, verdict in zip(self.pairs, self.answers.verdicts, strict=True):
            made.add(pair, verdict)
        return made

    @cached_property
    def grouped(self) -> Core | None:
        """Core pairs by the verdict."""
        return core(self.pairs, [float(verdict == "duplicate") for verdict in self.answers.verdicts])

    @cached_property
    def swept(self) -> Core | None:
        """Core pairs by the score; what is called a variant has none, whatever it looks like."""
        said = zip(self.answers.verdicts, self.answers.scores, strict=True)
        return core(self.pairs, [0.0 if verdict == "variant" else score for verdict, score in said])

    def cut(self, threshold: float) -> None:
        """Verdicts by a threshold on the score."""
        self.threshold = threshold
        self.answers.verdicts = [
            "duplicate" if score >= threshold else "none" for score in self.answers.scores
        ]
        vars(self).pop("score", None)
        vars(self).pop("grouped", None)

    def records(self) -> list[Record]:
        """Lines of a verdicts file."""
        answers = zip(
            self.pairs, self.answers.verdicts, self.answers.scores, self.answers.classes, strict=True
        )
        return [
            record(self.corpus, self.algorithm, pair.a, pair.b, verdict, score, classes)
            for pair, verdict, score, classes in answers
        ]


def record(
    corpus: str, algorithm: str, a: str, b: str, verdict: str, score: float, classes: Sequence[str] = ()
) -> Record:
    """One line of a file of verdicts or of pairs found."""
    return {
        "set": corpus,
        "a": a,
        "b": b,
        "verdict": verdict,
        "score": round(score, 3),
        "classes": list(classes),
        "algorithm": algorithm,
    }


@dataclass(slots=True)
class CollectionResult:
    """What one row found among all texts of one set: sums over the texts.

    `true_*`: of the labelled true pairs with at most half of the words changed, how many were candidates, offered and
    called `duplicate`.  `right`, `wrong`: pairs called `duplicate` that are one text, and that are not;
    `labelled_found` of `labelled` pairs were called so that are labelled as one text, whatever the change.
    `duplicates`: the pairs called `duplicate`, each as number of one text * texts + number of the other.
    """

    algorithm: str
    corpus: str
    kind: str = "algorithm"
    texts: int = 0
    keys: int = 0
    candidates: int = 0
    judged: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    true_pairs: int = 0
    true_candidates: int = 0
    true_offered: int = 0
    right: int = 0
    wrong: int = 0
    labelled: int = 0
    labelled_found: int = 0
    duplicates: array[int] = field(default_factory=lambda: array("Q"))
    clock: Clock = field(default_factory=Clock)
    index_seconds: float = 0.0

    @property
    def precision(self) -> float | None:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        return self.labelled_found / self.labelled if self.labelled else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean; None where there is no labelled true pair."""
        if self.recall is None:
            return None
        both = (self.precision or 0.0) + self.recall
        return 2 * (self.precision or 0.0) * self.recall / both if both else 0.0


@dataclass(slots=True)
class UnionRow:
    """One row against the pairs that any row found and whose texts are alike enough: counts of pairs."""

    algorithm: str
    corpus: str
    true: int
    found: int
    right: int

    @property
    def recall(self) -> float | None:
        return self.right / self.true if self.true else None

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def f1(self) -> float | None:
        return 2 * self.right / (self.true + self.found) if self.true + self.found else None


@dataclass(slots=True)
class PoolResult:
    """Candidates of one row in one collection of all sets; nothing is judged.

    `recall`: by set and band, true pairs found and their number; `sizes`: by the number of texts, the share of the
    drawn true pairs that are found; `keys_150_250`: keys a text, of texts of 150-250 words.
    """

    algorithm: str
    texts: int
    keys: float
    keys_150_250: float | None
    met: float
    recall: dict[str, dict[str, tuple[int, int]]]
    sizes: dict[int, float]
    clock: Clock = field(default_factory=Clock)
    family: str = ""
    parameter: float | None = None

    def share(self, corpus: str) -> float | None:
        """Recall in one set."""
        found, total = map(sum, zip(*self.recall[corpus].values(), strict=True))
        return found / total if total else None

"""Results of a run of the bench, before they are put in tables."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .cluster_metrics import ClusterFigures
from .corpora import LabelledPair
from .metrics import ConfusionCounts, CoreScores, build_core_scores
from .timing import StepClock

VerdictRecord = dict[str, Any]
TableRow = dict[str, Any]


@dataclass(slots=True)
class RowJudgements:
    """Judgements of one row on some pairs, in their order, and the processor time of its steps.

    ``rules`` are the rules that decided on a pair. Only algorithms have them.
    ``key_count`` is the number of keys of the texts that ``clock["keys"]`` counts.
    """

    verdicts: list[str] = field(default_factory=list)
    scores: array[float] = field(default_factory=lambda: array("d"))
    classes: list[tuple[str, ...]] = field(default_factory=list)
    rules: list[tuple[str, ...]] = field(default_factory=list)
    clock: StepClock = field(default_factory=StepClock)
    key_count: int = 0

    def extend(self, other: RowJudgements) -> None:
        """Append the judgements of the following pairs."""
        self.verdicts += other.verdicts
        self.scores.extend(other.scores)
        self.classes += other.classes
        self.rules += other.rules
        self.clock.merge(other.clock)
        self.key_count += other.key_count


@dataclass
class PairsResult:
    """Result of one row on the labelled pairs of one set.

    ``kind`` is ``algorithm``, ``floor`` (one verdict for all), ``ceiling`` (brute force), ``peer``, or ``fixed``
    (a peer at its fixed threshold). ``threshold`` is the threshold of a ceiling or peer.
    """

    algorithm: str
    corpus: str
    pairs: Sequence[LabelledPair]
    judgements: RowJudgements
    kind: str = "algorithm"
    threshold: float | None = None

    @cached_property
    def counts(self) -> ConfusionCounts:
        confusion = ConfusionCounts()
        for pair, verdict in zip(self.pairs, self.judgements.verdicts, strict=True):
            confusion.add(pair, verdict)
        return confusion

    @cached_property
    def core_by_verdict(self) -> CoreScores | None:
        """Return the core pairs with scores of their verdicts."""
        return build_core_scores(
            self.pairs, [float(verdict == "duplicate") for verdict in self.judgements.verdicts]
        )

    @cached_property
    def core_by_score(self) -> CoreScores | None:
        """Return the core pairs with their scores."""
        # A variant has the score 0, however similar the texts are.
        judgements = zip(self.judgements.verdicts, self.judgements.scores, strict=True)
        return build_core_scores(
            self.pairs, [0.0 if verdict == "variant" else score for verdict, score in judgements]
        )

    def apply_threshold(self, threshold: float) -> None:
        """Set the verdicts by a threshold on the score."""
        self.threshold = threshold
        self.judgements.verdicts = [
            "duplicate" if score >= threshold else "none" for score in self.judgements.scores
        ]
        # These cached properties depend on the verdicts.
        vars(self).pop("counts", None)
        vars(self).pop("core_by_verdict", None)

    def verdict_records(self) -> list[VerdictRecord]:
        """Return the lines of a verdicts file."""
        judged_pairs = zip(
            self.pairs, self.judgements.verdicts, self.judgements.scores, self.judgements.classes, strict=True
        )
        return [
            build_record(self.corpus, self.algorithm, pair.a, pair.b, verdict, score, classes)
            for pair, verdict, score, classes in judged_pairs
        ]


def build_record(
    corpus: str, algorithm: str, a: str, b: str, verdict: str, score: float, classes: Sequence[str] = ()
) -> VerdictRecord:
    """Return one line of a file of verdicts or of found pairs."""
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
    """Result of one row on all texts of one set. Counts are sums over the texts.

    - ``true_count``: labelled true pairs with at most half of the words changed.
    - ``true_candidate_count``, ``true_offered_count``: how many of them were candidates, and how many were
      offered.
    - ``right_count``, ``wrong_count``: pairs with the verdict ``duplicate`` that are one text, and that are
      not.
    - ``labelled_count``, ``labelled_found_count``: pairs labelled as one text with any share of changed
      words, and how many of them have the verdict ``duplicate``.
    - ``duplicate_codes``: pairs with the verdict ``duplicate``. Each is one number:
      ``number of the first text * text_count + number of the second``.
    - ``clusters``: agreement of the clusters with the known groups. None if no group is known.
    """

    algorithm: str
    corpus: str
    kind: str = "algorithm"
    text_count: int = 0
    key_count: int = 0
    candidate_count: int = 0
    judged_count: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    true_count: int = 0
    true_candidate_count: int = 0
    true_offered_count: int = 0
    right_count: int = 0
    wrong_count: int = 0
    labelled_count: int = 0
    labelled_found_count: int = 0
    duplicate_codes: array[int] = field(default_factory=lambda: array("Q"))
    clock: StepClock = field(default_factory=StepClock)
    index_seconds: float = 0.0
    clusters: ClusterFigures | None = None

    @property
    def precision(self) -> float | None:
        return (
            self.right_count / (self.right_count + self.wrong_count)
            if self.right_count + self.wrong_count
            else None
        )

    @property
    def recall(self) -> float | None:
        return self.labelled_found_count / self.labelled_count if self.labelled_count else None

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean. Return None if there is no labelled true pair."""
        if self.recall is None:
            return None
        total = (self.precision or 0.0) + self.recall
        return 2 * (self.precision or 0.0) * self.recall / total if total else 0.0


@dataclass(slots=True)
class UnionResult:
    """Counts of one row against the pairs that any row found, if their texts are similar enough."""

    algorithm: str
    corpus: str
    true_count: int
    found_count: int
    right_count: int

    @property
    def recall(self) -> float | None:
        return self.right_count / self.true_count if self.true_count else None

    @property
    def precision(self) -> float | None:
        return self.right_count / self.found_count if self.found_count else None

    @property
    def f1(self) -> float | None:
        return (
            2 * self.right_count / (self.true_count + self.found_count)
            if self.true_count + self.found_count
            else None
        )


@dataclass(slots=True)
class PoolResult:
    """Candidates of one row in one collection of all sets. No pair is judged.

    - ``recall_counts``: by set and band, the number of true pairs found and of all true pairs.
    - ``recall_by_size``: by number of texts, the share of drawn true pairs that are found.
    - ``keys_150_250``: keys a text, for texts of 150-250 words.
    - ``bucket_neighbours``: earlier texts in the buckets of a text, on average.
    - ``family``, ``window``: the row of the curve to which this row belongs, and its window.
    """

    algorithm: str
    text_count: int
    keys_per_text: float
    keys_150_250: float | None
    bucket_neighbours: float
    recall_counts: dict[str, dict[str, tuple[int, int]]]
    recall_by_size: dict[int, float]
    clock: StepClock = field(default_factory=StepClock)
    family: str = ""
    window: float | None = None

    def set_recall(self, corpus: str) -> float | None:
        """Return the recall in one set. Return None if it has no true pairs."""
        found, total = map(sum, zip(*self.recall_counts[corpus].values(), strict=True))
        return found / total if total else None

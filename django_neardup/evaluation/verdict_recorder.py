"""The record of what a row found in a collection: counts, written lines, and clusters."""

from __future__ import annotations

from collections.abc import Callable

from ..algorithms import Judgement
from ..clustering.pair_graph import PairGraph
from .cluster_metrics import cluster_figures
from .corpora import Corpus
from .ground_truth import GroundTruth
from .results import CollectionResult, VerdictRecord, build_record
from .rows import BenchRow

WriteRecord = Callable[[VerdictRecord], None]


class VerdictRecorder:
    """Counts and writes the judgements of the candidates of a set, and clusters the texts."""

    def __init__(
        self, row: BenchRow, corpus: Corpus, ground_truth: GroundTruth, write_record: WriteRecord | None
    ) -> None:
        self.result = CollectionResult(row.title, corpus.name, row.kind, len(corpus.texts), clock=row.clock)
        self.result.true_count, self.result.labelled_count = (
            len(ground_truth.candidate_pairs),
            len(ground_truth.labelled_pairs),
        )
        self._ground_truth, self._write_record = ground_truth, write_record
        self._numbers = {key: number for number, key in enumerate(corpus.texts)}
        self._graph = PairGraph()

    def add(self, a: str, b: str, judgement: Judgement) -> None:
        """Record the judgement of a candidate pair. ``a`` was indexed before ``b``."""
        result, pair = self.result, frozenset((a, b))
        result.verdicts[judgement.verdict] += 1
        self._graph.add_pair(self._numbers[a], self._numbers[b], judgement.verdict, judgement.score)
        if pair in self._ground_truth.candidate_pairs:
            result.true_candidate_count += 1
            result.true_offered_count += judgement.is_similar
        if judgement.verdict == "duplicate":
            relation = self._ground_truth.relation(a, b)
            result.right_count += relation == "same"
            result.wrong_count += relation == "different"
            result.labelled_found_count += pair in self._ground_truth.labelled_pairs
            result.duplicate_codes.append(self._pair_code(a, b))
        if self._write_record:
            self._write_record(
                build_record(
                    result.corpus,
                    result.algorithm,
                    a,
                    b,
                    judgement.verdict,
                    judgement.score,
                    judgement.classes,
                )
            )

    def _pair_code(self, a: str, b: str) -> int:
        first, second = sorted((self._numbers[a], self._numbers[b]))
        return first * len(self._numbers) + second

    def measure_clusters(self) -> None:
        """Cluster all texts as the app does, in their order, and compare the clusters with the known groups.

        Texts without a known group take part in the clusters, and are left out of the figures.
        """
        self._graph.assign_leaders(self._numbers.values())
        groups = self._ground_truth.known_groups
        keys = [key for key in self._numbers if key in groups]
        self.result.clusters = cluster_figures(
            [self._graph.leaders[self._numbers[key]] for key in keys], [groups[key] for key in keys]
        )

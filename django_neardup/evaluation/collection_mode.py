"""Collection mode: index all texts of a set one by one, and judge the pairs found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from time import process_time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..algorithms import Algorithm, Judgement
from ..comparison.bucket_matches import BucketMatches, Nearby
from ..comparison.candidates import candidates_many
from ..comparison.compared_texts import SignedText, StoredFingerprint
from ..comparison.memory_posts import MemoryPosts
from ..comparison.verify import verify_many
from ..text.canonical_text import CanonicalText
from .corpora import Corpus
from .ground_truth import GroundTruth
from .peer_base import PeerIndex
from .results import CollectionResult
from .rows import AlgorithmRow, BenchRow, PeerRow
from .text_cache import CanonicalTextCache
from .verdict_recorder import VerdictRecorder, WriteRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUCKET_SIZE = 64
"""Newest texts of a bucket that become candidates."""
MAX_ALIGNED = 32
"""Candidates of a text that are judged."""
NONE_JUDGEMENT = Judgement("none", 0.0)


@dataclass(slots=True)
class CollectionText:
    """A text of a collection as the stages of the comparison read it.

    ``document_id``: its number in the collection. ``text`` is dropped when the text is indexed.
    """

    document_id: int
    algorithm: Algorithm
    keys: NDArray[np.int64]
    payload: bytes
    exact_digest: str
    word_count: int
    text: CanonicalText | None = None
    is_new: bool = True
    space_id: int = 0
    sure_keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    identity: tuple[str, ...] = ()
    author: str = ""
    ignored_classes: tuple[str, ...] | None = None

    @property
    def source_digest(self) -> str:
        """Return a digest that tells that the text is there."""
        return self.exact_digest


class CollectionPosts(MemoryPosts):
    """The earlier texts of a collection. ``nearby`` holds the texts that were screened for the last one."""

    nearby: Set[int] = frozenset()

    def select_nearby(
        self, signed: Sequence[SignedText], matches: Mapping[int, BucketMatches]
    ) -> dict[int, Nearby]:
        selected = super().select_nearby(signed, matches)
        self.nearby = selected[signed[0].document_id].shared_counts.keys()
        return selected

    def is_judged_by_payload(self, signed: SignedText, fingerprints: Iterable[StoredFingerprint]) -> bool:
        """Return False: the cost of each judgement is measured."""
        return False


class Finder(Protocol):
    """One row of collection mode. It gets the texts one by one, and may find more pairs at the end."""

    result: CollectionResult

    def add(self, key: str, text: CanonicalText) -> None: ...

    def finish(self) -> None: ...


class AlgorithmFinder:
    """An algorithm with its index, compared as the worker compares posts."""

    def __init__(
        self, row: AlgorithmRow, recorder: VerdictRecorder, texts: CanonicalTextCache, max_aligned: int
    ) -> None:
        self.result, self._row, self._recorder, self._ids = recorder.result, row, recorder, list[str]()
        self._posts = CollectionPosts(
            BUCKET_SIZE,
            max_aligned,
            lambda ignored: row.algorithm,
            lambda number: texts[self._ids[number]],
        )

    def add(self, key: str, text: CanonicalText) -> None:
        algorithm, number = self._row.algorithm, len(self._ids)
        self._ids.append(key)
        keys = np.sort(np.array(algorithm.keys(text), np.uint64).view(np.int64))
        signed = CollectionText(
            number, algorithm, keys, algorithm.payload(text), text.exact_digest.hex(), len(text), text
        )
        pairs = verify_many([signed], candidates_many([signed], self._posts), self._posts)[number]
        self._posts.add(replace(signed, text=None))
        self.result.candidate_count += len(self._posts.nearby)
        self.result.judged_count += len(pairs)
        for pair in pairs:
            self._recorder.add(self._ids[pair.a.document_id], key, pair.judgement)
        for other in self._posts.nearby - {pair.a.document_id for pair in pairs}:
            self._recorder.add(self._ids[other], key, NONE_JUDGEMENT)

    def finish(self) -> None:
        self.result.key_count = self._row.key_count


class BatchFinder:
    """An algorithm without signatures.

    It gets all texts together, and every pair that it returns is a duplicate.
    """

    def __init__(self, row: AlgorithmRow, recorder: VerdictRecorder, texts: CanonicalTextCache) -> None:
        self.result, self._row, self._recorder, self._texts = recorder.result, row, recorder, texts
        self._ids: list[str] = []

    def add(self, key: str, text: CanonicalText) -> None:
        self._ids.append(key)

    def finish(self) -> None:
        algorithm: Any = self._row.algorithm
        texts = [self._texts[key] for key in self._ids]
        pairs = self._row.clock.measure("batch", lambda: list(algorithm.find_pairs(texts)))
        self.result.candidate_count = self.result.judged_count = len(pairs)
        for first, second in pairs:
            a, b = sorted((first, second))
            self._recorder.add(self._ids[a], self._ids[b], Judgement("duplicate", 1.0))


class PeerFinder:
    """A peer with its own index at one threshold. The peer's measure checks each candidate."""

    def __init__(self, row: PeerRow, recorder: VerdictRecorder, threshold: float) -> None:
        self.result, self._row, self._recorder, self._threshold = recorder.result, row, recorder, threshold
        self._index: PeerIndex = row.peer.build_index(threshold)
        self._inserted: list[tuple[str, Any]] = []

    def add(self, key: str, text: CanonicalText) -> None:
        feature = self._row.feature(text)
        candidates = sorted(int(str(candidate_key)) for candidate_key in self._index.query(feature))
        self.result.candidate_count += len(candidates)
        self.result.judged_count += len(candidates)
        for number in candidates:
            other, other_feature = self._inserted[number]
            score = self._row.clock.measure("judge", self._row.peer.score, other_feature, feature)
            verdict = "duplicate" if score >= self._threshold else "none"
            self._recorder.add(other, key, Judgement(verdict, score))
        self._index.insert(len(self._inserted), feature)
        self._inserted.append((key, feature))

    def finish(self) -> None:
        """Do nothing: every pair was judged in ``add``."""


def run_finders(
    corpus: Corpus,
    rows: Sequence[BenchRow],
    texts: CanonicalTextCache,
    writers: Mapping[str, WriteRecord],
    thresholds: Mapping[str, float] | None = None,
    max_aligned: int = MAX_ALIGNED,
) -> list[CollectionResult]:
    """Index all texts of the set in their order, for every row.

    Every candidate pair is passed to the writer of the row. ``thresholds`` holds the thresholds of peers, by
    name. The default is 0.5.
    """
    ground_truth = GroundTruth(corpus)
    recorders = [VerdictRecorder(row, corpus, ground_truth, writers.get(row.title)) for row in rows]
    finders = [
        _build_finder(row, recorder, texts, thresholds or {}, max_aligned)
        for row, recorder in zip(rows, recorders, strict=True)
    ]
    # All rows get a text before the next one: it is canonicalized once for all of them.
    for key in corpus.texts:
        text = texts[key]
        for finder in finders:
            _measure_indexing(finder.result, finder.add, key, text)
    for finder in finders:
        _measure_indexing(finder.result, finder.finish)
    for recorder in recorders:
        recorder.measure_clusters()
    return [finder.result for finder in finders]


def _measure_indexing(result: CollectionResult, function: Callable[..., None], *arguments: object) -> None:
    start = process_time()
    function(*arguments)
    result.index_seconds += process_time() - start


def _build_finder(
    row: BenchRow,
    recorder: VerdictRecorder,
    texts: CanonicalTextCache,
    thresholds: Mapping[str, float],
    max_aligned: int,
) -> Finder:
    if isinstance(row, PeerRow):
        return PeerFinder(row, recorder, thresholds.get(row.title, 0.5))
    if not isinstance(row, AlgorithmRow):
        raise TypeError(f"{row.title} cannot index")
    if row.algorithm.bench_only:
        return BatchFinder(row, recorder, texts)
    return AlgorithmFinder(row, recorder, texts, max_aligned)

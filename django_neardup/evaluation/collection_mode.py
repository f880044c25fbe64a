"""Collection mode: index all texts of a set one by one, and judge the pairs found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, Protocol

from ..algorithms import Algorithm, Judgement
from ..text.canonical_text import CanonicalText
from .corpora import Corpus
from .ground_truth import GroundTruth
from .peer_base import PeerIndex
from .results import CollectionResult
from .rows import AlgorithmRow, BenchRow, PeerRow
from .text_cache import CanonicalTextCache
from .verdict_recorder import VerdictRecorder, WriteRecord

BUCKET_SIZE = 64
"""Newest texts of a bucket that become candidates."""
MAX_ALIGNED = 32
"""Candidates of a text that are judged."""
NONE_JUDGEMENT = Judgement("none", 0.0)


@dataclass(slots=True)
class IndexedText:
    """One text in the index of a collection."""

    id: str
    number: int
    payload: bytes
    word_count: int


class MemoryIndex:
    """An index in memory. Each added text is compared with the newest texts of its buckets."""

    def __init__(self, algorithm: Algorithm, bucket_size: int = BUCKET_SIZE) -> None:
        self.algorithm, self.bucket_size = algorithm, bucket_size
        self.entries: list[IndexedText] = []
        self.buckets: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, key: str, text: CanonicalText) -> tuple[IndexedText, list[tuple[IndexedText, int]]]:
        """Index one text.

        Return its entry, and earlier texts that share enough keys, each with the number of shared keys. If
        the algorithm has a ``limit``, return only that many: the ones with most shared keys, newer ones
        first.
        """
        keys, payload = self.algorithm.keys(text), self.algorithm.payload(text)
        return self.add_signed(key, keys, payload, len(text))

    def add_signed(
        self, key: str, keys: Iterable[int], payload: bytes, word_count: int
    ) -> tuple[IndexedText, list[tuple[IndexedText, int]]]:
        """Index a text that is signed already. Return the same as ``add``."""
        entry = IndexedText(key, len(self.entries), payload, word_count)
        self.entries.append(entry)
        shared: Counter[int] = Counter()
        for value in keys:
            bucket = self.buckets[value]
            shared.update(bucket[-self.bucket_size :])
            bucket.append(entry.number)
        return entry, [(self.entries[number], count) for number, count in self._candidates(shared)]

    def _candidates(self, shared_keys: Counter[int]) -> list[tuple[int, int]]:
        min_shared, limit = self.algorithm.min_shared, self.algorithm.limit
        candidates = [item for item in shared_keys.items() if item[1] >= min_shared]
        if limit is not None and len(candidates) > limit:
            candidates = sorted(candidates, key=lambda item: (-item[1], -item[0]))[:limit]
        return candidates

    def screen_candidates(
        self, entry: IndexedText, candidates: list[tuple[IndexedText, int]]
    ) -> list[tuple[IndexedText, bool]]:
        """Return the candidates, the most similar first, and whether each should be judged."""
        screen, should_judge = self.algorithm.screen, self.algorithm.should_judge
        screened = [(screen(entry.payload, other.payload), count, other) for other, count in candidates]
        # Equal scores are ordered by id, so that a run can be repeated.
        screened.sort(key=lambda item: (-item[0], item[2].id))
        return [
            (other, should_judge(value, count, entry.word_count, other.word_count))
            for value, count, other in screened
        ]


class Finder(Protocol):
    """One row of collection mode. It gets the texts one by one, and may find more pairs at the end."""

    result: CollectionResult

    def add(self, key: str, text: CanonicalText) -> None: ...

    def finish(self) -> None: ...


class AlgorithmFinder:
    """An algorithm with its index.

    At most ``max_aligned`` candidates of a text are judged, in the order of the screen.
    """

    def __init__(
        self, row: AlgorithmRow, recorder: VerdictRecorder, texts: CanonicalTextCache, max_aligned: int
    ) -> None:
        self.result, self._row, self._recorder = recorder.result, row, recorder
        self._index, self._texts, self._max_aligned = MemoryIndex(row.algorithm), texts, max_aligned

    def add(self, key: str, text: CanonicalText) -> None:
        entry, candidates = self._index.add(key, text)
        self.result.candidate_count += len(candidates)
        remaining = self._max_aligned
        for other, should_judge in self._index.screen_candidates(entry, candidates):
            if should_judge and remaining:
                remaining -= 1
                self.result.judged_count += 1
                self._recorder.add(other.id, key, self._row.judge(self._texts[other.id], text))
            else:
                self._recorder.add(other.id, key, NONE_JUDGEMENT)

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

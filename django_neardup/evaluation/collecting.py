"""Collection mode: all texts of a set are indexed one by one, and the pairs found are judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any, Protocol

from ..signatures import Algorithm, Judgement
from ..text.document import Document
from .corpora import Corpus
from .documents import Documents
from .peers import Index
from .results import CollectionResult, Record, record
from .rows import AlgorithmRow, PeerRow, Row
from .truth import Truth

BUCKET = 64
ALIGNED = 32
NONE = Judgement("none", 0.0)
Write = Callable[[Record], None]


@dataclass(slots=True)
class Entry:
    """One text in the index of a collection."""

    id: str
    number: int
    packed: bytes
    words: int


class Collection:
    """Texts that arrive one by one; each is compared with the newest ones of its buckets."""

    def __init__(self, algorithm: Algorithm, bucket: int = BUCKET) -> None:
        self.algorithm, self.bucket = algorithm, bucket
        self.entries: list[Entry] = []
        self.buckets: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, key: str, document: Document) -> tuple[Entry, list[tuple[Entry, int]]]:
        """Index one text; its entry, and the earlier texts it shares enough keys with, with their number.

        Of an algorithm with a `limit` only as many as that, those that share most keys, newer ones first.
        """
        keys, packed = self.algorithm.keys(document), self.algorithm.pack(document)
        return self.enter(key, keys, packed, len(document))

    def enter(
        self, key: str, keys: Iterable[int], packed: bytes, words: int
    ) -> tuple[Entry, list[tuple[Entry, int]]]:
        """`add` of a text that is signed already."""
        entry = Entry(key, len(self.entries), packed, words)
        self.entries.append(entry)
        shared: Counter[int] = Counter()
        for value in keys:
            bucket = self.buckets[value]
            shared.update(bucket[-self.bucket :])
            bucket.append(entry.number)
        return entry, [(self.entries[number], count) for number, count in self._enough(shared)]

    def _enough(self, shared: Counter[int]) -> list[tuple[int, int]]:
        least, limit = self.algorithm.min_shared, self.algorithm.limit
        found = [item for item in shared.items() if item[1] >= least]
        if limit is not None and len(found) > limit:
            found = sorted(found, key=lambda item: (-item[1], -item[0]))[:limit]
        return found

    def screened(self, entry: Entry, candidates: list[tuple[Entry, int]]) -> list[tuple[Entry, bool]]:
        """Candidates, the likeliest first, and whether each deserves to be judged."""
        screen, passes = self.algorithm.screen, self.algorithm.passes
        measured = [(screen(entry.packed, other.packed), count, other) for other, count in candidates]
        measured.sort(key=lambda item: (-item[0], item[2].id))
        return [(other, passes(value, count, entry.words, other.words)) for value, count, other in measured]


class Finder(Protocol):
    """One row of collection mode: takes the texts in turn, then says what else there is to find."""

    result: CollectionResult

    def add(self, key: str, document: Document) -> None: ...

    def finish(self) -> None: ...


class Noting:
    """Counts what is said of the candidates of a set, and writes it."""

    def __init__(self, row: Row, corpus: Corpus, truth: Truth, write: Write | None) -> None:
        self.result = CollectionResult(row.title, corpus.name, row.kind, len(corpus.texts), clock=row.clock)
        self.result.true_pairs, self.result.labelled = len(truth.pairs), len(truth.labelled)
        self._truth, self._write = truth, write
        self._numbers = {key: number for number, key in enumerate(corpus.texts)}

    def note(self, a: str, b: str, said: Judgement) -> None:
        """A candidate pair, a indexed before b."""
        result, pair = self.result, frozenset((a, b))
        result.verdicts[said.verdict] += 1
        if pair in self._truth.pairs:
            result.true_candidates += 1
            result.true_offered += said.offered
        if said.verdict == "duplicate":
            relation = self._truth.relation(a, b)
            result.right += relation == "same"
            result.wrong += relation == "different"
            result.labelled_found += pair in self._truth.labelled
            result.duplicates.append(self._code(a, b))
        if self._write:
            self._write(record(result.corpus, result.algorithm, a, b, said.verdict, said.score, said.classes))

    def _code(self, a: str, b: str) -> int:
        one, two = sorted((self._numbers[a], self._numbers[b]))
        return one * len(self._numbers) + two


class AlgorithmFinder:
    """An algorithm's index; at most `aligned` candidates of a text are judged, the likeliest by the screen first."""

    def __init__(self, row: AlgorithmRow, noting: Noting, documents: Documents, aligned: int) -> None:
        self.result, self._row, self._noting = noting.result, row, noting
        self._collection, self._documents, self._aligned = Collection(row.algorithm), documents, aligned

    def add(self, key: str, document: Document) -> None:
        entry, candidates = self._collection.add(key, document)
        self.result.candidates += len(candidates)
        left = self._aligned
        for other, passes in self._collection.screened(entry, candidates):
            if passes and left:
                left -= 1
                self.result.judged += 1
                self._noting.note(other.id, key, self._row.judge(self._documents[other.id], document))
            else:
                self._noting.note(other.id, key, NONE)

    def finish(self) -> None:
        self.result.keys = self._row.keys


class BatchFinder:
    """An algorithm without signatures: it is given all texts at once, and every pair it names is a duplicate."""

    def __init__(self, row: AlgorithmRow, noting: Noting, documents: Documents) -> None:
        self.result, self._row, self._noting, self._documents = noting.result, row, noting, documents
        self._ids: list[str] = []

    def add(self, key: str, document: Document) -> None:
        self._ids.append(key)

    def finish(self) -> None:
        algorithm: Any = self._row.algorithm
        texts = [self._documents[key] for key in self._ids]
        found = self._row.clock.run("batch", lambda: list(algorithm.pairs(texts)))
        self.result.candidates = self.result.judged = len(found)
        for one, two in found:
            a, b = sorted((one, two))
            self._noting.note(self._ids[a], self._ids[b], Judgement("duplicate", 1.0))


class PeerFinder:
    """A peer's own index at one threshold; what it finds is checked by the peer's own measure."""

    def __init__(self, row: PeerRow, noting: Noting, threshold: float) -> None:
        self.result, self._row, self._noting, self._threshold = noting.result, row, noting, threshold
        self._index: Index = row.peer.index(threshold)
        self._kept: list[tuple[str, Any]] = []

    def add(self, key: str, document: Document) -> None:
        feature = self._row.feature(document)
        candidates = sorted(int(str(found)) for found in self._index.query(feature))
        self.result.candidates += len(candidates)
        self.result.judged += len(candidates)
        for number in candidates:
            other, its = self._kept[number]
            score = self._row.clock.run("judge", self._row.peer.score, its, feature)
            verdict = "duplicate" if score >= self._threshold else "none"
            self._noting.note(other, key, Judgement(verdict, score))
        self._index.insert(len(self._kept), feature)
        self._kept.append((key, feature))

    def finish(self) -> None:
        """Nothing else."""


def find_pairs(
    corpus: Corpus,
    rows: Sequence[Row],
    documents: Documents,
    writers: Mapping[str, Write],
    thresholds: Mapping[str, float] | None = None,
    aligned: int = ALIGNED,
) -> list[CollectionResult]:
    """Index all texts of the set in their order, for every row; a record to a row's writer for every candidate pair.

    `thresholds` of the peers, by name (0.5 if there is none).
    """
    truth = Truth(corpus)
    finders = [
        _finder(row, Noting(row, corpus, truth, writers.get(row.title)), documents, thresholds or {}, aligned)
        for row in rows
    ]
    for key in corpus.texts:
        document = documents[key]
        for finder in finders:
            _timed(finder.result, finder.add, key, document)
    for finder in finders:
        _timed(finder.result, finder.finish)
    return [finder.result for finder in finders]


def _timed(result: CollectionResult, function: Callable[..., None], *arguments: object) -> None:
    start = process_time()
    function(*arguments)
    result.index_seconds += process_time() - start


def _finder(
    row: Row, noting: Noting, documents: Documents, thresholds: Mapping[str, float], aligned: int
) -> Finder:
    if isinstance(row, PeerRow):
        return PeerFinder(row, noting, thresholds.get(row.title, 0.5))
    if not isinstance(row, AlgorithmRow):
        raise TypeError(f"{row.title} cannot index")
    if row.algorithm.batch:
        return BatchFinder(row, noting, documents)
    return AlgorithmFinder(row, noting, documents, aligned)

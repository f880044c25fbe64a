"""Judges the labelled pairs of a corpus (pairs mode), or finds pairs among all its texts (collection mode)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import process_time
from typing import Any, Protocol, TypeVar

from ..signatures import Algorithm, Judgement
from ..text.document import Document
from .corpora import Corpus
from .documents import Documents
from .metrics import Score

BUCKET = 64
ALIGNED = 32
Item = TypeVar("Item")
Record = dict[str, Any]


class Progress(Protocol):
    """Wraps an iterable of known length, to show how far it is."""

    def __call__(self, items: Iterable[Item], total: int, label: str) -> Iterator[Item]: ...


def silent(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Shows nothing."""
    return iter(items)


@dataclass(slots=True)
class PairsResult:
    """What one algorithm made of the labelled pairs of one corpus; `seconds` is the processor time of judging alone."""

    algorithm: str
    corpus: str
    score: Score = field(default_factory=Score)
    seconds: float = 0.0


@dataclass(slots=True)
class CollectionResult:
    """What one algorithm found among all texts of one corpus: sums over the texts."""

    algorithm: str
    corpus: str
    texts: int = 0
    keys: int = 0
    candidates: int = 0
    judged: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    true_pairs: int = 0
    true_candidates: int = 0
    true_offered: int = 0
    seconds: float = 0.0


Judge = Callable[[Document, Document], Judgement]
BASELINES = {"(nothing)": "none", "(everything)": "duplicate"}


def baseline(corpus: Corpus, name: str) -> PairsResult:
    """What saying one and the same of every pair would reach."""
    result = PairsResult(name, corpus.name)
    for pair in corpus.pairs:
        result.score.add(pair, BASELINES[name])
    return result


def judge_pairs(
    corpus: Corpus,
    name: str,
    judge: Judge,
    documents: Documents,
    write: Callable[[Record], None],
    progress: Progress = silent,
) -> PairsResult:
    """Every labelled pair of the corpus, one record each to `write`."""
    result = PairsResult(name, corpus.name)
    for pair in progress(corpus.pairs, len(corpus.pairs), f"{corpus.name}, {name}"):
        a, b = documents[pair.a], documents[pair.b]
        prepare(a)
        prepare(b)
        start = process_time()
        judgement = judge(a, b)
        result.seconds += process_time() - start
        result.score.add(pair, judgement.verdict)
        write(record(corpus.name, name, pair.a, pair.b, judgement))
    return result


def prepare(document: Document) -> None:
    """Compute the views of a document that are computed once, so that they do not count as judging."""
    _ = document.weight, document.exact


def record(corpus: str, algorithm: str, a: str, b: str, judgement: Judgement) -> Record:
    """One line of a verdicts file."""
    return {
        "set": corpus,
        "a": a,
        "b": b,
        "verdict": judgement.verdict,
        "score": round(judgement.score, 3),
        "classes": list(judgement.classes),
        "algorithm": algorithm,
    }


@dataclass(slots=True)
class Entry:
    """One text in the index of a collection."""

    id: str
    keys: list[int]
    packed: bytes
    words: int


class Collection:
    """Texts that arrive one by one; each is compared with the newest ones of its buckets."""

    def __init__(self, algorithm: Algorithm, documents: Documents, bucket: int = BUCKET) -> None:
        self.algorithm, self.documents, self.bucket = algorithm, documents, bucket
        self.buckets: defaultdict[int, list[Entry]] = defaultdict(list)

    def add(self, key: str) -> tuple[Entry, list[tuple[Entry, int]]]:
        """Index one text; its entry, and the earlier texts it shares enough keys with, with their number."""
        document = self.documents[key]
        keys = self.algorithm.keys(document)
        entry = Entry(key, keys, self.algorithm.pack(document), len(document))
        shared: Counter[str] = Counter()
        found: dict[str, Entry] = {}
        for value in keys:
            bucket = self.buckets[value]
            for other in islice(reversed(bucket), self.bucket):
                shared[other.id] += 1
                found[other.id] = other
            bucket.append(entry)
        least = self.algorithm.min_shared
        return entry, [(found[other], count) for other, count in shared.items() if count >= least]

    def screened(self, entry: Entry, candidates: list[tuple[Entry, int]]) -> list[tuple[Entry, bool]]:
        """Candidates, the likeliest first, and whether each deserves to be judged."""
        measured = [
            (self.algorithm.screen(entry.packed, other.packed), count, other) for other, count in candidates
        ]
        measured.sort(key=lambda item: (-item[0], item[2].id))
        return [
            (other, self.algorithm.passes(value, count, entry.words, other.words))
            for value, count, other in measured
        ]


def find_pairs(
    corpus: Corpus,
    name: str,
    algorithm: Algorithm,
    documents: Documents,
    write: Callable[[Record], None],
    progress: Progress = silent,
    aligned: int = ALIGNED,
) -> CollectionResult:
    """Index all texts of the corpus in their order; a record to `write` for every candidate pair.

    At most `aligned` candidates of a text are judged, the likeliest by the screen first; the rest are written as
    refused.
    """
    result = CollectionResult(name, corpus.name, texts=len(corpus.texts))
    collection = Collection(algorithm, documents)
    truth = Truth(corpus)
    start = process_time()
    for key in progress(corpus.texts, len(corpus.texts), f"{corpus.name}, {name}"):
        entry, candidates = collection.add(key)
        result.keys += len(entry.keys)
        result.candidates += len(candidates)
        left = aligned
        for other, passes in collection.screened(entry, candidates):
            judgement = Judgement("none", 0.0)
            if passes and left:
                left -= 1
                result.judged += 1
                judgement = algorithm.judge(documents[other.id], documents[key])
            result.verdicts[judgement.verdict] += 1
            truth.count(result, other.id, key, judgement)
            write(record(corpus.name, name, other.id, key, judgement))
    result.true_pairs = len(truth.pairs)
    result.seconds = process_time() - start
    return result


class Truth:
    """The true pairs of a corpus: labelled so, and at most half of the words changed."""

    def __init__(self, corpus: Corpus) -> None:
        self.pairs = {
            frozenset((pair.a, pair.b))
            for pair in corpus.pairs
            if pair.duplicate and (pair.changed is None or pair.changed <= 0.5)
        }

    def count(self, result: CollectionResult, a: str, b: str, judgement: Judgement) -> None:
        if frozenset((a, b)) in self.pairs:
            result.true_candidates += 1
            result.true_offered += judgement.offered

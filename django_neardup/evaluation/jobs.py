"""Work of collection mode in several processes: statistics of sets, collections, and pairs that are alike enough."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from ..signatures.statistics import TermStatistics
from .collecting import ALIGNED, Write, find_pairs
from .corpora import Corpus
from .costs import Clock, Cost
from .documents import Documents, canonical, canonised
from .judging import build_rows
from .parallel import run_jobs
from .results import CollectionResult, Record, UnionRow
from .specs import Spec

TOGETHER = 4


@dataclass(frozen=True, slots=True)
class StatisticsJob:
    texts: Mapping[str, str]
    language: str


def gather(job: StatisticsJob) -> TermStatistics:
    """Statistics of some texts, one document at a time."""
    return TermStatistics.gather(canonised(text, job.language) for text in job.texts.values())


def statistics_of(corpora: Sequence[Corpus], language: str, processes: int) -> dict[str, TermStatistics]:
    """Statistics of each set, by its name."""
    jobs = [StatisticsJob(corpus.texts, corpus.language or language) for corpus in corpora]
    sizes = [len(corpus.texts) for corpus in corpora]
    made = run_jobs(gather, jobs, processes, "statistics", sizes)
    return dict(zip((corpus.name for corpus in corpora), made, strict=True))


@dataclass(frozen=True, slots=True)
class CollectionJob:
    """One set and the rows that index it; `parts`: where each row's candidates are written, by its title."""

    corpus: Corpus
    language: str
    specs: Sequence[Spec]
    peers: Sequence[str]
    statistics: TermStatistics | None
    parts: Mapping[str, Path]
    thresholds: Mapping[str, float]
    aligned: int


def collect(job: CollectionJob) -> tuple[list[CollectionResult], Cost]:
    """Results of the rows, and the cost of canonising."""
    rows = build_rows(job.specs, job.peers, job.statistics)
    documents = Documents(job.corpus.texts, job.language)
    with ExitStack() as files:
        writers = {title: writer(files, path) for title, path in job.parts.items()}
        results = find_pairs(job.corpus, rows, documents, writers, job.thresholds, job.aligned)
    return results, documents.cost


def writer(files: ExitStack, path: Path) -> Write:
    """A function that writes one JSON line a record to `path`."""
    out = files.enter_context(path.open("w", encoding="utf-8"))

    def write(record: Record) -> None:
        out.write(json.dumps(record, ensure_ascii=False) + "\n")

    return write


def collection_results(
    corpora: Sequence[Corpus],
    specs: Sequence[Spec],
    peers: Sequence[str],
    statistics: Mapping[str, TermStatistics],
    language: str,
    processes: int,
    found: Mapping[str, Path],
    thresholds: Mapping[str, float],
    aligned: int = ALIGNED,
) -> tuple[list[CollectionResult], Cost]:
    """Results set by set; `found`: a file for every row whose candidates are to be written, by its title."""
    jobs = []
    for corpus in corpora:
        for group, others in _groups(specs, peers):
            titles = [spec.title for spec in group] + list(others)
            parts = {title: _part(found[title], corpus.name) for title in titles if title in found}
            known = statistics.get(corpus.name)
            read_as = corpus.language or language
            jobs.append(CollectionJob(corpus, read_as, group, others, known, parts, thresholds, aligned))
    sizes = [len(job.corpus.texts) * (len(job.specs) + len(job.peers)) for job in jobs]
    made, canonise = [], Clock()
    try:
        for results, cost in run_jobs(collect, jobs, processes, "collections", sizes):
            made += results
            canonise["all"].add(cost)
    except BaseException:
        for path in found.values():
            for corpus in corpora:
                _part(path, corpus.name).unlink(missing_ok=True)
        raise
    for path in found.values():
        _join(path, [_part(path, corpus.name) for corpus in corpora])
    return made, canonise["all"]


def _groups(specs: Sequence[Spec], peers: Sequence[str]) -> list[tuple[Sequence[Spec], Sequence[str]]]:
    """Rows that go through a set together, a few at a time, so that cores share a large set."""
    made = [(specs[start : start + TOGETHER], ()) for start in range(0, len(specs), TOGETHER)]
    return [*made, ((), tuple(peers))] if peers else list(made)


def _part(path: Path, corpus: str) -> Path:
    return path.with_name(f"{path.name}.{corpus}.part")


def _join(path: Path, parts: Sequence[Path]) -> None:
    with path.open("wb") as out:
        for part in parts:
            out.write(part.read_bytes())
            part.unlink()


@dataclass(frozen=True, slots=True)
class AlikeJob:
    """Pairs of a set, each as number of one text * texts + number of the other."""

    corpus: Corpus
    language: str
    pairs: array[int]
    similarity: float


def alike(job: AlikeJob) -> array[int]:
    """The pairs whose canonical texts have an Indel ratio of `similarity` and more."""
    ids, number = list(job.corpus.texts), len(job.corpus.texts)
    known: dict[int, str] = {}

    def text(place: int) -> str:
        if place not in known:
            known[place] = canonical(canonised(job.corpus.texts[ids[place]], job.language))
        return known[place]

    least = 100 * job.similarity
    return array("Q", [code for code in job.pairs if fuzz.ratio(*map(text, divmod(code, number))) >= least])


def union_rows(
    corpora: Sequence[Corpus],
    results: Sequence[CollectionResult],
    similarity: float,
    language: str,
    processes: int,
) -> list[UnionRow]:
    """Each row against all pairs that any row found and whose texts are at least so alike, set by set."""
    jobs = []
    for corpus in corpora:
        pairs = sorted(
            {code for result in results if result.corpus == corpus.name for code in result.duplicates}
        )
        jobs.append(AlikeJob(corpus, corpus.language or language, array("Q", pairs), similarity))
    truths = run_jobs(alike, jobs, processes, "union", [len(job.pairs) for job in jobs])
    by_set = {corpus.name: set(pairs) for corpus, pairs in zip(corpora, truths, strict=True)}
    return [_against(result, by_set[result.corpus]) for result in results]


def _against(result: CollectionResult, true: set[int]) -> UnionRow:
    right = sum(code in true for code in result.duplicates)
    return UnionRow(result.algorithm, result.corpus, len(true), len(result.duplicates), right)

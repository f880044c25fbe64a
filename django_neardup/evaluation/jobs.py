"""Jobs of collection mode for several processes.

They gather statistics of sets, index collections, and keep pairs that are similar enough.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from ..algorithms.statistics import TermStatistics
from .algorithm_specs import AlgorithmSpec
from .collection_mode import MAX_ALIGNED, run_finders
from .corpora import Corpus
from .pairs_mode import build_rows
from .parallel import run_jobs
from .results import CollectionResult, UnionResult, VerdictRecord
from .text_cache import CanonicalTextCache, canonicalize, join_token_keys
from .timing import Cost, StepClock
from .verdict_recorder import WriteRecord

ROWS_PER_JOB = 4
"""Rows that index a set together in one job."""


@dataclass(frozen=True, slots=True)
class StatisticsJob:
    """Texts to count, and their language."""

    texts: Mapping[str, str]
    language: str


def gather_statistics(job: StatisticsJob) -> TermStatistics:
    """Return the statistics of the texts. They are canonicalized one at a time."""
    return TermStatistics.gather(canonicalize(text, job.language) for text in job.texts.values())


def gather_statistics_by_set(
    corpora: Sequence[Corpus], language: str, processes: int
) -> dict[str, TermStatistics]:
    """Return the statistics of each set, by its name."""
    jobs = [StatisticsJob(corpus.texts, corpus.language or language) for corpus in corpora]
    sizes = [len(corpus.texts) for corpus in corpora]
    results = run_jobs(gather_statistics, jobs, processes, "statistics", sizes)
    return dict(zip((corpus.name for corpus in corpora), results, strict=True))


@dataclass(frozen=True, slots=True)
class CollectionJob:
    """One set and the rows that index it. ``part_paths`` are the files for the rows' candidates, by title."""

    corpus: Corpus
    language: str
    specs: Sequence[AlgorithmSpec]
    peers: Sequence[str]
    statistics: TermStatistics | None
    part_paths: Mapping[str, Path]
    thresholds: Mapping[str, float]
    max_aligned: int


def run_collection_job(job: CollectionJob) -> tuple[list[CollectionResult], Cost]:
    """Return the results of the rows, and the cost of canonicalization."""
    rows = build_rows(job.specs, job.peers, job.statistics)
    texts = CanonicalTextCache(job.corpus.texts, job.language, heads=job.corpus.heads)
    with ExitStack() as files:
        writers = {title: open_record_writer(files, path) for title, path in job.part_paths.items()}
        results = run_finders(job.corpus, rows, texts, writers, job.thresholds, job.max_aligned)
    return results, texts.cost


def open_record_writer(exit_stack: ExitStack, path: Path) -> WriteRecord:
    """Return a function that writes each record to ``path`` as one line of JSON."""
    out = exit_stack.enter_context(path.open("w", encoding="utf-8"))

    def write(record: VerdictRecord) -> None:
        out.write(json.dumps(record, ensure_ascii=False) + "\n")

    return write


def collection_results(
    corpora: Sequence[Corpus],
    specs: Sequence[AlgorithmSpec],
    peers: Sequence[str],
    statistics: Mapping[str, TermStatistics],
    language: str,
    processes: int,
    candidate_paths: Mapping[str, Path],
    thresholds: Mapping[str, float],
    max_aligned: int = MAX_ALIGNED,
) -> tuple[list[CollectionResult], Cost]:
    """Return the results, set by set, and the cost of canonicalization.

    ``candidate_paths`` are the files for the candidates of rows, by title. Rows without a file write none.
    """
    jobs = []
    for corpus in corpora:
        for spec_group, peer_group in _row_groups(specs, peers):
            titles = [spec.title for spec in spec_group] + list(peer_group)
            part_paths = {
                title: _part_path(candidate_paths[title], corpus.name)
                for title in titles
                if title in candidate_paths
            }
            set_statistics = statistics.get(corpus.name)
            set_language = corpus.language or language
            jobs.append(
                CollectionJob(
                    corpus,
                    set_language,
                    spec_group,
                    peer_group,
                    set_statistics,
                    part_paths,
                    thresholds,
                    max_aligned,
                )
            )
    sizes = [len(job.corpus.texts) * (len(job.specs) + len(job.peers)) for job in jobs]
    all_results, clock = [], StepClock()
    try:
        for results, cost in run_jobs(run_collection_job, jobs, processes, "collections", sizes):
            all_results += results
            clock["all"].add(cost)
    # Also after Ctrl-C: no part files stay behind.
    except BaseException:
        for path in candidate_paths.values():
            for corpus in corpora:
                _part_path(path, corpus.name).unlink(missing_ok=True)
        raise
    for path in candidate_paths.values():
        _join_parts(path, [_part_path(path, corpus.name) for corpus in corpora])
    return all_results, clock["all"]


def _row_groups(
    specs: Sequence[AlgorithmSpec], peers: Sequence[str]
) -> list[tuple[Sequence[AlgorithmSpec], Sequence[str]]]:
    """Return groups of rows that process a set together. Small groups let several cores share a large set."""
    spec_groups = [(specs[start : start + ROWS_PER_JOB], ()) for start in range(0, len(specs), ROWS_PER_JOB)]
    return [*spec_groups, ((), tuple(peers))] if peers else list(spec_groups)


def _part_path(path: Path, corpus: str) -> Path:
    return path.with_name(f"{path.name}.{corpus}.part")


def _join_parts(path: Path, parts: Sequence[Path]) -> None:
    with path.open("wb") as out:
        for part in parts:
            out.write(part.read_bytes())
            part.unlink()


@dataclass(frozen=True, slots=True)
class SimilarPairsJob:
    """Pairs of a set, each as one number (see ``CollectionResult.duplicate_codes``)."""

    corpus: Corpus
    language: str
    pairs: array[int]
    similarity: float


def keep_similar_pairs(job: SimilarPairsJob) -> array[int]:
    """Return the pairs of canonical texts with an Indel ratio of ``similarity`` or more."""
    ids, text_count = list(job.corpus.texts), len(job.corpus.texts)
    strings: dict[int, str] = {}

    def canonical_string(position: int) -> str:
        if position not in strings:
            strings[position] = join_token_keys(canonicalize(job.corpus.texts[ids[position]], job.language))
        return strings[position]

    min_ratio = 100 * job.similarity
    return array(
        "Q",
        [
            code
            for code in job.pairs
            if fuzz.ratio(*map(canonical_string, divmod(code, text_count))) >= min_ratio
        ],
    )


def union_rows(
    corpora: Sequence[Corpus],
    results: Sequence[CollectionResult],
    similarity: float,
    language: str,
    processes: int,
) -> list[UnionResult]:
    """Compare each row with the union of all rows, set by set.

    True pairs are pairs that any row found, if their texts are similar enough.
    """
    jobs = []
    for corpus in corpora:
        pairs = sorted(
            {code for result in results if result.corpus == corpus.name for code in result.duplicate_codes}
        )
        jobs.append(SimilarPairsJob(corpus, corpus.language or language, array("Q", pairs), similarity))
    true_pairs_by_job = run_jobs(
        keep_similar_pairs, jobs, processes, "union", [len(job.pairs) for job in jobs]
    )
    by_set = {corpus.name: set(pairs) for corpus, pairs in zip(corpora, true_pairs_by_job, strict=True)}
    return [_union_result(result, by_set[result.corpus]) for result in results]


def _union_result(result: CollectionResult, true_pairs: set[int]) -> UnionResult:
    right = sum(code in true_pairs for code in result.duplicate_codes)
    return UnionResult(result.algorithm, result.corpus, len(true_pairs), len(result.duplicate_codes), right)

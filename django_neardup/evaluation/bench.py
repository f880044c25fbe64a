"""A run of the bench: its request and its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ..algorithms.statistics import TermStatistics
from ..text.heads import FIRST_LINE
from .algorithm_specs import AlgorithmSpec, any_uses_statistics
from .calibration_mode import measure_calibration
from .collection_mode import MAX_ALIGNED
from .corpora import Corpus, CorpusError, declare_first_lines, sample_pairs
from .jobs import (
    StatisticsJob,
    collection_results,
    gather_statistics,
    gather_statistics_by_set,
    union_rows,
)
from .pairs_mode import pairs_results
from .peers import SET_PEERS, TEXT_PEERS, JaccardPeer
from .pool_mode import WINDOWS, pool_results
from .report import BenchReport
from .results import PairsResult, TableRow
from .set_peers_mode import merge_set_by_set, set_peer_results
from .summary import SEPARATE_SETS, add_fixed_rows, apply_best_thresholds
from .verdict_files import output_paths, write_verdicts

BETTER_F1_MARGIN = 0.005
"""Another algorithm is noted as better if its F1 is higher by more than this."""


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """The rows and modes to run, and where verdicts and candidates are written.

    - ``specs``: the algorithms.
    - ``peers``: names of installed peers. Pairs mode always adds the brute-force ceiling.
    - ``missing_peers``: requested peers that are not installed, for the header.
    - ``union_similarity``: with it, pairs that collections found count as true from this similarity on, 0..1.
    - ``head``: "first-line" if the first line of every text is its head.
    - ``sample_size``: judged pairs of each set. 0 is all.
    - ``processes``: the maximum number of processes.
    - ``max_aligned``: candidates of a text that are judged.
    - ``windows``: window sizes for the curve of pool mode.
    - ``calibration_mode``: whether the report says how often the judge is right where it is sure, and in doubt.
    - ``with_rules``: whether the report says how often each rule decided on the labelled pairs.
    - ``separate_sets``: patterns of sets that are left out of the means.
    """

    specs: Sequence[AlgorithmSpec]
    peers: Sequence[str] = ()
    missing_peers: Sequence[str] = ()
    pairs_mode: bool = True
    collection_mode: bool = False
    pool_mode: bool = False
    calibration_mode: bool = False
    union_similarity: float | None = None
    language: str = "ru"
    head: str | None = None
    sample_size: int = 0
    seed: int = 1
    processes: int = 1
    max_aligned: int = MAX_ALIGNED
    windows: Sequence[int] = WINDOWS
    separate_sets: Sequence[str] = SEPARATE_SETS
    with_rules: bool = False
    verdicts_path: Path | None = None
    candidates_path: Path | None = None


def evaluate(corpora: Sequence[Corpus], request: BenchRequest, data: str = "") -> BenchReport:
    """Run all modes of the request and return the report.

    ``data`` is a digest of the texts, for the header.
    """
    if request.head == FIRST_LINE:
        corpora = [declare_first_lines(corpus) for corpus in corpora]
    report = BenchReport([], request.seed, request.sample_size, request.language, data, request.separate_sets)
    report.with_rules = request.with_rules
    report.peers = [*request.peers, *request.missing_peers]
    report.notes += [f"{name} is not installed" for name in request.missing_peers]
    if request.head == FIRST_LINE:
        report.notes.append("the first line of every text is its head")
    statistics = statistics_by_set(corpora, request)
    if statistics:
        report.notes.append("statistics of words are those of each set's texts (of all texts in the pool)")
    report.schemes = [scheme_parameters(spec, statistics) for spec in request.specs]
    thresholds: Mapping[str, float] = {}
    if request.pairs_mode:
        require_labelled_pairs(corpora, request)
        with record_seconds(report, "pairs"):
            thresholds = run_pairs_mode(corpora, request, statistics, report)
        report.notes += better_algorithm_notes(report.pairs, request.specs[:1])
    if request.collection_mode:
        with record_seconds(report, "collection"):
            run_collection_mode(corpora, request, statistics, report, thresholds)
    if request.pool_mode:
        with record_seconds(report, "pool"):
            run_pool_mode(corpora, request, report)
    if request.calibration_mode:
        with record_seconds(report, "calibration"):
            report.calibration = measure_calibration(corpora, request.language, request.processes)
    return report


def require_labelled_pairs(corpora: Sequence[Corpus], request: BenchRequest) -> None:
    """Raise CorpusError if only pairs mode is requested and there are no labelled pairs."""
    if not (request.collection_mode or request.pool_mode or any(corpus.pairs for corpus in corpora)):
        raise CorpusError(
            "no set has a labelled pair (of texts of --long words), in NAME.pairs.jsonl.gz or NAME.variants.jsonl.gz: "
            "add some, or choose --collection or --pool"
        )


def better_algorithm_notes(results: Sequence[PairsResult], specs: Sequence[AlgorithmSpec]) -> list[str]:
    """Note the sets in which another row groups core pairs better than the first algorithm.

    Better is a core F1 that is higher by more than ``BETTER_F1_MARGIN``. There is one line for each set.
    """
    notes = []
    for corpus in dict.fromkeys(result.corpus for result in results):
        f1_by_row = {
            result.algorithm: result.core_by_verdict.f1()
            for result in results
            if result.corpus == corpus and result.core_by_verdict and result.kind != "floor"
        }
        own_f1 = next((f1_by_row.get(spec.title) for spec in specs), None)
        best = max(f1_by_row, key=lambda name: f1_by_row[name] or 0.0, default="")
        if own_f1 is not None and (f1_by_row[best] or 0.0) > own_f1 + BETTER_F1_MARGIN:
            notes.append(
                f"on {corpus} {best} is better: core F1 {f1_by_row[best]:.3f}, {specs[0].title} {own_f1:.3f}"
            )
    return notes


def scheme_parameters(spec: AlgorithmSpec, statistics: Mapping[str, TermStatistics]) -> TableRow:
    """Return the parameters of a row.

    The digest of its statistics is included if all statistics are of one set.
    """
    parameters = spec.build().parameters()
    if "statistics" in parameters:
        digests = {set_statistics.digest for set_statistics in statistics.values()}
        parameters["statistics"] = digests.pop() if len(digests) == 1 else "gathered from the texts"
    return parameters


@contextmanager
def record_seconds(report: BenchReport, mode: str) -> Iterator[None]:
    """Record the duration of a mode."""
    start = perf_counter()
    yield
    report.seconds[mode] = perf_counter() - start


def statistics_by_set(corpora: Sequence[Corpus], request: BenchRequest) -> dict[str, TermStatistics]:
    """Return the statistics of each set.

    Return an empty dictionary if no row of pairs or collection mode needs them.
    """
    is_relevant = request.collection_mode or request.pairs_mode
    if not is_relevant or not any_uses_statistics(request.specs):
        return {}
    return gather_statistics_by_set(corpora, request.language, request.processes)


def run_pairs_mode(
    corpora: Sequence[Corpus],
    request: BenchRequest,
    statistics: Mapping[str, TermStatistics],
    report: BenchReport,
) -> dict[str, float]:
    """Run pairs mode. Return the best thresholds of the peers."""
    specs = [spec for spec in request.specs if not spec.build().bench_only]
    omitted = [spec.title for spec in request.specs if spec not in specs]
    report.notes += [f"{title} has no verdict on a pair: only in collection mode" for title in omitted]
    sampled = [sample_pairs(corpus, request.sample_size, request.seed) for corpus in corpora]
    peers = [JaccardPeer.name, *(name for name in request.peers if name in TEXT_PEERS)]
    results, cost = pairs_results(sampled, specs, peers, statistics, request.language, request.processes)
    set_peers = [name for name in request.peers if name in SET_PEERS]
    set_results, notes = set_peer_results(sampled, set_peers, request.processes)
    results = merge_set_by_set(results, set_results)
    report.notes += notes
    thresholds = apply_best_thresholds(results, request.separate_sets)
    report.pairs, report.canonicalization_costs["pairs"] = add_fixed_rows(results), cost
    if request.verdicts_path:
        paths = output_paths(request.verdicts_path, [spec.title for spec in specs], request.peers)
        for title, path in paths.items():
            write_verdicts(path, [result for result in results if result.algorithm == title])
    return thresholds


def run_collection_mode(
    corpora: Sequence[Corpus],
    request: BenchRequest,
    statistics: Mapping[str, TermStatistics],
    report: BenchReport,
    thresholds: Mapping[str, float],
) -> None:
    """Run collection mode, and compute the union of the pairs that its rows found."""
    peers = [name for name in request.peers if name in TEXT_PEERS and TEXT_PEERS[name].has_index]
    if set(peers) - set(thresholds):
        report.notes.append(
            "peers at a threshold of 0.5: no labelled pairs were judged to find their best one"
        )
    titles = [spec.title for spec in request.specs]
    paths = output_paths(request.candidates_path, titles, peers) if request.candidates_path else {}
    report.collections, report.canonicalization_costs["collections"] = collection_results(
        corpora,
        request.specs,
        peers,
        statistics,
        request.language,
        request.processes,
        paths,
        thresholds,
        request.max_aligned,
    )
    if request.union_similarity is not None:
        report.union_similarity = request.union_similarity
        report.union = union_rows(
            corpora, report.collections, request.union_similarity, request.language, request.processes
        )


def run_pool_mode(corpora: Sequence[Corpus], request: BenchRequest, report: BenchReport) -> None:
    """Run pool mode. If a row needs statistics, they are gathered from all texts together."""
    statistics = None
    if any_uses_statistics(request.specs):
        texts = {f"{corpus.name}\0{key}": text for corpus in corpora for key, text in corpus.texts.items()}
        statistics = gather_statistics(StatisticsJob(texts, request.language))
    report.pool, report.canonicalization_costs["pool"] = pool_results(
        corpora,
        request.specs,
        statistics,
        request.language,
        request.processes,
        request.seed,
        request.windows,
    )

"""A run of the bench: what is asked for, and the report of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ..signatures.statistics import TermStatistics
from .collecting import ALIGNED
from .corpora import Corpus, CorpusError, sample
from .jobs import StatisticsJob, collection_results, gather, statistics_of, union_rows
from .judging import pairs_results
from .peers import Jaccard, get_peer
from .pooling import WINDOWS, pool_results
from .report import Report
from .results import PairsResult, Row
from .specs import Spec, needing_statistics
from .summary import APART, cut_at_best

OUTDONE = 0.005


@dataclass(frozen=True, slots=True)
class Request:
    """What to run: the rows, the modes, and where the verdicts and the candidates of the rows are written.

    `peers`: names of installed peers, beside the brute-force ceiling, which is always there in pairs mode; `absent`:
    those that are not installed, for the header.
    `union`: the likeness, 0..1, from which pairs found in collections count, or None; `processes`: at most so many.
    """

    specs: Sequence[Spec]
    peers: Sequence[str] = ()
    absent: Sequence[str] = ()
    pairs: bool = True
    collection: bool = False
    pool: bool = False
    union: float | None = None
    language: str = "ru"
    sample: int = 0
    seed: int = 1
    processes: int = 1
    aligned: int = ALIGNED
    windows: Sequence[int] = WINDOWS
    apart: Sequence[str] = APART
    verdicts: Path | None = None
    found: Path | None = None


def evaluate(corpora: Sequence[Corpus], request: Request, data: str = "") -> Report:
    """Judge, find, count: all that the request asks for.  `data` tells the texts from others, for the header."""
    report = Report([], request.seed, request.sample, request.language, data, request.apart)
    report.peers = [*request.peers, *request.absent]
    report.notes += [f"{name} is not installed" for name in request.absent]
    sets = statistics_by_set(corpora, request)
    if sets:
        report.notes.append("statistics of words are those of each set's texts (of all texts in the pool)")
    report.schemes = [scheme(spec, sets) for spec in request.specs]
    thresholds: Mapping[str, float] = {}
    if request.pairs:
        check_labelled(corpora, request)
        with timed(report, "pairs"):
            thresholds = run_pairs(corpora, request, sets, report)
        report.notes += outdone(report.pairs, request.specs[:1])
    if request.collection:
        with timed(report, "collection"):
            run_collections(corpora, request, sets, report, thresholds)
    if request.pool:
        with timed(report, "pool"):
            run_pool(corpora, request, report)
    return report


def check_labelled(corpora: Sequence[Corpus], request: Request) -> None:
    """CorpusError where labelled pairs are all that is asked for, and there are none."""
    if not (request.collection or request.pool or any(corpus.pairs for corpus in corpora)):
        raise CorpusError(
            "no set has a labelled pair (of texts of --long words), in NAME.pairs.jsonl.gz or NAME.variants.jsonl.gz: "
            "add some, or choose --collection or --pool"
        )


def outdone(results: Sequence[PairsResult], specs: Sequence[Spec]) -> list[str]:
    """Where another row groups core pairs better than the first algorithm, by more than .005 of F1: a line a set."""
    told = []
    for corpus in dict.fromkeys(result.corpus for result in results):
        reached = {
            result.algorithm: result.grouped.f1()
            for result in results
            if result.corpus == corpus and result.grouped and result.kind != "floor"
        }
        own = next((reached.get(spec.title) for spec in specs), None)
        best = max(reached, key=lambda name: reached[name] or 0.0, default="")
        if own is not None and (reached[best] or 0.0) > own + OUTDONE:
            told.append(
                f"on {corpus} {best} is better: core F1 {reached[best]:.3f}, {specs[0].title} {own:.3f}"
            )
    return told


def scheme(spec: Spec, statistics: Mapping[str, TermStatistics]) -> Row:
    """The parameters of a row; of statistics the digest where there are those of one set alone."""
    made = spec.build().parameters()
    if "statistics" in made:
        digests = {each.digest for each in statistics.values()}
        made["statistics"] = digests.pop() if len(digests) == 1 else "gathered from the texts"
    return made


@contextmanager
def timed(report: Report, mode: str) -> Iterator[None]:
    """Note how long a mode takes."""
    start = perf_counter()
    yield
    report.seconds[mode] = perf_counter() - start


def statistics_by_set(corpora: Sequence[Corpus], request: Request) -> dict[str, TermStatistics]:
    """Statistics of the texts of each set, where a row of pairs or collection mode needs them."""
    wanted = request.collection or request.pairs
    if not wanted or not needing_statistics(request.specs):
        return {}
    return statistics_of(corpora, request.language, request.processes)


def run_pairs(
    corpora: Sequence[Corpus], request: Request, statistics: Mapping[str, TermStatistics], report: Report
) -> dict[str, float]:
    """Pairs mode; the peers' best thresholds."""
    specs = [spec for spec in request.specs if not spec.build().batch]
    left = [spec.title for spec in request.specs if spec not in specs]
    report.notes += [f"{title} has no verdict on a pair: only in collection mode" for title in left]
    sampled = [sample(corpus, request.sample, request.seed) for corpus in corpora]
    peers = [Jaccard.name, *request.peers]
    results, cost = pairs_results(sampled, specs, peers, statistics, request.language, request.processes)
    thresholds = cut_at_best(results, request.apart)
    report.pairs, report.canonise["pairs"] = results, cost
    if request.verdicts:
        paths = files(request.verdicts, [spec.title for spec in specs], request.peers)
        for title, path in paths.items():
            write_verdicts(path, [result for result in results if result.algorithm == title])
    return thresholds


def run_collections(
    corpora: Sequence[Corpus],
    request: Request,
    statistics: Mapping[str, TermStatistics],
    report: Report,
    thresholds: Mapping[str, float],
) -> None:
    """Collection mode, and the union of what its rows found."""
    peers = [name for name in request.peers if get_peer(name).indexed]
    if set(peers) - set(thresholds):
        report.notes.append(
            "peers at a threshold of 0.5: no labelled pairs were judged to find their best one"
        )
    titles = [spec.title for spec in request.specs]
    paths = files(request.found, titles, peers) if request.found else {}
    report.collections, report.canonise["collections"] = collection_results(
        corpora,
        request.specs,
        peers,
        statistics,
        request.language,
        request.processes,
        paths,
        thresholds,
        request.aligned,
    )
    if request.union is not None:
        report.similarity = request.union
        report.union = union_rows(
            corpora, report.collections, request.union, request.language, request.processes
        )


def run_pool(corpora: Sequence[Corpus], request: Request, report: Report) -> None:
    """Pool mode, with the statistics of all texts together where a row needs them."""
    statistics = None
    if needing_statistics(request.specs):
        texts = {f"{corpus.name}\0{key}": text for corpus in corpora for key, text in corpus.texts.items()}
        statistics = gather(StatisticsJob(texts, request.language))
    report.pool, report.canonise["pool"] = pool_results(
        corpora,
        request.specs,
        statistics,
        request.language,
        request.processes,
        request.seed,
        request.windows,
    )


def files(path: Path, titles: Sequence[str], peers: Sequence[str]) -> dict[str, Path]:
    """A file for every row: the path itself for a single algorithm, else each has its name before the suffix."""
    named = {
        title: path.with_name(f"{path.stem}.{file_name(title)}{path.suffix}") for title in [*titles, *peers]
    }
    return {**named, titles[0]: path} if len(titles) == 1 else named


def file_name(title: str) -> str:
    """A row's title as a part of a file's name."""
    return "".join(each if each.isalnum() or each in "-_=." else "-" for each in title)


def write_verdicts(path: Path, results: Sequence[PairsResult]) -> None:
    """One JSON object a judged pair and line."""
    with path.open("w", encoding="utf-8") as out:
        for result in results:
            out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in result.records())

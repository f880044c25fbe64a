"""Pairs mode: every row judges every labelled pair. Each text is canonicalized once for all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..algorithms.statistics import TermStatistics
from ..text.canonical_text import CanonicalText
from .algorithm_specs import AlgorithmSpec
from .corpora import Corpus, LabelledPair
from .decisive_differences import deciding_rules
from .parallel import run_jobs
from .peers import get_peer
from .results import PairsResult, RowJudgements
from .rows import AlgorithmRow, BenchRow, PeerRow, is_measured
from .text_cache import CanonicalTextCache
from .timing import Cost, StepClock

PAIRS_PER_JOB = 400
BASELINE_VERDICTS = {"(nothing)": "none", "(everything)": "duplicate"}
"""Titles of the floor rows, and the verdict that each gives to all pairs."""


@dataclass(frozen=True, slots=True)
class PairsJob:
    """Some pairs of a set and the rows to judge them: everything that another process needs."""

    language: str
    specs: Sequence[AlgorithmSpec]
    peers: Sequence[str]
    statistics: TermStatistics | None
    part: Corpus


def judge_pairs(
    pairs: Sequence[LabelledPair], rows: Sequence[BenchRow], texts: CanonicalTextCache
) -> list[RowJudgements]:
    """Return the judgements of each row for all pairs."""
    judgements_by_row = [row.new_judgements() for row in rows]
    for pair in pairs:
        a, b = texts[pair.a], texts[pair.b]
        for row, judgements in zip(rows, judgements_by_row, strict=True):
            judgement = row.judge(a, b)
            judgements.verdicts.append(judgement.verdict)
            judgements.scores.append(judgement.score)
            judgements.classes.append(judgement.classes)
            judgements.rules.append(deciding_rules(judgement))
    for row, judgements in zip(rows, judgements_by_row, strict=True):
        judgements.key_count = row.key_count
    return judgements_by_row


def build_rows(
    specs: Sequence[AlgorithmSpec], peers: Sequence[str], statistics: TermStatistics | None
) -> list[BenchRow]:
    """Return the rows, algorithms first."""
    rows: list[BenchRow] = []
    for spec in specs:
        uses_statistics = spec.build().uses_statistics
        rows.append(AlgorithmRow(spec.title, spec.build(statistics if uses_statistics else None)))
    return rows + [PeerRow(get_peer(name)) for name in peers]


def run_pairs_job(job: PairsJob) -> tuple[list[RowJudgements], Cost]:
    """Return the judgements of the rows in their order, and the cost of canonicalization."""
    rows = build_rows(job.specs, job.peers, job.statistics)

    def sign_if_sampled(key: str, text: CanonicalText) -> None:
        if is_measured(key):
            for row in rows:
                row.sign(text)

    # Pairs mode needs no signatures. Some texts are signed to measure the cost.
    texts = CanonicalTextCache(job.part.texts, job.language, on_create=sign_if_sampled, heads=job.part.heads)
    return judge_pairs(job.part.pairs, rows, texts), texts.cost


def baseline_result(corpus: Corpus, name: str) -> PairsResult:
    """Return the result of giving one verdict to every pair."""
    verdict, pair_count = BASELINE_VERDICTS[name], len(corpus.pairs)
    judgements = RowJudgements([verdict] * pair_count, classes=[()] * pair_count, rules=[()] * pair_count)
    judgements.scores.extend([float(verdict == "duplicate")] * pair_count)
    return PairsResult(name, corpus.name, corpus.pairs, judgements, "floor")


def pairs_results(
    corpora: Sequence[Corpus],
    specs: Sequence[AlgorithmSpec],
    peers: Sequence[str],
    statistics: Mapping[str, TermStatistics],
    language: str,
    processes: int,
) -> tuple[list[PairsResult], Cost]:
    """Return the results, set by set, and the cost of canonicalization.

    The rows of a set are the baselines, the algorithms, and the peers.
    """
    labelled = [corpus for corpus in corpora if corpus.pairs]
    jobs, set_names = [], []
    for corpus in labelled:
        for part in corpus.parts(PAIRS_PER_JOB):
            set_statistics = statistics.get(corpus.name)
            jobs.append(PairsJob(corpus.language or language, specs, peers, set_statistics, part))
            set_names.append(corpus.name)
    results = {corpus.name: _empty_results(corpus, specs, peers) for corpus in labelled}
    clock = StepClock()
    sizes = [len(job.part.pairs) for job in jobs]
    for name, (judgements_by_row, cost) in zip(
        set_names, run_jobs(run_pairs_job, jobs, processes, "pairs", sizes), strict=True
    ):
        clock["all"].add(cost)
        for result, judgements in zip(results[name], judgements_by_row, strict=True):
            result.judgements.extend(judgements)
    all_results = []
    for corpus in labelled:
        all_results += [*(baseline_result(corpus, name) for name in BASELINE_VERDICTS), *results[corpus.name]]
    return all_results, clock["all"]


def _empty_results(corpus: Corpus, specs: Sequence[AlgorithmSpec], peers: Sequence[str]) -> list[PairsResult]:
    results = [PairsResult(spec.title, corpus.name, corpus.pairs, RowJudgements()) for spec in specs]
    kinds = ((name, get_peer(name).kind) for name in peers)
    return results + [
        PairsResult(name, corpus.name, corpus.pairs, RowJudgements(), kind) for name, kind in kinds
    ]

"""Pairs mode: every labelled pair is judged by every row, each text canonised once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..signatures.statistics import TermStatistics
from ..text.document import Document
from .corpora import Corpus, LabelledPair
from .costs import Clock, Cost
from .documents import Documents
from .parallel import run_jobs
from .peers import get_peer
from .results import Answers, PairsResult
from .rows import AlgorithmRow, PeerRow, Row, costed
from .specs import Spec

CHUNK = 400
BASELINES = {"(nothing)": "none", "(everything)": "duplicate"}


@dataclass(frozen=True, slots=True)
class PairsJob:
    """Some pairs of a set, and the rows that are to judge them; all that another process needs."""

    language: str
    specs: Sequence[Spec]
    peers: Sequence[str]
    statistics: TermStatistics | None
    texts: Mapping[str, str]
    pairs: Sequence[LabelledPair]


def judge_pairs(pairs: Sequence[LabelledPair], rows: Sequence[Row], documents: Documents) -> list[Answers]:
    """What each row says of every pair."""
    answers = [row.answers() for row in rows]
    for pair in pairs:
        a, b = documents[pair.a], documents[pair.b]
        for row, said in zip(rows, answers, strict=True):
            judgement = row.judge(a, b)
            said.verdicts.append(judgement.verdict)
            said.scores.append(judgement.score)
            said.classes.append(judgement.classes)
    for row, said in zip(rows, answers, strict=True):
        said.keys = row.keys
    return answers


def build_rows(specs: Sequence[Spec], peers: Sequence[str], statistics: TermStatistics | None) -> list[Row]:
    """Rows ready to be used, algorithms first."""
    rows: list[Row] = []
    for spec in specs:
        needs = spec.build().uses_statistics
        rows.append(AlgorithmRow(spec.title, spec.build(statistics if needs else None)))
    return rows + [PeerRow(get_peer(name)) for name in peers]


def run_job(job: PairsJob) -> tuple[list[Answers], Cost]:
    """Answers of the rows in their order, and the cost of canonising."""
    rows = build_rows(job.specs, job.peers, job.statistics)

    def made(key: str, document: Document) -> None:
        if costed(key):
            for row in rows:
                row.sign(document)

    documents = Documents(job.texts, job.language, made=made)
    return judge_pairs(job.pairs, rows, documents), documents.cost


def baseline(corpus: Corpus, name: str) -> PairsResult:
    """What saying one and the same of every pair would reach."""
    verdict, number = BASELINES[name], len(corpus.pairs)
    answers = Answers([verdict] * number, classes=[()] * number)
    answers.scores.extend([float(verdict == "duplicate")] * number)
    return PairsResult(name, corpus.name, corpus.pairs, answers, "floor")


def pairs_results(
    corpora: Sequence[Corpus],
    specs: Sequence[Spec],
    peers: Sequence[str],
    statistics: Mapping[str, TermStatistics],
    language: str,
    processes: int,
) -> tuple[list[PairsResult], Cost]:
    """Results set by set: what saying one thing would reach, the algorithms, the peers."""
    labelled = [corpus for corpus in corpora if corpus.pairs]
    jobs, owners = [], []
    for corpus in labelled:
        for pairs in _chunks(corpus.pairs):
            texts = {key: corpus.texts[key] for pair in pairs for key in (pair.a, pair.b)}
            known = statistics.get(corpus.name)
            jobs.append(PairsJob(corpus.language or language, specs, peers, known, texts, pairs))
            owners.append(corpus.name)
    results = {corpus.name: _empty(corpus, specs, peers) for corpus in labelled}
    canonise = Clock()
    sizes = [len(job.pairs) for job in jobs]
    for name, (answers, cost) in zip(owners, run_jobs(run_job, jobs, processes, "pairs", sizes), strict=True):
        canonise["all"].add(cost)
        for result, more in zip(results[name], answers, strict=True):
            result.answers.extend(more)
    made = []
    for corpus in labelled:
        made += [*(baseline(corpus, name) for name in BASELINES), *results[corpus.name]]
    return made, canonise["all"]


def _empty(corpus: Corpus, specs: Sequence[Spec], peers: Sequence[str]) -> list[PairsResult]:
    made = [PairsResult(spec.title, corpus.name, corpus.pairs, Answers()) for spec in specs]
    kinds = ((name, get_peer(name).kind) for name in peers)
    return made + [PairsResult(name, corpus.name, corpus.pairs, Answers(), kind) for name, kind in kinds]


def _chunks(pairs: Sequence[LabelledPair]) -> Iterator[Sequence[LabelledPair]]:
    for start in range(0, len(pairs), CHUNK):
        yield pairs[start : start + CHUNK]

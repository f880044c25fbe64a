"""Rows of peers that learn from a whole set: each set is one job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .corpora import Corpus
from .parallel import run_jobs
from .peer_base import PeerError, TextPair
from .peers import SET_PEERS
from .results import PairsResult, RowJudgements


@dataclass(frozen=True, slots=True)
class SetPeerJob:
    """A peer, and the texts of all labelled pairs of one set."""

    peer: str
    pairs: Sequence[TextPair]


def run_set_peer_job(job: SetPeerJob) -> RowJudgements | str:
    """Return the judgements of all pairs. Return the reason if the peer cannot score them."""
    peer, count = SET_PEERS[job.peer](), len(job.pairs)
    judgements = RowJudgements(["none"] * count, classes=[()] * count, rules=[()] * count)
    try:
        judgements.scores.extend(judgements.clock.measure("judge", peer.score_pairs, job.pairs))
    except PeerError as error:
        return str(error)
    # One call for all pairs: the mean is the cost of a pair.
    judgements.clock["judge"].count = count
    return judgements


def set_peer_results(
    corpora: Sequence[Corpus], peers: Sequence[str], processes: int
) -> tuple[list[PairsResult], list[str]]:
    """Return the results, set by set, and a note for each set that a peer cannot score."""
    labelled = [corpus for corpus in corpora if corpus.pairs]
    tasks = [(corpus, peer) for corpus in labelled for peer in peers]
    jobs = [
        SetPeerJob(peer, [(corpus.texts[pair.a], corpus.texts[pair.b]) for pair in corpus.pairs])
        for corpus, peer in tasks
    ]
    results, notes = [], []
    outcomes = run_jobs(run_set_peer_job, jobs, processes, "peers", [len(job.pairs) for job in jobs])
    for (corpus, peer), outcome in zip(tasks, outcomes, strict=True):
        if isinstance(outcome, str):
            notes.append(f"no row on {corpus.name}: {outcome}")
        else:
            results.append(PairsResult(peer, corpus.name, corpus.pairs, outcome, SET_PEERS[peer].kind))
    return results, notes


def merge_set_by_set(*results: Sequence[PairsResult]) -> list[PairsResult]:
    """Join lists of results. The sets keep their order, and the rows of a set keep theirs."""
    all_results = [result for part in results for result in part]
    positions = {name: number for number, name in enumerate(dict.fromkeys(r.corpus for r in all_results))}
    return sorted(all_results, key=lambda result: positions[result.corpus])

"""Pairs that were decided and wait again: what was known then, what is known now, and whose text has changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..models import Decision, Pair, Verdict
from ..pipeline.decision_lookup import decisions_for_pairs


@dataclass(frozen=True)
class PairState:
    """A verdict on a pair, the classes of the differences that decided it, and the score, 0..1."""

    verdict: Verdict
    difference_classes: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class ReopenedPair:
    """A decision that holds no more of a pair. ``changed_document_ids`` are the documents whose text has changed
    since; ``decided_state`` is what the person saw, None where the pair was not known."""

    decision: Decision
    changed_document_ids: frozenset[int]
    decided_state: PairState | None
    current_state: PairState


def find_reopened_pairs(pairs: Collection[Pair], using: str) -> dict[int, ReopenedPair]:
    """Those of the pairs on which somebody decided what holds no more, by the pair's id: three queries at most."""
    waiting = [pair for pair in pairs if pair.decision_id is None]
    decisions = decisions_for_pairs({(pair.a_id, pair.b_id) for pair in waiting}, using)
    return {
        pair.pk: _build_reopened_pair(pair, decisions[pair.a_id, pair.b_id][0])
        for pair in waiting
        if (pair.a_id, pair.b_id) in decisions
    }


def _build_reopened_pair(pair: Pair, decision: Decision) -> ReopenedPair:
    seen = {member.document_id: member.digest for member in decision.members.all()}
    now = ((pair.a_id, pair.digest_a), (pair.b_id, pair.digest_b))
    changed = frozenset(document for document, digest in now if seen.get(document) != digest)
    known = decision.known.get(f"{pair.a_id}-{pair.b_id}")
    return ReopenedPair(
        decision,
        changed,
        _parse_stored_state(known),
        _build_pair_state(pair.verdict, pair.classes, pair.score),
    )


def _parse_stored_state(stored: Sequence[Any] | None) -> PairState | None:
    """What a decision has kept of a pair."""
    return _build_pair_state(*stored) if stored is not None and stored[0] in Verdict.values else None


def _build_pair_state(verdict: str, classes: str, score: float) -> PairState:
    return PairState(Verdict(verdict), tuple(filter(None, classes.split(","))), score)

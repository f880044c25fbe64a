"""Reopened pairs: the state at the decision, the current state, and the documents with a changed text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..models import Decision, Pair, Verdict
from ..pipeline.decision_lookup import decisions_for_pairs


@dataclass(frozen=True)
class PairState:
    """The verdict on a pair, the classes of the deciding differences, and the score (0..1)."""

    verdict: Verdict
    difference_classes: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class ReopenedPair:
    """A decision that no longer applies to a pair.

    ``changed_document_ids`` are the documents with a text that has changed since. ``decided_state`` is the
    state that the person saw. It is None if the pair did not exist then.
    """

    decision: Decision
    changed_document_ids: frozenset[int]
    decided_state: PairState | None
    current_state: PairState


def find_reopened_pairs(pairs: Collection[Pair], using: str) -> dict[int, ReopenedPair]:
    """Return the reopened pairs among the pairs, by pair id. This takes at most three queries."""
    undecided = [pair for pair in pairs if pair.decision_id is None]
    decisions = decisions_for_pairs({(pair.a_id, pair.b_id) for pair in undecided}, using)
    return {
        pair.pk: _build_reopened_pair(pair, decisions[pair.a_id, pair.b_id][0])
        for pair in undecided
        if (pair.a_id, pair.b_id) in decisions
    }


def _build_reopened_pair(pair: Pair, decision: Decision) -> ReopenedPair:
    decided_digests = {member.document_id: member.digest for member in decision.members.all()}
    current_digests = ((pair.a_id, pair.digest_a), (pair.b_id, pair.digest_b))
    changed = frozenset(
        document for document, digest in current_digests if decided_digests.get(document) != digest
    )
    stored_state = decision.known.get(f"{pair.a_id}-{pair.b_id}")
    return ReopenedPair(
        decision,
        changed,
        _parse_stored_state(stored_state),
        _build_pair_state(pair.verdict, pair.classes, pair.score),
    )


def _parse_stored_state(stored: Sequence[Any] | None) -> PairState | None:
    """Return the pair's state as the decision stored it.

    Return None if it is missing or has no valid verdict.
    """
    return _build_pair_state(*stored[:3]) if stored is not None and stored[0] in Verdict.values else None


def _build_pair_state(verdict: str, classes: str, score: float) -> PairState:
    return PairState(Verdict(verdict), tuple(filter(None, classes.split(","))), score)

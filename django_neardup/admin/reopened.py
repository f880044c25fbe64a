"""Pairs that were decided and wait again: what was known then, what is known now, and whose text has changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..models import Decision, Pair, Verdict
from ..pipeline.told import decisions_on


@dataclass(frozen=True)
class Known:
    """A verdict on a pair, the classes of the differences that decided it, and the score, 0..1."""

    verdict: Verdict
    classes: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Reopened:
    """A decision that holds no more of a pair. ``changed`` are the ids of the documents whose text has changed since;
    ``then`` is what the person saw, None where the pair was not known."""

    decision: Decision
    changed: frozenset[int]
    then: Known | None
    now: Known


def reopened(pairs: Collection[Pair], using: str) -> dict[int, Reopened]:
    """Those of the pairs on which somebody decided what holds no more, by the pair's id: three queries at most."""
    waiting = [pair for pair in pairs if pair.decision_id is None]
    decisions = decisions_on({(pair.a_id, pair.b_id) for pair in waiting}, using)
    return {
        pair.pk: _reopened(pair, decisions[pair.a_id, pair.b_id][0])
        for pair in waiting
        if (pair.a_id, pair.b_id) in decisions
    }


def _reopened(pair: Pair, decision: Decision) -> Reopened:
    seen = {member.document_id: member.digest for member in decision.members.all()}
    now = ((pair.a_id, pair.digest_a), (pair.b_id, pair.digest_b))
    changed = frozenset(document for document, digest in now if seen.get(document) != digest)
    known = decision.known.get(f"{pair.a_id}-{pair.b_id}")
    return Reopened(decision, changed, _stored(known), _known(pair.verdict, pair.classes, pair.score))


def _stored(known: Sequence[Any] | None) -> Known | None:
    """What a decision has kept of a pair."""
    return _known(*known) if known is not None and known[0] in Verdict.values else None


def _known(verdict: str, classes: str, score: float) -> Known:
    return Known(Verdict(verdict), tuple(filter(None, classes.split(","))), score)

"""Stored pairs: which of them are current, and how they are written."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf
from typing import Any

from django.db import connections
from django.utils import timezone

from ..comparison.compared_texts import JudgedPair
from ..db.chunks import chunked
from ..db.queries import fingerprints as fingerprint_queries
from ..db.queries import pairs as pair_queries
from ..db.sql import filter_in_chunks
from ..judge.version import JUDGE_VERSION
from ..models import Pair, Scheme
from .decision_lookup import DecisionScope, decision_in_force, decision_scopes_for_pairs
from .schemes import used_boilerplate
from .stage_types import PairRow

PreviousScores = dict[tuple[int, int], float]
"""The earlier score of each pair with a changed score. It is infinite for a new pair."""


@dataclass(frozen=True, slots=True)
class LockedState:
    """The state of documents, read under the lock.

    - ``nodes``: a row of ``db.queries.clusters.nodes`` for each document.
    - ``digests``: the stored source digests.
    - ``without_decisions``: documents that no decision covers.
    - ``clusters``: their clusters by leader, with the columns ``db.queries.clusters.CLUSTER_COLUMNS``.
    - ``pairs``: all stored pairs of a document, if they are known. ``write_pairs`` adds to them.
    """

    nodes: Mapping[int, tuple[Any, ...]]
    digests: Mapping[int, str]
    without_decisions: Set[int]
    clusters: Mapping[int, tuple[Any, ...]]
    pairs: Mapping[int, list[PairRow]] = field(default_factory=dict)


EMPTY_STATE = LockedState({}, {}, frozenset(), {})


def source_digests_of(documents: Iterable[int], scheme: int, using: str) -> dict[int, str]:
    """Return the stored source digests of the documents that have a fingerprint."""
    return fingerprint_queries.source_digests(using, sorted(set(documents)), scheme)


def is_current(pair: Pair | PairRow, stored_digests: Mapping[int, str]) -> bool:
    """Return whether both digests of the pair are the stored ones."""
    return (stored_digests.get(pair.a_id), stored_digests.get(pair.b_id)) == (pair.digest_a, pair.digest_b)


def pairs_of(documents: Collection[int], scheme: int, using: str) -> list[Pair]:
    """Return every pair with a side among the documents, without its evidence."""
    document_ids = sorted(set(documents))
    pairs_by_id: dict[int, Pair] = {}
    for chunk in chunked(document_ids):
        for side in ("a__in", "b__in"):
            rows = Pair.objects.using(using).filter(**{side: chunk}).defer("evidence")
            pairs_by_id |= {pair.pk: pair for pair in rows if pair.scheme_id == scheme}
    return list(pairs_by_id.values())


def current_pairs_of(documents: Collection[int], scheme: int, using: str) -> list[Pair]:
    """Return the pairs of ``pairs_of`` that were judged on the texts that are stored now."""
    pairs = pairs_of(documents, scheme, using)
    sides = {side for pair in pairs for side in (pair.a_id, pair.b_id)}
    stored_digests = source_digests_of(sides, scheme, using)
    return [pair for pair in pairs if is_current(pair, stored_digests)]


def paired_documents_of(documents: Iterable[int], scheme: int, using: str) -> set[int]:
    """Return both sides of every pair of the documents."""
    return {side for sides in pair_queries.sides(using, documents, scheme) for side in sides}


def serialize_evidence(judged_pairs: Iterable[JudgedPair]) -> None:
    """Serialize the reasons of pairs, before a lock makes other workers wait."""
    # The property caches its result.
    deque((pair.evidence_json for pair in judged_pairs if pair.judgement.is_similar), maxlen=0)


def write_pairs(
    judged_pairs: Iterable[JudgedPair],
    scheme: Scheme,
    space: int,
    using: str,
    previous_scores: PreviousScores,
    locked_state: LockedState = EMPTY_STATE,
) -> set[int]:
    """Store similar pairs, and delete stored pairs that are refused now.

    Return documents with changed relations.

    ``previous_scores`` is updated. A pair that is current on both sides is not overwritten by an outdated
    judgement. ``locked_state``: the state of all the documents, if the caller has read it under the lock.
    """
    pairs_by_key = {(pair.a.document_id, pair.b.document_id): pair for pair in judged_pairs}
    if not pairs_by_key:
        return set()
    stored_digests = locked_state.digests or source_digests_of(
        {document for key in pairs_by_key for document in key}, scheme.pk, using
    )
    # If all pairs of one side are known, the pair is not stored yet.
    unknown_keys = {key for key in pairs_by_key if locked_state.pairs.keys().isdisjoint(key)}
    stored_pairs = _stored_pairs(unknown_keys, scheme.pk, using) if unknown_keys else {}
    decisions = decision_scopes_for_pairs(pairs_by_key, using, locked_state.without_decisions)
    now, snapshot = (
        connections[using].ops.adapt_datetimefield_value(timezone.now()),
        used_boilerplate(scheme),
    )
    new_rows, changed_rows, deleted_ids, changed_documents = [], [], [], set[int]()
    for key, pair in sorted(pairs_by_key.items()):
        pair_id, pair_digests, score = stored_pairs.get(key, (None, (), inf))
        is_judged_current = (stored_digests.get(key[0]), stored_digests.get(key[1])) == (
            pair.a.read_digest,
            pair.b.read_digest,
        )
        # The stored pair is current, and this judgement is not: a text has changed since.
        if (
            pair_id is not None
            and not is_judged_current
            and (stored_digests.get(key[0]), stored_digests.get(key[1])) == pair_digests
        ):
            continue
        if pair.judgement.is_similar:
            values = _pair_values(pair, space, decisions.get(key, ()), snapshot)
            if pair_id is None:
                new_rows.append([*key, scheme.pk, now, *values])
            else:
                changed_rows.append([*values, pair_id])
        elif pair_id is not None:
            deleted_ids.append(pair_id)
        else:
            continue
        changed_documents |= {*key}
        if not pair.judgement.is_similar or pair.judgement.score != score:
            previous_scores[key] = score
    pair_queries.delete(using, deleted_ids)
    pair_queries.update(using, changed_rows)
    pair_queries.insert(using, new_rows)
    _cache_new_pairs(new_rows, locked_state)
    return changed_documents


def delete_stale_pairs(
    current_digests: Mapping[int, str], scheme: Scheme, using: str, previous_scores: PreviousScores
) -> set[int]:
    """Delete pairs of the documents that were judged on another text or by another scheme.

    Return documents with changed relations. ``previous_scores`` is updated.
    """
    stale = [
        row
        for row in pair_queries.schemes_of(using, current_digests, "a")
        if row[4:] != (scheme.pk, current_digests[row[1]])
    ]
    stale += [
        row
        for row in pair_queries.schemes_of(using, current_digests, "b")
        if row[4:] != (scheme.pk, current_digests[row[2]])
    ]
    for pairs in filter_in_chunks(Pair.objects.using(using), "pk", [row[0] for row in stale]):
        pairs.delete()
    for _, a, b, score, *_ in stale:
        previous_scores[a, b] = min(score, previous_scores.get((a, b), inf))
    return {side for row in stale for side in row[1:3]}


def _stored_pairs(
    keys: Collection[tuple[int, int]], scheme: int, using: str
) -> dict[tuple[int, int], tuple[int, tuple[str, str], float]]:
    """Return ids, digests and scores of the pairs that are stored."""
    # Query by the side that occurs in most pairs: so few documents are looked up.
    pair_counts = Counter(side for key in keys for side in key)
    documents = {max(key, key=lambda side: pair_counts[side]) for key in keys}
    rows = pair_queries.digests(using, documents, scheme)
    return {
        (a, b): (pair_id, (digest_a, digest_b), score)
        for pair_id, a, b, digest_a, digest_b, score in rows
        if (a, b) in keys
    }


def _cache_new_pairs(new_rows: Iterable[Sequence[Any]], locked_state: LockedState) -> None:
    """Add newly written pairs to the known pairs of their sides."""
    for a, b, _, _, _, verdict, exact, score, _, _, classes, _, digest_a, digest_b, *_, doubtful in new_rows:
        for side in (a, b):
            if side in locked_state.pairs:
                locked_state.pairs[side].append(
                    PairRow(a, b, verdict, exact, score, classes, digest_a, digest_b, doubtful)
                )


def _pair_values(
    judged_pair: JudgedPair, space: int, decisions: Collection[DecisionScope], snapshot: str
) -> list[Any]:
    """Return the stored values of a pair, in the order of ``pair_queries.UPDATED_COLUMNS``."""
    judgement, classes = judged_pair.judgement, ",".join(judged_pair.judgement.classes)
    decision = None
    if decisions:
        pair_row = PairRow(
            judged_pair.a.document_id, judged_pair.b.document_id, judgement.verdict, judgement.exact,
            judgement.score, classes, judged_pair.a.read_digest, judged_pair.b.read_digest,
        )  # fmt: skip
        decision = decision_in_force(pair_row, decisions)
    return [
        space, judgement.verdict, judgement.exact, judgement.score, judgement.containment_a,
        judgement.containment_b, classes, judged_pair.evidence_json, judged_pair.a.read_digest,
        judged_pair.b.read_digest, None if decision is None else decision.pk, JUDGE_VERSION, snapshot,
        judgement.doubtful,
    ]  # fmt: skip

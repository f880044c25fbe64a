"""Compare documents of a batch with leaders that emerge while the batch is concluded.

A document that is processed as a batch of one needs no such step: the leaders of its candidates' clusters are
candidates too. In a batch these clusters do not exist yet when candidates are read. If a bucket is full,
copies of one text may find each other only through its newest documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..models import Verdict
from .conclude import conclude_many
from .stage_types import Candidates, JudgedPair, SignedDocument
from .stored_relations import fingerprints_of
from .verify import verify_many

MAX_ROUNDS = 8
"""Rounds in which leaders are looked for. Each round leaves fewer of them."""


def compare_with_leaders(
    signed: Sequence[SignedDocument],
    candidates: Mapping[int, Candidates],
    judged_pairs: Mapping[int, Sequence[JudgedPair]],
    cluster_changes: dict[int, bool],
    using: str,
) -> None:
    """Compare concluded documents with the leaders of their duplicates' clusters, while there are new ones.

    ``cluster_changes`` is updated with the clusters that change by it.
    """
    compared = {
        document_id: {fingerprint.document_id for fingerprint in document_candidates.fingerprints}
        for document_id, document_candidates in candidates.items()
    }
    duplicates = {
        document.document_id: duplicates_of(document, judged_pairs[document.document_id])
        for document in signed
    }
    for _ in range(MAX_ROUNDS):
        concluded = [document for document in signed if document.document_id in cluster_changes]
        new_duplicates = compare_with_given_leaders(
            concluded, leaders_of(concluded, duplicates, using), compared, cluster_changes, using
        )
        if not new_duplicates:
            return
        for document_id, found_duplicates in new_duplicates.items():
            duplicates[document_id] |= found_duplicates


def compare_with_given_leaders(
    signed: Sequence[SignedDocument],
    leaders: Mapping[int, set[int]],
    compared: Mapping[int, set[int]],
    cluster_changes: dict[int, bool],
    using: str,
) -> dict[int, set[int]]:
    """Compare concluded documents with the leaders with which they were not compared yet.

    Return by document id the duplicates found, for documents that had any such leader. ``compared`` is
    updated with the leaders compared, and ``cluster_changes`` with the clusters that change by it.
    """
    candidates = uncompared_leaders(signed, leaders, compared, using)
    uncompared = [document for document in signed if document.document_id in candidates]
    if not uncompared:
        return {}
    new_pairs = verify_many(uncompared, candidates, using)
    for document_id, has_changed in conclude_many(uncompared, candidates, new_pairs, using).items():
        cluster_changes[document_id] |= has_changed
    for document in uncompared:
        compared[document.document_id].update(
            fingerprint.document_id for fingerprint in candidates[document.document_id].fingerprints
        )
    return {
        document.document_id: duplicates_of(document, new_pairs[document.document_id])
        for document in uncompared
    }


def duplicates_of(signed: SignedDocument, judged_pairs: Sequence[JudgedPair]) -> set[int]:
    """Return the documents that these pairs call duplicates of the signed one."""
    return {
        pair.other_side(signed.document_id).document_id
        for pair in judged_pairs
        if pair.judgement.verdict == Verdict.DUPLICATE
    }


def leaders_of(
    signed: Sequence[SignedDocument], duplicates: Mapping[int, set[int]], using: str
) -> dict[int, set[int]]:
    """Return by document id the leaders of the clusters of its duplicates."""
    members = {duplicate for document in signed for duplicate in duplicates.get(document.document_id, ())}
    fingerprints = fingerprints_of(members, signed[0].scheme.pk, using) if members else {}
    leaders = {
        fingerprint.document_id: fingerprint.leader_id
        for fingerprint in fingerprints.values()
        if fingerprint.leader_id is not None
    }
    return {
        document.document_id: {
            leaders[duplicate]
            for duplicate in duplicates.get(document.document_id, ())
            if duplicate in leaders
        }
        for document in signed
    }


def uncompared_leaders(
    signed: Sequence[SignedDocument],
    leaders: Mapping[int, set[int]],
    compared: Mapping[int, set[int]],
    using: str,
) -> dict[int, Candidates]:
    """Return by document id the leaders in its space with which it was not compared.

    Documents without any such leader are left out.
    """
    missing = {
        document.document_id: leaders[document.document_id]
        - compared[document.document_id]
        - {document.document_id}
        for document in signed
    }
    leader_ids = {leader for document_leaders in missing.values() for leader in document_leaders}
    fingerprints = fingerprints_of(leader_ids, signed[0].scheme.pk, using) if leader_ids else {}
    fingerprints_by_document = {
        document.document_id: [
            fingerprints[leader]
            for leader in sorted(missing[document.document_id] & fingerprints.keys())
            if fingerprints[leader].space_id == document.space_id
        ]
        for document in signed
    }
    return {
        document_id: Candidates(leader_fingerprints)
        for document_id, leader_fingerprints in fingerprints_by_document.items()
        if leader_fingerprints
    }

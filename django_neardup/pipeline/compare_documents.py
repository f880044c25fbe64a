"""Compare documents whose keys are stored: candidates, verdicts, pairs and clusters, and reposts.

The worker and the first index call this. In a batch, leaders may emerge while it is concluded. If a bucket is
full, copies of one text may find each other only through its newest documents. So the documents of a batch
are compared with these leaders as well. A document that is processed separately needs no such step: the
leaders of its candidates' clusters are candidates too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..comparison.candidates import candidates_many
from ..comparison.compared_texts import Candidates, JudgedPair
from ..comparison.verify import verify_many
from ..models import Verdict
from .conclude import conclude_many
from .later_turns import leave_out_compared, limit_turns, request_later_turns, restricted_candidates
from .reposts import record_reposts
from .stage_types import SignedDocument
from .stored_posts import StoredPosts

MAX_ROUNDS = 8
"""Rounds in which leaders are looked for. Each round leaves fewer of them."""


def compare_documents(
    signed: Sequence[SignedDocument], posts: StoredPosts, keep_alive: Callable[[], None] = lambda: None
) -> dict[int, bool]:
    """Compare stored documents of one scheme with ``posts``, and write pairs, clusters and reposts.

    Return by document id whether its cluster has changed. Documents that a newer request has overtaken are
    left out. ``keep_alive`` is called between the stages.
    """
    limit_turns(signed, posts.work)
    candidates = _candidates_of(signed, posts)
    keep_alive()
    judged_pairs = verify_many(signed, candidates, posts)
    keep_alive()
    cluster_changes = conclude_many(signed, candidates, judged_pairs, posts.using)
    keep_alive()
    if len(signed) > 1:
        _compare_with_new_leaders(signed, candidates, judged_pairs, cluster_changes, posts)
    concluded = [document for document in signed if document.document_id in cluster_changes]
    # A turn that compares what was left has not looked for deleted posts: an earlier one has.
    searched = [document for document in concluded if document.looks_for_candidates]
    record_reposts(searched, candidates, posts.using)
    request_later_turns(concluded, posts.work.left, posts.using)
    return cluster_changes


def _candidates_of(signed: Sequence[SignedDocument], posts: StoredPosts) -> dict[int, Candidates]:
    """Return by document id its candidates: all, or the candidates that earlier turns have left."""
    searching = [document for document in signed if document.looks_for_candidates]
    candidates = candidates_many(searching, posts) if searching else {}
    if repeated := {
        document.document_id: candidates[document.document_id]
        for document in searching
        if document.later is not None
    }:
        candidates |= leave_out_compared(repeated, posts.scheme.pk, posts.using)
    if restricted := [document for document in signed if not document.looks_for_candidates]:
        left = {other for document in restricted for other in document.left_candidates}
        fingerprints = posts.fingerprints_of(left)
        candidates |= {
            document.document_id: restricted_candidates(document, fingerprints) for document in restricted
        }
    return candidates


def _compare_with_new_leaders(
    signed: Sequence[SignedDocument],
    candidates: Mapping[int, Candidates],
    judged_pairs: Mapping[int, Sequence[JudgedPair]],
    cluster_changes: dict[int, bool],
    posts: StoredPosts,
) -> None:
    """Compare concluded documents with the leaders of their duplicates' clusters, while there are new ones.

    ``cluster_changes`` is updated with the clusters that change by it.
    """
    concluded = [document for document in signed if document.document_id in cluster_changes]
    compared = {document.document_id: _ids(candidates[document.document_id]) for document in concluded}
    duplicates = {
        document.document_id: _duplicates_of(document, judged_pairs[document.document_id])
        for document in concluded
    }
    crowded = [
        document
        for document in concluded
        if document.looks_for_candidates and len(compared[document.document_id]) >= posts.max_aligned
    ]
    for round_number in range(MAX_ROUNDS):
        leaders = _leaders_of(concluded, duplicates, posts)
        if crowded and not round_number:
            for document_id, nearby_leaders in _nearby_leaders(crowded, posts).items():
                leaders[document_id] |= nearby_leaders
        new_candidates = _uncompared_leaders(concluded, leaders, compared, posts)
        uncompared = [document for document in concluded if document.document_id in new_candidates]
        if not uncompared:
            return
        new_pairs = verify_many(uncompared, new_candidates, posts)
        for document_id, has_changed in conclude_many(
            uncompared, new_candidates, new_pairs, posts.using
        ).items():
            cluster_changes[document_id] |= has_changed
        for document in uncompared:
            compared[document.document_id] |= _ids(new_candidates[document.document_id])
            duplicates[document.document_id] |= _duplicates_of(document, new_pairs[document.document_id])


def _ids(candidates: Candidates) -> set[int]:
    return {fingerprint.document_id for fingerprint in candidates.fingerprints}


def _duplicates_of(signed: SignedDocument, judged_pairs: Sequence[JudgedPair]) -> set[int]:
    """Return the documents that these pairs call duplicates of the signed one."""
    return {
        pair.other_side(signed.document_id).document_id
        for pair in judged_pairs
        if pair.judgement.verdict == Verdict.DUPLICATE
    }


def _leaders_of(
    signed: Sequence[SignedDocument], duplicates: Mapping[int, set[int]], posts: StoredPosts
) -> dict[int, set[int]]:
    """Return by document id the leaders of the clusters of its duplicates."""
    members = {duplicate for document in signed for duplicate in duplicates[document.document_id]}
    leaders = {
        fingerprint.document_id: fingerprint.leader_id
        for fingerprint in posts.fingerprints_of(members).values()
        if fingerprint.leader_id is not None
    }
    return {
        document.document_id: {
            leaders[duplicate] for duplicate in duplicates[document.document_id] if duplicate in leaders
        }
        for document in signed
    }


def _nearby_leaders(signed: Sequence[SignedDocument], posts: StoredPosts) -> dict[int, set[int]]:
    """Return the leaders of candidates, for documents with more candidates than are aligned.

    The candidates that were not aligned may be in clusters of these leaders by now.
    """
    return {
        document_id: {
            fingerprint.leader_id
            for fingerprint in candidates.fingerprints
            if fingerprint.leader_id is not None
        }
        for document_id, candidates in candidates_many(signed, posts).items()
    }


def _uncompared_leaders(
    signed: Sequence[SignedDocument],
    leaders: Mapping[int, set[int]],
    compared: Mapping[int, set[int]],
    posts: StoredPosts,
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
    fingerprints = posts.fingerprints_of(set().union(*missing.values()))
    in_space = {
        document.document_id: [
            fingerprints[leader]
            for leader in sorted(missing[document.document_id] & fingerprints.keys())
            if fingerprints[leader].space_id == document.space_id
        ]
        for document in signed
    }
    return {document_id: Candidates(nearby) for document_id, nearby in in_space.items() if nearby}

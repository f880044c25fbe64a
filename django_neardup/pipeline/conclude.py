"""Step C: write pairs and update clusters, under the lock of the space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from ..comparison.compared_texts import Candidates, JudgedPair, PairSide
from ..comparison.verify import verify_many
from ..db.backends import get_backend
from ..db.queries import clusters as cluster_queries
from .clusters.assign import recluster
from .clusters.memberships import MembershipRow, memberships_of, update_text_of
from .clusters.moves import conclude_separately, leave_former_spaces
from .decision_lookup import documents_bound_to
from .locks import call_with_retries, space_lock
from .pairs import (
    LockedState,
    PreviousScores,
    delete_stale_pairs,
    paired_documents_of,
    serialize_evidence,
    source_digests_of,
    write_pairs,
)
from .stage_types import PairRow, SignedDocument
from .stored_posts import StoredPosts
from .text_age import place_edits
from .work_queue import mark_document

MAX_CONCLUDE_ATTEMPTS = 3
"""How often pairs are verified again because a text has changed since it was compared."""

DOCUMENTS_PER_LOCK = 25
"""Documents that are concluded under one lock.

The number is small, so that other workers do not wait long.
"""

TEXT_SINCE = 2
"""The column of ``db.queries.clusters.nodes`` with the age of the text."""

ABOVE_ALL_IDS = 2**63 - 1
"""Greater than every document id."""


@dataclass(slots=True)
class ConcludeResult:
    """The result of one attempt, by document id.

    - ``cluster_changed``: whether its cluster has changed.
    - ``changed_partners``: the other sides of its pairs that must be verified again.
    - ``missing_spaces``: spaces that must be locked as well. Nothing was concluded.
    """

    cluster_changed: dict[int, bool] = field(default_factory=dict)
    changed_partners: dict[int, set[int]] = field(default_factory=dict)
    missing_spaces: set[int] = field(default_factory=set)


def conclude_many(
    signed: Sequence[SignedDocument],
    candidates: Mapping[int, Candidates],
    judged_pairs: Mapping[int, Sequence[JudgedPair]],
    using: str,
) -> dict[int, bool]:
    """Step C: write pairs and update clusters. Return by document id whether its cluster has changed.

    The lock of the space is taken for few documents at a time. Documents with nothing to write take no lock.
    Documents that have changed meanwhile are left out: a newer request will process them. Pairs with a
    partner that has changed are verified again, at most 3 times.
    """
    pairs_by_document = {
        document.document_id: _pairs_to_store(
            judged_pairs.get(document.document_id, ()), candidates[document.document_id]
        )
        for document in signed
    }
    to_conclude = [
        document
        for document in signed
        if pairs_by_document[document.document_id] or candidates[document.document_id].has_relations
    ]
    cluster_changed = dict.fromkeys((document.document_id for document in signed), False)
    for document in to_conclude:
        # A document gets its entry when it is concluded. If it has changed meanwhile, it gets none.
        del cluster_changed[document.document_id]
    for group in _group_by_space(to_conclude):
        cluster_changed |= _conclude_group(group, candidates, pairs_by_document, using)
    return cluster_changed


def _pairs_to_store(judged_pairs: Iterable[JudgedPair], candidates: Candidates) -> list[JudgedPair]:
    """Return similar pairs, and refused pairs that may be stored and must be deleted."""
    return [
        pair
        for pair in judged_pairs
        if pair.judgement.is_similar or {pair.a.document_id, pair.b.document_id} & candidates.paired_documents
    ]


def _group_by_space(signed: Iterable[SignedDocument]) -> list[list[SignedDocument]]:
    """Return small groups of documents, each of one space. An edited document forms its own group.

    Its row is written under the lock of the space. With two rows, that could deadlock with a request.
    """
    by_space: dict[int, list[SignedDocument]] = {}
    for document in signed:
        if document.edit is None:
            by_space.setdefault(document.space_id, []).append(document)
    groups = [
        group[start : start + DOCUMENTS_PER_LOCK]
        for _, group in sorted(by_space.items())
        for start in range(0, len(group), DOCUMENTS_PER_LOCK)
    ]
    # Last: another document of the batch then learns from its own conclusion that it has joined a cluster.
    return groups + [[document] for document in signed if document.edit is not None]


def _conclude_group(
    group: Sequence[SignedDocument],
    candidates: Mapping[int, Candidates],
    judged_pairs: Mapping[int, Sequence[JudgedPair]],
    using: str,
) -> dict[int, bool]:
    """Conclude documents of one space. Verify pairs again if a partner has changed meanwhile."""
    cluster_changed: dict[int, bool] = {}
    pairs = {document.document_id: list(judged_pairs[document.document_id]) for document in group}
    spaces = {group[0].space_id}.union(*(candidates[document.document_id].spaces for document in group))
    for _ in range(MAX_CONCLUDE_ATTEMPTS):
        serialize_evidence(pair for document in group for pair in pairs[document.document_id])
        outcome = call_with_retries(_conclude_under_lock, group, candidates, pairs, spaces, using)
        if outcome.missing_spaces:
            spaces |= outcome.missing_spaces
            continue
        cluster_changed |= outcome.cluster_changed
        _mark_changed_texts(
            [document for document in group if document.document_id in outcome.cluster_changed], pairs, using
        )
        group = [document for document in group if document.document_id in outcome.changed_partners]
        if not group:
            return cluster_changed
        _verify_again(group, pairs, outcome.changed_partners, using)
    for document in group:
        # Their partners change faster than pairs can be verified.
        mark_document(document.document_id, using, recheck=True)
    return cluster_changed | dict.fromkeys((document.document_id for document in group), False)


def _mark_changed_texts(
    concluded: Sequence[SignedDocument], pairs: Mapping[int, Sequence[JudgedPair]], using: str
) -> None:
    """Mark documents with a text that changed while their pairs were not visible yet.

    These may be the concluded documents or their partners.
    """
    sides = {
        pair.other_side(document.document_id)
        for document in concluded
        for pair in pairs[document.document_id]
    }
    # Such a document may have been processed before the pairs were committed, and have found nothing to
    # update. SQLite has one writer at a time, so it cannot happen there.
    if not sides or get_backend(using).has_one_writer:
        return
    judged_digests = {side.document_id: side.stored_digest for side in sides} | {
        document.document_id: document.source_digest for document in concluded
    }
    for document_id, digest in source_digests_of(judged_digests, concluded[0].scheme.pk, using).items():
        if digest != judged_digests[document_id]:
            mark_document(document_id, using, recheck=True)


def _verify_again(
    group: Sequence[SignedDocument],
    pairs: dict[int, list[JudgedPair]],
    changed_partners: Mapping[int, set[int]],
    using: str,
) -> None:
    """Judge the pairs with changed partners again, if the partners are still in the space."""
    posts = StoredPosts.of(group, using)
    partner_fingerprints = posts.fingerprints_of(set().union(*changed_partners.values())).values()
    in_space = [item for item in partner_fingerprints if item.space_id == group[0].space_id]
    new_candidates = {
        document.document_id: Candidates(
            [item for item in in_space if item.document_id in changed_partners[document.document_id]]
        )
        for document in group
    }
    new_pairs = verify_many(group, new_candidates, posts)
    for document in group:
        changed_ids = changed_partners[document.document_id]
        kept_pairs = [
            item
            for item in pairs[document.document_id]
            if item.other_side(document.document_id).document_id not in changed_ids
        ]
        pairs[document.document_id] = kept_pairs + new_pairs[document.document_id]


def _conclude_under_lock(
    group: Sequence[SignedDocument],
    candidates: Mapping[int, Candidates],
    pairs: Mapping[int, Sequence[JudgedPair]],
    spaces: Set[int],
    using: str,
) -> ConcludeResult:
    """Conclude documents under the locks of ``spaces``."""
    result = ConcludeResult()
    with space_lock(spaces, using):
        locked_state, old_memberships, unchanged = _find_unchanged(group, pairs, result, using)
        # A pair and its cluster need both sides in one space. Of two that move together the first one takes the
        # other out of their cluster: they would wait for each other.
        moving = _moving_partners(unchanged, pairs, group[0].space_id, old_memberships)
        if moving:
            former_spaces = {old_memberships[document].space_id for document in moving}
            if not former_spaces <= spaces:
                return ConcludeResult(missing_spaces=former_spaces)
            leave_former_spaces(moving.values(), group[0].space_id, group[0].scheme, using)
            locked_state, _, unchanged = _find_unchanged(group, pairs, result, using)
        locked_state, moved = _place_edits(unchanged, pairs, old_memberships, locked_state, using)
        separate = [
            document
            for document in unchanged
            if _needs_separate_conclusion(
                document, old_memberships.get(document.document_id), candidates[document.document_id]
            )
        ]
        for document in separate:
            neighbours = paired_documents_of(moved & {document.document_id}, document.scheme.pk, using)
            conclude_separately(
                document, pairs[document.document_id], replace(locked_state, pairs={}), using, neighbours
            )
        if separate:
            # The separate conclusions have changed rows that were read before.
            locked_state = replace(locked_state, nodes={}, clusters={}, pairs={})
        grouped = [document for document in unchanged if document not in separate]
        joined = (
            _write_pairs_and_recluster(
                grouped, old_memberships, candidates, pairs, locked_state, moved, using
            )
            if grouped
            else set()
        )
        # A separate conclusion can change the membership of any document. Otherwise a document without a
        # membership can only have joined a cluster.
        member_ids = [
            document.document_id
            for document in unchanged
            if separate or document.document_id in old_memberships
        ]
        new_memberships = memberships_of(member_ids, using)
        for document in unchanged:
            old_membership, new_membership = (
                old_memberships.get(document.document_id),
                new_memberships.get(document.document_id),
            )
            result.cluster_changed[document.document_id] = (
                (old_membership and old_membership.cluster_id)
                != (new_membership and new_membership.cluster_id)
                if document.document_id in member_ids
                else document.document_id in joined
            )
    return result


def _place_edits(
    unchanged: Sequence[SignedDocument],
    pairs: Mapping[int, Sequence[JudgedPair]],
    memberships: Mapping[int, MembershipRow],
    locked_state: LockedState,
    using: str,
) -> tuple[LockedState, set[int]]:
    """Give edited texts their age. Return the state with it, and the documents with another age."""
    if all(document.edit is None for document in unchanged):
        return locked_state, set()
    times = {document: row[TEXT_SINCE] for document, row in locked_state.nodes.items()}
    changed = place_edits(unchanged, pairs, memberships, times, using)
    nodes = {
        document: (*row[:TEXT_SINCE], changed.get(document, row[TEXT_SINCE]), *row[TEXT_SINCE + 1 :])
        for document, row in locked_state.nodes.items()
    }
    return replace(locked_state, nodes=nodes), {*changed}


def _find_unchanged(
    group: Sequence[SignedDocument],
    pairs: Mapping[int, Sequence[JudgedPair]],
    result: ConcludeResult,
    using: str,
) -> tuple[LockedState, dict[int, MembershipRow], list[SignedDocument]]:
    """Return the locked state, the memberships, and the documents that can be concluded.

    These and their partners have not changed since they were compared. Changed partners of other documents
    are added to ``result``.
    """
    partners = {
        document.document_id: [item.other_side(document.document_id) for item in pairs[document.document_id]]
        for document in group
    }
    document_ids = {document.document_id for document in group}.union(
        side.document_id for item in partners.values() for side in item
    )
    first_new_id = min((document.document_id for document in group if document.is_new), default=ABOVE_ALL_IDS)
    locked_state, versions, memberships = _read_locked_state(
        document_ids, group[0].scheme.pk, using, first_new_id
    )
    unchanged = []
    for document in group:
        if (versions.get(document.document_id), locked_state.digests.get(document.document_id)) != (
            document.requested_version,
            document.source_digest,
        ):
            # The document itself has changed: its newer request will compare it.
            continue
        changed_ids = {
            side.document_id
            for side in partners[document.document_id]
            if locked_state.digests.get(side.document_id) != side.stored_digest
        }
        if changed_ids:
            result.changed_partners[document.document_id] = changed_ids
        else:
            unchanged.append(document)
    return locked_state, memberships, unchanged


def _moving_partners(
    documents: Iterable[SignedDocument],
    pairs: Mapping[int, Sequence[JudgedPair]],
    space: int,
    memberships: Mapping[int, MembershipRow],
) -> dict[int, PairSide]:
    """Return the other sides of pairs that were stored in the space and are still in a cluster of another one."""
    sides = [
        pair.other_side(document.document_id)
        for document in documents
        for pair in pairs[document.document_id]
    ]
    return {
        side.document_id: side
        for side in sorted(sides, key=attrgetter("document_id"))
        if side.document_id in memberships and memberships[side.document_id].space_id != space
    }


def _read_locked_state(
    documents: Iterable[int], scheme: int, using: str, first_new_id: int
) -> tuple[LockedState, dict[int, int], dict[int, MembershipRow]]:
    """Return the state of the documents, their versions, and their memberships.

    ``first_new_id``: documents from this id on probably have no pair yet. For them the same statement checks
    it.
    """
    nodes, digests, without_decisions, clusters = (
        dict[int, Any](),
        dict[int, str](),
        set[int](),
        dict[int, Any](),
    )
    versions, memberships, pairs = {}, {}, dict[int, list[PairRow]]()
    for row in cluster_queries.locked_state(using, sorted(documents), first_new_id, scheme):
        (
            (document, _, _, _, source_digest, leader_id, *_),
            (version, cluster_id, *membership_values),
            (has_decision, has_no_pair, *cluster_values),
        ) = (
            row[:8],
            row[8:13],
            row[13:],
        )
        nodes[document], versions[document] = row[:8], version
        if source_digest:
            digests[document] = source_digest
        if not has_decision:
            without_decisions.add(document)
        if has_no_pair:
            pairs[document] = []
        if cluster_id is not None:
            memberships[document] = MembershipRow(cluster_id, leader_id, *membership_values)
            clusters[leader_id] = (cluster_id, membership_values[0], leader_id, *cluster_values)
    return LockedState(nodes, digests, without_decisions, clusters, pairs), versions, memberships


def _needs_separate_conclusion(
    signed: SignedDocument, membership: MembershipRow | None, candidates: Candidates
) -> bool:
    """Return whether other documents depend on this document's membership.

    That is so if it comes from another space, or if it leads a cluster and its text has changed.
    """
    if candidates.spaces - {signed.space_id}:
        return True
    return membership is not None and (
        membership.space_id != signed.space_id
        or (membership.leader_id == signed.document_id and membership.digest != signed.source_digest)
    )


def _write_pairs_and_recluster(
    signed: Sequence[SignedDocument],
    memberships: Mapping[int, MembershipRow],
    candidates: Mapping[int, Candidates],
    pairs: Mapping[int, Sequence[JudgedPair]],
    locked_state: LockedState,
    moved: Set[int],
    using: str,
) -> set[int]:
    """Write pairs, delete stale ones, apply decisions, and recluster.

    ``moved``: documents with another place in the static order. Return documents that joined a cluster, and the
    leaders of these clusters.
    """
    scheme, space = signed[0].scheme, signed[0].space_id
    scores: PreviousScores = {}
    judged = (pair for document in signed for pair in pairs[document.document_id])
    related = write_pairs(judged, scheme, space, using, scores, locked_state)
    signed_before = [document for document in signed if not document.is_new]
    seeds = {document.document_id for document in signed}
    partners = related.intersection(
        pair.other_side(document.document_id).document_id
        for document in signed_before
        for pair in pairs[document.document_id]
    )
    # Neighbours that were later than a moved document may be earlier now, and then no other step reaches
    # them.
    seeds |= paired_documents_of(moved & seeds, scheme.pk, using)
    related_digests = {
        document.document_id: document.source_digest
        for document in signed_before
        if candidates[document.document_id].has_relations
    }
    if related_digests:
        seeds |= delete_stale_pairs(related_digests, scheme, using, scores)
        seeds |= documents_bound_to(related_digests.keys() - locked_state.without_decisions, using)
        locked_state = replace(locked_state, pairs={})
    for document in signed:
        membership = memberships.get(document.document_id)
        if membership is not None and (membership.digest, membership.scheme_id) != (
            document.source_digest,
            scheme.pk,
        ):
            update_text_of(
                document.document_id, document.source_digest, scheme.pk, using, membership.scheme_id
            )
    leader_by_document = recluster(
        scheme,
        seeds | partners,
        using,
        related=related - seeds - partners,
        locked_state=locked_state,
        previous_scores=scores,
        unmoved=partners - seeds,
    )
    return {
        side
        for member, leader in leader_by_document.items()
        if leader not in (None, member)
        for side in (member, leader)
    }

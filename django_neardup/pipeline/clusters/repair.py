"""Repair of a cluster whose leader was edited, hidden or deleted.

Its members are verified against the next leader.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...comparison.compared_texts import Candidates, JudgedPair
from ...comparison.verify import verify_many
from ...comparison.work_limit import WorkLimit
from ...db.chunks import chunked
from ...db.sql import filter_in_chunks
from ...models import Cluster, Document, Pair, Verdict
from ..conclude import MAX_CONCLUDE_ATTEMPTS
from ..leases import renew_leases
from ..locks import call_with_retries, space_lock
from ..pairs import PreviousScores, current_pairs_of, serialize_evidence, source_digests_of, write_pairs
from ..read import read_many
from ..schemes import active_scheme, scheme_of_space
from ..sign import sign_many
from ..stage_types import SignedDocument
from ..stored_posts import TURN_UNITS, StoredPosts
from ..work_queue import finish_row, mark_document, mark_many
from .aggregates import refresh_cluster
from .assign import recluster_related
from .moves import ConcurrentChange

MAX_LEADERS = 8
"""Leaders that one repair tries. The remaining members are processed one by one afterwards."""

MEMBERS_PER_BATCH = 100
"""Members whose texts are read at once."""


def repair_cluster(cluster: Cluster, using: str) -> None:
    """Verify every member against the first one, the rest against the next, and so on.

    Then assign clusters again.
    """
    for _ in range(MAX_CONCLUDE_ATTEMPTS):
        members = _members(cluster, using)
        verified, unverified = _verify_in_rounds(cluster, members, using)
        renew_leases([cluster], using)
        try:
            call_with_retries(_conclude_repair, cluster, verified, using)
        except ConcurrentChange:
            continue
        for document_id in unverified:
            mark_document(document_id, using, recheck=True)
        return finish_row(Cluster, cluster.pk, cluster.wanted, using)
    # The members change faster than they can be verified together.
    reprocess_members(cluster, using)


def reprocess_members(cluster: Cluster, using: str) -> None:
    """Request a turn for every member and assign each by the stored pairs, few members under one lock.

    Completed portions are kept even if a later one fails.
    """
    for member_ids in chunked([document.pk for document in _members(cluster, using)], MEMBERS_PER_BATCH):
        renew_leases([cluster], using)
        call_with_retries(mark_many, member_ids, using)
        call_with_retries(_recluster_members, cluster, member_ids, using)
    finish_row(Cluster, cluster.pk, cluster.wanted, using)


def _members(cluster: Cluster, using: str) -> list[Document]:
    rows = Document.objects.using(using).filter(membership__cluster=cluster)
    return sorted(rows, key=lambda document: document.static_order)


def _duplicates_outside(members: Sequence[Document], using: str) -> list[Document]:
    """Return duplicates of members that are not members themselves."""
    inside = {document.pk for document in members}
    pairs = Pair.objects.using(using).filter(verdict=Verdict.DUPLICATE).values_list("a", "b")
    stored_pairs = (
        pair for side in ("a", "b") for chunk in filter_in_chunks(pairs, side, inside) for pair in chunk
    )
    outside = sorted({document for pair in stored_pairs for document in pair} - inside)
    rows = filter_in_chunks(Document.objects.using(using).order_by("pk"), "pk", outside)
    return [document for chunk in rows for document in chunk]


def _verify_in_rounds(
    cluster: Cluster, members: Sequence[Document], using: str
) -> tuple[list[JudgedPair], list[int]]:
    """Return the judged pairs, and the ids of documents that must be processed one by one.

    The limit of work is that of one turn.
    """
    verified: list[JudgedPair] = []
    work, spent = WorkLimit(TURN_UNITS), 0
    waiting, outside = list(members), _duplicates_outside(members, using)
    for _ in range(MAX_LEADERS):
        if len(waiting) < 2:
            return verified, []
        leader, *rest = waiting
        signed = _sign_indexed(leader, using)
        if signed is None:
            waiting = rest
            continue
        work.charge(leader.pk, spent)
        new_pairs, known_duplicates = _verify_with_leader(
            cluster, leader, signed, [*rest, *outside], work, using
        )
        verified += new_pairs
        duplicates = known_duplicates | {
            pair.other_side(leader.pk).document_id
            for pair in new_pairs
            if pair.judgement.verdict == Verdict.DUPLICATE
        }
        waiting = [document for document in rest if document.pk not in duplicates]
        if unaligned := work.left.pop(leader.pk, []):
            left = {fingerprint.document_id for fingerprint in unaligned}
            return verified, sorted(left.union(document.pk for document in waiting))
        spent = work.spent_on(leader.pk)
    return verified, [document.pk for document in waiting]


def _verify_with_leader(
    cluster: Cluster,
    leader: Document,
    signed: SignedDocument,
    documents: Sequence[Document],
    work: WorkLimit,
    using: str,
) -> tuple[list[JudgedPair], set[int]]:
    """Compare the leader with the documents that it has no current pair with.

    Return the new pairs, and the documents already known to be its duplicates. The cluster's lease is renewed
    between batches.
    """
    current_pairs: dict[int, Pair] = {
        pair.other_id(leader.pk): pair for pair in current_pairs_of([leader.pk], signed.scheme.pk, using)
    }
    posts = StoredPosts(signed.adapter.settings, signed.scheme, using, work)
    work.with_later_turns.add(leader.pk)
    unknown = posts.fingerprints_of(
        [document.pk for document in documents if document.pk not in current_pairs]
    )
    in_space = [fingerprint for fingerprint in unknown.values() if fingerprint.space_id == signed.space_id]
    duplicates = {other for other, pair in current_pairs.items() if pair.verdict == Verdict.DUPLICATE}
    verified: list[JudgedPair] = []
    for batch in chunked(in_space, MEMBERS_PER_BATCH):
        renew_leases([cluster], using)
        verified += verify_many([signed], {leader.pk: Candidates(list(batch))}, posts)[leader.pk]
    serialize_evidence(verified)
    return verified, duplicates


def _sign_indexed(document: Document, using: str) -> SignedDocument | None:
    """Sign the document if its text is still the indexed one.

    Otherwise mark it for a turn and return None.
    """
    (read_document,) = read_many([document], using)
    if read_document.adapter is not None and read_document.source is not None:
        scheme = active_scheme(read_document.adapter.settings, using)
        if source_digests_of([document.pk], scheme.pk, using).get(document.pk) == read_document.source.digest:
            signed, _ = sign_many([read_document], scheme, using)
            if signed:
                return signed[0]
    mark_document(document.pk, using, recheck=read_document.source is not None)
    return None


def _conclude_repair(cluster: Cluster, judged_pairs: Sequence[JudgedPair], using: str) -> None:
    scheme = scheme_of_space(cluster.space_id, using)
    with space_lock([cluster.space_id], using):
        stored_digests = source_digests_of(
            {side.document_id for pair in judged_pairs for side in (pair.a, pair.b)}, scheme.pk, using
        )
        for pair in judged_pairs:
            if any(stored_digests.get(side.document_id) != side.read_digest for side in (pair.a, pair.b)):
                # A text has changed since it was compared. Nothing is locked during comparisons, so this is
                # checked under the lock.
                raise ConcurrentChange
        scores: PreviousScores = {}
        touched = write_pairs(judged_pairs, scheme, cluster.space_id, using, scores)
        member_ids = {document.pk for document in _members(cluster, using)}
        recluster_related(member_ids | touched, scheme, using, previous_scores=scores)
        for row in Cluster.objects.using(using).filter(pk=cluster.pk):
            refresh_cluster(row, using)


def _recluster_members(cluster: Cluster, documents: Sequence[int], using: str) -> None:
    with space_lock([cluster.space_id], using):
        recluster_related(documents, scheme_of_space(cluster.space_id, using), using)

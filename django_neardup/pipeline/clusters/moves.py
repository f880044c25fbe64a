"""Conclusions of documents on which the memberships of others depend.

These are documents that lead with a changed text, move to another space, are hidden or are removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.db.models import Q, QuerySet

from ...comparison.compared_texts import JudgedPair, PairSide
from ...db.sql import filter_in_chunks
from ...models import Cluster, Document, FamilyMember, Membership, Pair, Scheme
from ..decision_lookup import documents_bound_to
from ..locks import space_lock
from ..pairs import EMPTY_STATE, LockedState, PreviousScores, delete_stale_pairs, write_pairs
from ..stage_types import SignedDocument
from ..work_queue import request_processing
from .aggregates import refresh_cluster
from .assign import recluster, recluster_related
from .memberships import delete_memberships, spaces_of, update_text_of


class ConcurrentChange(Exception):
    """The document or a pair has changed since it was read; the caller has to start again."""


def conclude_separately(
    signed: SignedDocument,
    judged_pairs: Sequence[JudgedPair],
    locked_state: LockedState,
    using: str,
    neighbours: Collection[int] = (),
) -> None:
    """Conclude (step C) a document on which the memberships of others depend.

    The caller holds the locks of all its spaces. If the leader of a cluster has a changed text, the other
    members keep their places until the repair of the cluster. ``neighbours``: more documents that may depend on it.
    """
    side = PairSide(signed.document_id, signed.source_digest, signed.source_digest)
    _conclude_side(side, signed.space_id, signed.scheme, judged_pairs, locked_state, using, neighbours)


def leave_former_spaces(sides: Iterable[PairSide], space: int, scheme: Scheme, using: str) -> None:
    """Take documents out of the clusters of other spaces, in which they still are.

    They were stored in ``space``, and their own turns are about to do the same. The caller holds the locks of all
    these spaces.
    """
    for side in sides:
        _conclude_side(side, space, scheme, (), EMPTY_STATE, using)


def _conclude_side(
    side: PairSide,
    space: int,
    scheme: Scheme,
    judged_pairs: Sequence[JudgedPair],
    locked_state: LockedState,
    using: str,
    neighbours: Collection[int] = (),
) -> None:
    document, digest = side.document_id, side.stored_digest
    led = _cluster_led_by(document, using)
    frozen = _members_except_leader(led) if _has_changed_text(document, digest, using) else set()
    scores: PreviousScores = {}
    touched = {*neighbours} | _leave_other_spaces(document, space, scheme, using)
    touched |= write_pairs(judged_pairs, scheme, space, using, scores, locked_state)
    touched |= delete_stale_pairs({document: digest}, scheme, using, scores) | documents_bound_to(
        [document], using
    )
    update_text_of(document, digest, scheme.pk, using)
    recluster(scheme, {document, *touched}, using, frozen=frozen, previous_scores=scores)
    if led is not None and frozen:
        request_processing(Cluster, led.pk, using)
        # The cluster may be dissolved by now. Members without a cluster are placed here, since no repair
        # sees them.
        recluster(scheme, {document, *frozen} - _clustered_documents(frozen, using), using)


def remove_relations(document: Document, scheme: Scheme, using: str) -> bool:
    """Remove the pairs and the membership of a document that is no longer compared (step C).

    Return True if the document was in a cluster. Raise ``ConcurrentChange`` if a newer turn has processed the
    document.
    """
    spaces = spaces_of(document.pk, using)
    if not spaces:
        return False
    with space_lock(spaces, using):
        # The fence: a newer turn has raised the version.
        if not Document.objects.using(using).filter(pk=document.pk, version=document.wanted).exists():
            raise ConcurrentChange
        old_cluster_id, led = _cluster_id_of(document.pk, using), _cluster_led_by(document.pk, using)
        other_members = _members_except_leader(led) - {document.pk}
        pairs = Pair.objects.using(using).filter(Q(a=document.pk) | Q(b=document.pk))
        paired_documents = _delete_pairs(pairs, document.pk) | (
            documents_bound_to([document.pk], using) - {document.pk}
        )
        delete_memberships(Membership.objects.using(using).filter(document=document.pk), using)
        FamilyMember.objects.using(using).filter(document=document.pk).delete()
        freed = (
            refresh_cluster(Cluster.objects.using(using).get(pk=old_cluster_id), using)
            if old_cluster_id is not None
            else set()
        )
        clustered = _clustered_documents(other_members, using)
        recluster(scheme, paired_documents | other_members, using, frozen=clustered)
        recluster_related(freed, scheme, using, clustered)
        return old_cluster_id is not None


def demote_hidden(document: Document, scheme: Scheme, using: str) -> bool:
    """Take the lead from a document that is no longer live, even if it cannot be signed again.

    Return True if its cluster changed. Raise ``ConcurrentChange`` if a newer turn has processed the document.
    """
    with space_lock(spaces_of(document.pk, using), using):
        rows = Document.objects.using(using).filter(pk=document.pk, version=document.version)
        if not rows.update(live=False, recheck=True):
            raise ConcurrentChange
        old_cluster_id, led = _cluster_id_of(document.pk, using), _cluster_led_by(document.pk, using)
        other_members = _members_except_leader(led)
        # First the document itself. Its members stay together and wait for the repair with the next leader.
        recluster(scheme, {document.pk}, using, frozen=other_members)
        if led is not None:
            request_processing(Cluster, led.pk, using)
            recluster(
                scheme, {document.pk, *other_members} - _clustered_documents(other_members, using), using
            )
        return old_cluster_id != _cluster_id_of(document.pk, using)


def _leave_other_spaces(document: int, space: int, scheme: Scheme, using: str) -> set[int]:
    """Remove the pairs and the membership that a moved document left in other spaces.

    Return the documents whose clusters may change because of that.
    """
    foreign_pairs = Pair.objects.using(using).filter(Q(a=document) | Q(b=document)).exclude(space=space)
    affected = _delete_pairs(foreign_pairs, document)
    families = FamilyMember.objects.using(using).exclude(space=space)
    # Leader and member have moved together: nothing else in the row changes.
    families.filter(
        Q(document=document) | Q(leader=document), document__space=space, leader__space=space
    ).update(space=space)
    old_cluster = (
        Cluster.objects.using(using).filter(memberships__document=document).exclude(space=space).first()
    )
    if old_cluster is not None:
        affected |= documents_bound_to([document], using)  # before its membership goes
        delete_memberships(Membership.objects.using(using).filter(document=document), using)
        recluster_related(refresh_cluster(old_cluster, using), scheme, using)
    return affected


def _has_changed_text(document: int, digest: str, using: str) -> bool:
    """Return whether the source digest differs from the one by which the document was clustered.

    Return False if the document is in no cluster.
    """
    digests = Membership.objects.using(using).filter(document=document)
    clustered_digest = digests.values_list("digest", flat=True).first()
    return clustered_digest is not None and clustered_digest != digest


def _delete_pairs(pairs: QuerySet[Pair], document: int) -> set[int]:
    """Delete the pairs and return their other documents."""
    others = {pair.other_id(document) for pair in pairs.only("a_id", "b_id")}
    if others:
        pairs.delete()
    return others


def _cluster_id_of(document: int, using: str) -> int | None:
    return Membership.objects.using(using).filter(document=document).values_list("cluster", flat=True).first()


def _cluster_led_by(document: int, using: str) -> Cluster | None:
    return Cluster.objects.using(using).filter(leader=document).first()


def _clustered_documents(documents: Collection[int], using: str) -> set[int]:
    """Return the documents that are still in a cluster: its repair places them."""
    rows = Membership.objects.using(using).values_list("document", flat=True)
    return {
        document
        for document_ids in filter_in_chunks(rows, "document", documents)
        for document in document_ids
    }


def _members_except_leader(cluster: Cluster | None) -> set[int]:
    if cluster is None:
        return set()
    rows = Membership.objects.using(cluster._state.db).filter(cluster=cluster)
    return set(rows.values_list("document", flat=True)) - {cluster.leader_id}

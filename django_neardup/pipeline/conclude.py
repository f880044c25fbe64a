"""Step C of a turn: under the space's lock, pairs are written and clusters follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Q, QuerySet

from ..models import Cluster, Document, Membership, Pair, Scheme
from .assign import recluster, refresh
from .facts import decided_with, digests, write
from .ledger import request
from .locks import space_lock
from .verify import Verified


class Moved(Exception):
    """Texts changed between steps B and C: ``documents`` are to be verified again; empty where it is one's own."""

    def __init__(self, documents: Collection[int] = ()) -> None:
        super().__init__(sorted(documents))
        self.documents = set(documents)


def conclude(
    document: Document, wanted: int, digest: str, scheme: Scheme, verified: Sequence[Verified], using: str
) -> bool:
    """Store what step B found; whether the document's cluster changed. ``Moved`` where the facts have."""
    space = Document.objects.using(using).values_list("space", flat=True).get(pk=document.pk)
    with space_lock({space, *_spaces(document.pk, using)}, using):
        _check_unmoved(document.pk, wanted, digest, scheme, verified, using)
        led, before = _led(document.pk, using), _cluster(document.pk, using)
        frozen = _members(led) if _has_other_text(document.pk, digest, using) else set()
        touched = _leave_other_spaces(document.pk, space, using)
        touched |= write(verified, scheme, space, using)
        touched |= _drop_stale(document.pk, digest, scheme, using) | decided_with(document.pk, using)
        Membership.objects.using(using).filter(document=document.pk).update(digest=digest, scheme=scheme)
        recluster(scheme, {document.pk, *touched}, using, frozen=frozen)
        if led is not None and frozen:
            request(Cluster, led.pk, using)
            recluster(scheme, {document.pk, *frozen} - _placed(frozen, using), using)
        return before != _cluster(document.pk, using)


def withdraw(document: Document, wanted: int, scheme: Scheme, using: str) -> bool:
    """Step C of a document that is compared no more: its pairs and its place go."""
    spaces = _spaces(document.pk, using)
    if not spaces:
        return False
    with space_lock(spaces, using):
        if not Document.objects.using(using).filter(pk=document.pk, version=wanted).exists():
            raise Moved
        before, led = _cluster(document.pk, using), _led(document.pk, using)
        members = _members(led) - {document.pk}
        pairs = Pair.objects.using(using).filter(Q(a=document.pk) | Q(b=document.pk))
        others = _delete(pairs, document.pk) | decided_with(document.pk, using)
        Membership.objects.using(using).filter(document=document.pk).delete()
        if before is not None:
            refresh(Cluster.objects.using(using).get(pk=before), using)
        recluster(scheme, others | members, using, frozen=_placed(members, using))
        return before is not None


def hide(document: Document, scheme: Scheme, using: str) -> bool:
    """A document that is not live any more leads nobody, whether it can be signed anew or not; whether its cluster
    changed. ``Moved`` where a newer turn has been here."""
    with space_lock(_spaces(document.pk, using), using):
        rows = Document.objects.using(using).filter(pk=document.pk, version=document.version)
        if not rows.update(live=False):
            raise Moved
        before, led = _cluster(document.pk, using), _led(document.pk, using)
        members = _members(led)
        recluster(scheme, {document.pk}, using, frozen=members)
        if led is not None:
            request(Cluster, led.pk, using)
            recluster(scheme, {document.pk, *members} - _placed(members, using), using)
        return before != _cluster(document.pk, using)


def _check_unmoved(
    document: int, wanted: int, digest: str, scheme: Scheme, verified: Sequence[Verified], using: str
) -> None:
    sides = [each.other(document) for each in verified]
    stored = digests({document, *(side.document for side in sides)}, scheme.pk, using)
    current = Document.objects.using(using).filter(pk=document, version=wanted).exists()
    if not current or stored.get(document) != digest:
        raise Moved
    moved = {side.document for side in sides if stored.get(side.document) != side.stored}
    if moved:
        raise Moved(moved)


def _spaces(document: int, using: str) -> set[int]:
    """Spaces where the document has left something: its pairs' and its cluster's."""
    pairs = Pair.objects.using(using).filter(Q(a=document) | Q(b=document))
    clusters = Cluster.objects.using(using).filter(memberships__document=document)
    own = Document.objects.using(using).filter(pk=document, space__isnull=False)
    return {*pairs.values_list("space", flat=True), *clusters.values_list("space", flat=True)} | set(
        own.values_list("space", flat=True)
    )


def _leave_other_spaces(document: int, space: int, using: str) -> set[int]:
    """A document that moved leaves its old space's pairs and cluster."""
    away = Pair.objects.using(using).filter(Q(a=document) | Q(b=document)).exclude(space=space)
    others = _delete(away, document)
    old = Cluster.objects.using(using).filter(memberships__document=document).exclude(space=space).first()
    if old is not None:
        Membership.objects.using(using).filter(document=document).delete()
        refresh(old, using)
    return others


def _has_other_text(document: int, digest: str, using: str) -> bool:
    """Has the document another text than the one by which it got its place?"""
    place = Membership.objects.using(using).filter(document=document).values_list("digest", flat=True).first()
    return place is not None and place != digest


def _drop_stale(document: int, digest: str, scheme: Scheme, using: str) -> set[int]:
    """Delete the document's pairs that were judged on another text of its own, or by another scheme."""
    mine = (
        (Q(a=document), Q(digest_a=digest, scheme=scheme)),
        (Q(b=document), Q(digest_b=digest, scheme=scheme)),
    )
    stale = [side & ~current for side, current in mine]
    return _delete(Pair.objects.using(using).filter(stale[0] | stale[1]), document)


def _delete(pairs: QuerySet[Pair], document: int) -> set[int]:
    """Delete a document's pairs; their other sides."""
    others = {pair.other(document) for pair in pairs.only("a_id", "b_id")}
    if others:
        pairs.delete()
    return others


def _cluster(document: int, using: str) -> int | None:
    return Membership.objects.using(using).filter(document=document).values_list("cluster", flat=True).first()


def _led(document: int, using: str) -> Cluster | None:
    return Cluster.objects.using(using).filter(representative=document).first()


def _placed(documents: Collection[int], using: str) -> set[int]:
    """Those of the documents that a cluster still holds: its repair will see to them."""
    rows = Membership.objects.using(using).filter(document__in=list(documents))
    return set(rows.values_list("document", flat=True))


def _members(cluster: Cluster | None) -> set[int]:
    if cluster is None:
        return set()
    rows = Membership.objects.using(cluster._state.db).filter(cluster=cluster)
    return set(rows.values_list("document", flat=True)) - {cluster.representative_id}

"""Documents on whose place others depend: those that lead by another text now, move to another space, hide or leave."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import Q, QuerySet

from ..models import Cluster, Document, Membership, Pair, Scheme
from .assign import place, recluster
from .facts import Scores, Seen, drop_stale, write
from .figures import refresh
from .ledger import request
from .locks import space_lock
from .places import spaces_of
from .records import Signed, Verified
from .sql import among
from .told import decided_with


class Moved(Exception):
    """Somebody has been here meanwhile."""


def conclude_alone(one: Signed, verified: Sequence[Verified], seen: Seen, using: str) -> None:
    """Step C of such a document, under the locks of all its spaces: its members are frozen until the repair."""
    document, scheme = one.document, one.scheme
    led = _led(document, using)
    frozen = _members(led) if _has_other_text(one, using) else set()
    scores: Scores = {}
    touched = _leave_other_spaces(document, one.space, scheme, using)
    touched |= write(verified, scheme, one.space, using, scores, seen)
    touched |= drop_stale({document: one.digest}, scheme, using, scores) | decided_with([document], using)
    Membership.objects.using(using).filter(document=document).update(digest=one.digest, scheme=scheme)
    recluster(scheme, {document, *touched}, using, frozen=frozen, scores=scores)
    if led is not None and frozen:
        request(Cluster, led.pk, using)
        recluster(scheme, {document, *frozen} - _placed(frozen, using), using)


def withdraw(document: Document, scheme: Scheme, using: str) -> bool:
    """Step C of a document that is compared no more: its pairs and its place go; whether its cluster changed.

    ``Moved`` where a newer turn has been here."""
    spaces = spaces_of(document.pk, using)
    if not spaces:
        return False
    with space_lock(spaces, using):
        if not Document.objects.using(using).filter(pk=document.pk, version=document.wanted).exists():
            raise Moved
        before, led = _cluster(document.pk, using), _led(document.pk, using)
        members = _members(led) - {document.pk}
        pairs = Pair.objects.using(using).filter(Q(a=document.pk) | Q(b=document.pk))
        others = _delete(pairs, document.pk) | (decided_with([document.pk], using) - {document.pk})
        Membership.objects.using(using).filter(document=document.pk).delete()
        freed = refresh(Cluster.objects.using(using).get(pk=before), using) if before is not None else set()
        placed = _placed(members, using)
        recluster(scheme, others | members, using, frozen=placed)
        place(freed, scheme, using, placed)
        return before is not None


def hide(document: Document, scheme: Scheme, using: str) -> bool:
    """A document that is not live any more leads nobody, whether it can be signed anew or not; whether its cluster
    changed. ``Moved`` where a newer turn has been here."""
    with space_lock(spaces_of(document.pk, using), using):
        rows = Document.objects.using(using).filter(pk=document.pk, version=document.version)
        if not rows.update(live=False, recheck=True):
            raise Moved
        before, led = _cluster(document.pk, using), _led(document.pk, using)
        members = _members(led)
        recluster(scheme, {document.pk}, using, frozen=members)
        if led is not None:
            request(Cluster, led.pk, using)
            recluster(scheme, {document.pk, *members} - _placed(members, using), using)
        return before != _cluster(document.pk, using)


def _leave_other_spaces(document: int, space: int, scheme: Scheme, using: str) -> set[int]:
    """A document that moved leaves its old space's pairs and cluster; on whom that may tell."""
    away = Pair.objects.using(using).filter(Q(a=document) | Q(b=document)).exclude(space=space)
    others = _delete(away, document)
    old = Cluster.objects.using(using).filter(memberships__document=document).exclude(space=space).first()
    if old is not None:
        others |= decided_with([document], using)  # while it is placed there still
        Membership.objects.using(using).filter(document=document).delete()
        place(refresh(old, using), scheme, using)
    return others


def _has_other_text(one: Signed, using: str) -> bool:
    """Has the document another text than the one by which it got its place?"""
    places = Membership.objects.using(using).filter(document=one.document)
    place = places.values_list("digest", flat=True).first()
    return place is not None and place != one.digest


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
    rows = Membership.objects.using(using).values_list("document", flat=True)
    return {each for some in among(rows, "document", documents) for each in some}


def _members(cluster: Cluster | None) -> set[int]:
    if cluster is None:
        return set()
    rows = Membership.objects.using(cluster._state.db).filter(cluster=cluster)
    return set(rows.values_list("document", flat=True)) - {cluster.representative_id}

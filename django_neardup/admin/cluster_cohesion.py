"""Evidence for a cluster: the weakest pair, shared contacts, and variants outside the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..models import Cluster, Contact, Decision, Membership, Pair, Scheme, Verdict
from .evidence import EvidenceRow
from .text_format import format_object_number, format_percent
from .visible_objects import DisplayedPost, queue_list_url

MAX_NEARBY_PAIRS = 20


@dataclass(frozen=True)
class WeakestPair:
    """The score of the weakest pair of a cluster, and the numbers of both posts, as text."""

    score_text: str
    number_a: str
    number_b: str


class SharedContacts:
    """Contacts of the leader that other members have too. Takes two queries for any number of members."""

    def __init__(self, cluster: Cluster, posts_by_document: Mapping[int, DisplayedPost], using: str) -> None:
        self.cluster, self.using = cluster, using
        self.visible_document_ids = [
            document_id for document_id, post in posts_by_document.items() if post.instance is not None
        ]
        self.is_partial = len(self.visible_document_ids) < len(posts_by_document)

    @cached_property
    def leader_hashes(self) -> set[int]:
        """Return the stored hashes of the leader's contacts. Empty if the user may not see the leader."""
        return self._hashes_by_document.get(self.cluster.leader_id, set())

    @cached_property
    def most_shared(self) -> tuple[int, int] | None:
        """Return the hash of the contact that most members share, and the number of these members.

        Return None if the leader has no contact.
        """
        contacts = self._contact_queryset().filter(
            hash__in=self.leader_hashes, document__membership__cluster=self.cluster
        )
        # If the user may not see every post of the page, only the visible posts are counted.
        contacts = contacts.filter(document__in=self.visible_document_ids) if self.is_partial else contacts
        counts = (
            contacts.order_by().values_list("hash").annotate(posts=Count("document"))
            if self.leader_hashes
            else ()
        )
        return max(
            ((contact_hash, count) for contact_hash, count in counts),
            key=lambda hash_and_count: hash_and_count[::-1],
            default=None,
        )

    @cached_property
    def _hashes_by_document(self) -> dict[int, set[int]]:
        hashes_by_document: dict[int, set[int]] = {}
        for document_id, contact_hash in (
            self._contact_queryset()
            .filter(document__in=self.visible_document_ids)
            .values_list("document", "hash")
        ):
            hashes_by_document.setdefault(document_id, set()).add(contact_hash)
        return hashes_by_document

    def describe_member_contact(self, document: int) -> str:
        """Return in words whether a member shares a contact with the leader.

        Return an empty string if one of them has no contact.
        """
        member_hashes = self._hashes_by_document.get(document, set())
        if not member_hashes or not self.leader_hashes:
            return ""
        return (
            _("the same contact") if member_hashes.intersection(self.leader_hashes) else _("another contact")
        )

    def _contact_queryset(self) -> QuerySet[Contact]:
        return Contact.objects.using(self.using).filter(kind=Contact.Kind.CONTACT)


def memberships_of(cluster: Cluster, using: str) -> QuerySet[Membership]:
    """Return the memberships of a cluster."""
    return Membership.objects.using(using).filter(cluster=cluster)


def _member_documents(cluster: Cluster, using: str) -> Any:
    """Return the documents of a cluster as a subquery."""
    return memberships_of(cluster, using).values("document")


def find_weakest_pair(cluster: Cluster, using: str) -> WeakestPair | None:
    """Return the active pair of two members with the lowest score. Return None if there is no pair."""
    pairs = _active_pairs(using).filter(a__membership__cluster=cluster, b__membership__cluster=cluster)
    pair = pairs.select_related("a", "b").defer("evidence").order_by("score", "pk").first()
    if pair is None:
        return None
    numbers = [format_object_number(document.object_id) for document in (pair.a, pair.b)]
    return WeakestPair(format_percent(pair.score, pair.exact), *numbers)


def find_nearby_pairs(cluster: Cluster, using: str) -> list[tuple[Pair, int]]:
    """Return the best pairs of a member and a variant outside, each with the member's document id.

    The highest score comes first.
    """
    pairs_and_members = [
        (pair, getattr(pair, f"{member_side}_id"))
        for member_side, other_side in (("a", "b"), ("b", "a"))
        for pair in _crossing_pairs(cluster, member_side, other_side, using)
    ]
    return sorted(
        pairs_and_members, key=lambda pair_and_member: (-pair_and_member[0].score, pair_and_member[0].pk)
    )[:MAX_NEARBY_PAIRS]


def _crossing_pairs(cluster: Cluster, inner_side: str, outer_side: str, using: str) -> QuerySet[Pair]:
    """Return variant pairs with one side in the cluster and the other side outside."""
    # One query a side: each starts from the members and uses the index of that side.
    pairs = _active_pairs(using).filter(
        **{f"{inner_side}__membership__cluster": cluster}, verdict=Verdict.VARIANT
    )
    crossing_pairs = pairs.exclude(**{f"{outer_side}__membership__cluster": cluster})
    return crossing_pairs.select_related("a", "b").order_by("-score", "pk")[:MAX_NEARBY_PAIRS]


def _active_pairs(using: str) -> QuerySet[Pair]:
    return Pair.objects.using(using).filter(scheme__state=Scheme.State.ACTIVE)


def build_evidence_rows(
    cluster: Cluster, weakest_pair: WeakestPair | None, contacts: SharedContacts, site: Any
) -> list[EvidenceRow]:
    """Return the rows of the evidence panel."""
    lowest = format_percent(cluster.lowest, cluster.exact)
    rows = [EvidenceRow(_("With the main post"), _("%(lowest)s and above") % {"lowest": lowest})]
    if weakest_pair is not None:
        text = _("%(score)s: %(a)s and %(b)s") % {
            "score": weakest_pair.score_text,
            "a": weakest_pair.number_a,
            "b": weakest_pair.number_b,
        }
        rows.append(EvidenceRow(_("Weakest pair"), text))
    if contacts.most_shared is not None and contacts.most_shared[1] > 1:
        contact_hash, count = contacts.most_shared
        text = _("the same in %(count)d of %(size)d") % {"count": count, "size": cluster.size}
        url = queue_list_url(site, "contact", contact_hash)
        rows.append(EvidenceRow(_("Contact"), text, _("all posts with it") if url else "", url))
    rows.append(EvidenceRow(_("Decisions"), _decisions_text(cluster, contacts.using)))
    return rows


def _decisions_text(cluster: Cluster, using: str) -> str:
    member_documents = _member_documents(cluster, using)
    decisions = Decision.objects.using(using).filter(members__document__in=member_documents, withdrawn=None)
    count = decisions.values("pk").distinct().count()
    if not count:
        return _("none so far")
    return ngettext("%(count)d in force", "%(count)d in force", count) % {"count": count}

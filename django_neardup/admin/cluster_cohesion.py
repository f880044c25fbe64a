"""What holds a cluster together, and what stands beside it: its weakest pair, shared contacts, variants outside."""

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
    """The weakest pair inside: its score and the names of both."""

    score_text: str
    number_a: str
    number_b: str


class SharedContacts:
    """Contacts of the representative that other members have: two queries, whatever the number of members."""

    def __init__(self, cluster: Cluster, posts_by_document: Mapping[int, DisplayedPost], using: str) -> None:
        self.cluster, self.using = cluster, using
        self.visible_document_ids = [
            key for key, each in posts_by_document.items() if each.instance is not None
        ]
        self.is_partial = len(self.visible_document_ids) < len(posts_by_document)

    @cached_property
    def leader_hashes(self) -> set[int]:
        """Those of the representative, as they are stored; none where this person may not see it."""
        return self._hashes_by_document.get(self.cluster.leader_id, set())

    @cached_property
    def most_shared(self) -> tuple[int, int] | None:
        """The contact that most members have, and how many they are; None where there is none.

        Whoever may not see all posts of the page is told of those alone that may be seen.
        """
        inside = self._contact_queryset().filter(
            hash__in=self.leader_hashes, document__membership__cluster=self.cluster
        )
        inside = inside.filter(document__in=self.visible_document_ids) if self.is_partial else inside
        counts = (
            inside.order_by().values_list("hash").annotate(posts=Count("document"))
            if self.leader_hashes
            else ()
        )
        return max(((value, count) for value, count in counts), key=lambda each: each[::-1], default=None)

    @cached_property
    def _hashes_by_document(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for document, value in (
            self._contact_queryset()
            .filter(document__in=self.visible_document_ids)
            .values_list("document", "hash")
        ):
            found.setdefault(document, set()).add(value)
        return found

    def describe_member_contact(self, document: int) -> str:
        """Whether that member has one of the representative's contacts; empty where either has none."""
        theirs = self._hashes_by_document.get(document, set())
        if not theirs or not self.leader_hashes:
            return ""
        return _("the same contact") if theirs.intersection(self.leader_hashes) else _("another contact")

    def _contact_queryset(self) -> QuerySet[Contact]:
        return Contact.objects.using(self.using).filter(kind=Contact.Kind.CONTACT)


def memberships_of(cluster: Cluster, using: str) -> QuerySet[Membership]:
    """The places in that cluster."""
    return Membership.objects.using(using).filter(cluster=cluster)


def _member_documents(cluster: Cluster, using: str) -> Any:
    """Its documents, as a part of another query."""
    return memberships_of(cluster, using).values("document")


def find_weakest_pair(cluster: Cluster, using: str) -> WeakestPair | None:
    """The current pair of two members that are least alike."""
    inside = _active_pairs(using).filter(a__membership__cluster=cluster, b__membership__cluster=cluster)
    pair = inside.select_related("a", "b").defer("evidence").order_by("score", "pk").first()
    if pair is None:
        return None
    names = [format_object_number(each.object_id) for each in (pair.a, pair.b)]
    return WeakestPair(format_percent(pair.score, pair.exact), *names)


def find_nearby_pairs(cluster: Cluster, using: str) -> list[tuple[Pair, int]]:
    """Variants of members that do not belong, the best first, each with the member's document."""
    found = [
        (pair, getattr(pair, f"{member}_id"))
        for member, other in (("a", "b"), ("b", "a"))
        for pair in _crossing_pairs(cluster, member, other, using)
    ]
    return sorted(found, key=lambda each: (-each[0].score, each[0].pk))[:MAX_NEARBY_PAIRS]


def _crossing_pairs(cluster: Cluster, inner_side: str, outer_side: str, using: str) -> QuerySet[Pair]:
    """Variants of which that side belongs and the other does not: found from the members on, by the index of a side."""
    rows = _active_pairs(using).filter(
        **{f"{inner_side}__membership__cluster": cluster}, verdict=Verdict.VARIANT
    )
    outside = rows.exclude(**{f"{outer_side}__membership__cluster": cluster})
    return outside.select_related("a", "b").order_by("-score", "pk")[:MAX_NEARBY_PAIRS]


def _active_pairs(using: str) -> QuerySet[Pair]:
    return Pair.objects.using(using).filter(scheme__state=Scheme.State.ACTIVE)


def build_evidence_rows(
    cluster: Cluster, weakest_pair: WeakestPair | None, contacts: SharedContacts, site: Any
) -> list[EvidenceRow]:
    """The rows of the panel."""
    lowest = format_percent(cluster.lowest, cluster.exact)
    found = [EvidenceRow(_("With the representative"), _("%(lowest)s and above") % {"lowest": lowest})]
    if weakest_pair is not None:
        words = _("%(score)s: %(a)s and %(b)s") % {
            "score": weakest_pair.score_text,
            "a": weakest_pair.number_a,
            "b": weakest_pair.number_b,
        }
        found.append(EvidenceRow(_("Weakest pair"), words))
    if contacts.most_shared is not None and contacts.most_shared[1] > 1:
        value, count = contacts.most_shared
        words = _("the same in %(count)d of %(size)d") % {"count": count, "size": cluster.size}
        url = queue_list_url(site, "contact", value)
        found.append(EvidenceRow(_("Contact"), words, _("all posts with it") if url else "", url))
    found.append(EvidenceRow(_("Decisions"), _decisions_text(cluster, contacts.using)))
    return found


def _decisions_text(cluster: Cluster, using: str) -> str:
    inside = _member_documents(cluster, using)
    decisions = Decision.objects.using(using).filter(members__document__in=inside, withdrawn=None)
    count = decisions.values("pk").distinct().count()
    if not count:
        return _("none so far")
    return ngettext("%(count)d in force", "%(count)d in force", count) % {"count": count}

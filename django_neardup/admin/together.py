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
from .evidence import Reason
from .shown import Shown, queue_url
from .words import numbered, percent

NEARBY = 20


@dataclass(frozen=True)
class Weakest:
    """The weakest pair inside: its score and the names of both."""

    score: str
    a: str
    b: str


class SharedContacts:
    """Contacts of the representative that other members have: two queries, whatever the number of members."""

    def __init__(self, cluster: Cluster, shown: Mapping[int, Shown], using: str) -> None:
        self.cluster, self.using = cluster, using
        self.seen = [key for key, each in shown.items() if each.instance is not None]
        self.partial = len(self.seen) < len(shown)

    @cached_property
    def own(self) -> set[int]:
        """Those of the representative, as they are stored; none where this person may not see it."""
        return self._by_document.get(self.cluster.representative_id, set())

    @cached_property
    def most(self) -> tuple[int, int] | None:
        """The contact that most members have, and how many they are; None where there is none.

        Whoever may not see all posts of the page is told of those alone that may be seen.
        """
        inside = self._rows().filter(hash__in=self.own, document__membership__cluster=self.cluster)
        inside = inside.filter(document__in=self.seen) if self.partial else inside
        counts = inside.order_by().values_list("hash").annotate(posts=Count("document")) if self.own else ()
        return max(((value, count) for value, count in counts), key=lambda each: each[::-1], default=None)

    @cached_property
    def _by_document(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for document, value in self._rows().filter(document__in=self.seen).values_list("document", "hash"):
            found.setdefault(document, set()).add(value)
        return found

    def words(self, document: int) -> str:
        """Whether that member has one of the representative's contacts; empty where either has none."""
        theirs = self._by_document.get(document, set())
        if not theirs or not self.own:
            return ""
        return _("the same contact") if theirs.intersection(self.own) else _("another contact")

    def _rows(self) -> QuerySet[Contact]:
        return Contact.objects.using(self.using).filter(kind=Contact.Kind.CONTACT)


def members_of(cluster: Cluster, using: str) -> QuerySet[Membership]:
    """The places in that cluster."""
    return Membership.objects.using(using).filter(cluster=cluster)


def _inside(cluster: Cluster, using: str) -> Any:
    """Its documents, as a part of another query."""
    return members_of(cluster, using).values("document")


def weakest_of(cluster: Cluster, using: str) -> Weakest | None:
    """The current pair of two members that are least alike."""
    inside = _current(using).filter(a__membership__cluster=cluster, b__membership__cluster=cluster)
    pair = inside.select_related("a", "b").defer("evidence").order_by("score", "pk").first()
    if pair is None:
        return None
    names = [numbered(each.object_id) for each in (pair.a, pair.b)]
    return Weakest(percent(pair.score, pair.exact), *names)


def nearby_pairs(cluster: Cluster, using: str) -> list[tuple[Pair, int]]:
    """Variants of members that do not belong, the best first, each with the member's document."""
    found = [
        (pair, getattr(pair, f"{member}_id"))
        for member, other in (("a", "b"), ("b", "a"))
        for pair in _crossing(cluster, member, other, using)
    ]
    return sorted(found, key=lambda each: (-each[0].score, each[0].pk))[:NEARBY]


def _crossing(cluster: Cluster, member: str, other: str, using: str) -> QuerySet[Pair]:
    """Variants of which that side belongs and the other does not: found from the members on, by the index of a side."""
    rows = _current(using).filter(**{f"{member}__membership__cluster": cluster}, verdict=Verdict.VARIANT)
    outside = rows.exclude(**{f"{other}__membership__cluster": cluster})
    return outside.select_related("a", "b").order_by("-score", "pk")[:NEARBY]


def _current(using: str) -> QuerySet[Pair]:
    return Pair.objects.using(using).filter(scheme__state=Scheme.State.ACTIVE)


def reasons_of(
    cluster: Cluster, weakest: Weakest | None, contacts: SharedContacts, site: Any
) -> list[Reason]:
    """The rows of the panel."""
    lowest = percent(cluster.lowest, cluster.exact)
    found = [Reason(_("With the representative"), _("%(lowest)s and above") % {"lowest": lowest})]
    if weakest is not None:
        words = _("%(score)s: %(a)s and %(b)s") % {"score": weakest.score, "a": weakest.a, "b": weakest.b}
        found.append(Reason(_("Weakest pair"), words))
    if contacts.most is not None and contacts.most[1] > 1:
        value, count = contacts.most
        words = _("the same in %(count)d of %(size)d") % {"count": count, "size": cluster.size}
        url = queue_url(site, "contact", value)
        found.append(Reason(_("Contact"), words, _("all posts with it") if url else "", url))
    found.append(Reason(_("Decisions"), _decisions(cluster, contacts.using)))
    return found


def _decisions(cluster: Cluster, using: str) -> str:
    inside = _inside(cluster, using)
    decisions = Decision.objects.using(using).filter(members__document__in=inside, withdrawn=None)
    count = decisions.values("pk").distinct().count()
    if not count:
        return _("none so far")
    return ngettext("%(count)d in force", "%(count)d in force", count) % {"count": count}

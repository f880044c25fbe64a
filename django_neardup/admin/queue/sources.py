"""What the rows of the queue are made of, read for the whole page by a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery
from django.http import HttpRequest

from ...models import Cluster, Contact, Document, Membership, Pair, Scheme
from ..groups import CAP, Group, groups_of
from ..reopened import Reopened, reopened
from ..shown import Shown, show
from .filters import with_age
from .items import Item
from .words import Contacts


class Sources:
    """All of those items, as that person may see them."""

    def __init__(self, items: Sequence[Item], request: HttpRequest, site: Any, using: str) -> None:
        self.items, self.request, self.site, self.using = items, request, site, using

    @cached_property
    def clusters(self) -> dict[int, Any]:
        """The clusters of the page, each with ``farthest``, the member least like the representative."""
        keys = [item.number for item in self.items if item.kind == 0]
        others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(
            document=OuterRef("representative")
        )
        farthest = Subquery(others.order_by("exact", "score", "document").values("document")[:1])
        rows = with_age(Cluster.objects.using(self.using).filter(pk__in=keys)).annotate(farthest=farthest)
        return {each.pk: each for each in rows.select_related("representative")}

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        keys = [item.number for item in self.items if item.kind == 1]
        rows = Pair.objects.using(self.using).filter(pk__in=keys).select_related("a", "b")
        return {each.pk: each for each in rows}

    @cached_property
    def facts(self) -> dict[int, dict[str, Any]]:
        """Of each cluster: its authors, how many share a contact with the representative, the best score with it."""
        own = Contact.objects.filter(
            kind=Contact.Kind.CONTACT,
            document=OuterRef(OuterRef("cluster__representative")),
            hash=OuterRef("hash"),
        )
        contacts = Contact.objects.filter(kind=Contact.Kind.CONTACT, document=OuterRef("document"))
        others = ~Q(document=F("cluster__representative"))
        rows = Membership.objects.using(self.using).filter(cluster__in=list(self.clusters)).values("cluster")
        found = rows.annotate(
            authors=Count("document__author", distinct=True, filter=~Q(document__author="")),
            unsigned=Count("pk", filter=Q(document__author="")),
            sharing=Count("pk", filter=others & Q(Exists(contacts.filter(Exists(own))))),
            stating=Count("pk", filter=others & Q(Exists(contacts))),
            highest=Max("score", filter=others),
            copies=Count("pk", filter=others & Q(exact=True)),
        )
        return {row["cluster"]: {**row} for row in found.order_by()}

    @cached_property
    def evidence(self) -> dict[int, Pair]:
        """The pair of each cluster's representative with the member least like it."""
        ends = {(each.representative_id, each.farthest): key for key, each in self.clusters.items()}
        sides = {side for end in ends for side in end if side is not None}
        rows = Pair.objects.using(self.using).filter(
            a__in=sides, b__in=sides, scheme__state=Scheme.State.ACTIVE
        )
        found = {}
        for pair in rows:
            for end in ((pair.a_id, pair.b_id), (pair.b_id, pair.a_id)):
                if end in ends:
                    found[ends[end]] = pair
        return found

    @cached_property
    def documents(self) -> dict[int, Document]:
        """Of each cluster the representative and the member least like it; both posts of each pair."""
        found = {each.representative_id: each.representative for each in self.clusters.values()}
        for pair in self.pairs.values():
            found |= {pair.a_id: pair.a, pair.b_id: pair.b}
        ends = [each.farthest for each in self.clusters.values() if each.farthest not in found]
        return found | Document.objects.using(self.using).in_bulk([end for end in ends if end is not None])

    @cached_property
    def shown(self) -> dict[int, Shown]:
        return show(self.documents.values(), self.request, self.site, self.using)

    @cached_property
    def contacts(self) -> Contacts:
        """The contacts of the documents, as hashes."""
        rows = Contact.objects.using(self.using).filter(
            kind=Contact.Kind.CONTACT, document__in=list(self.documents)
        )
        found: Contacts = defaultdict(set)
        for document, value in rows.values_list("document", "hash"):
            found[document].add(value)
        return found

    @cached_property
    def again(self) -> dict[int, Reopened]:
        """Pairs that were decided before, by id; of clusters the pair that is shown."""
        return reopened([*self.pairs.values(), *self.evidence.values()], self.using)

    @cached_property
    def groups(self) -> dict[str, Group]:
        """Those that may be decided at once."""
        keys = [f"c{key}" for key, each in self.clusters.items() if each.size <= CAP]
        found = groups_of([*keys, *(f"p{key}" for key in self.pairs)], None, None, self.using)
        return {group.key: group for group in found}

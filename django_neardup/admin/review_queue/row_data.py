"""What the rows of the queue are made of, read for the whole page by a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery
from django.http import HttpRequest

from ...models import Cluster, Contact, Document, Membership, Pair, Scheme
from ..decision_groups import MAX_OBJECTS, ReviewItem, load_review_items
from ..reopened_pairs import ReopenedPair, find_reopened_pairs
from ..visible_objects import DisplayedPost, load_displayed_posts
from .queue_filters import annotate_waiting_time
from .queue_query import QueueItem
from .row_text import ContactHashes


class RowData:
    """All of those items, as that person may see them."""

    def __init__(self, items: Sequence[QueueItem], request: HttpRequest, site: Any, using: str) -> None:
        self.items, self.request, self.site, self.using = items, request, site, using

    @cached_property
    def clusters(self) -> dict[int, Any]:
        """The clusters of the page, each with ``farthest``, the member least like the representative."""
        keys = [item.pk for item in self.items if item.kind == 0]
        others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(document=OuterRef("leader"))
        farthest = Subquery(others.order_by("exact", "score", "document").values("document")[:1])
        rows = annotate_waiting_time(Cluster.objects.using(self.using).filter(pk__in=keys)).annotate(
            farthest=farthest
        )
        return {each.pk: each for each in rows.select_related("leader")}

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        keys = [item.pk for item in self.items if item.kind == 1]
        rows = Pair.objects.using(self.using).filter(pk__in=keys).select_related("a", "b")
        return {each.pk: each for each in rows}

    @cached_property
    def cluster_facts(self) -> dict[int, dict[str, Any]]:
        """Of each cluster: its authors, how many share a contact with the representative, the best score with it."""
        own = Contact.objects.filter(
            kind=Contact.Kind.CONTACT,
            document=OuterRef(OuterRef("cluster__leader")),
            hash=OuterRef("hash"),
        )
        contacts = Contact.objects.filter(kind=Contact.Kind.CONTACT, document=OuterRef("document"))
        others = ~Q(document=F("cluster__leader"))
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
    def pairs_by_cluster(self) -> dict[int, Pair]:
        """The pair of each cluster's representative with the member least like it."""
        ends = {(each.leader_id, each.farthest): key for key, each in self.clusters.items()}
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
        found = {each.leader_id: each.leader for each in self.clusters.values()}
        for pair in self.pairs.values():
            found |= {pair.a_id: pair.a, pair.b_id: pair.b}
        ends = [each.farthest for each in self.clusters.values() if each.farthest not in found]
        return found | Document.objects.using(self.using).in_bulk([end for end in ends if end is not None])

    @cached_property
    def posts_by_document(self) -> dict[int, DisplayedPost]:
        return load_displayed_posts(self.documents.values(), self.request, self.site, self.using)

    @cached_property
    def contact_hashes(self) -> ContactHashes:
        """The contacts of the documents, as hashes."""
        rows = Contact.objects.using(self.using).filter(
            kind=Contact.Kind.CONTACT, document__in=list(self.documents)
        )
        found: ContactHashes = defaultdict(set)
        for document, value in rows.values_list("document", "hash"):
            found[document].add(value)
        return found

    @cached_property
    def reopened_pairs(self) -> dict[int, ReopenedPair]:
        """Pairs that were decided before, by id; of clusters the pair that is shown."""
        return find_reopened_pairs([*self.pairs.values(), *self.pairs_by_cluster.values()], self.using)

    @cached_property
    def review_items(self) -> dict[str, ReviewItem]:
        """Those that may be decided at once."""
        keys = [f"c{key}" for key, each in self.clusters.items() if each.size <= MAX_OBJECTS]
        found = load_review_items([*keys, *(f"p{key}" for key in self.pairs)], None, None, self.using)
        return {group.item_key: group for group in found}

"""The data of the queue's rows, read for the whole page by a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery
from django.http import HttpRequest

from ...models import Cluster, Contact, Document, Membership, OpenItem, Pair, Scheme
from ...pipeline.open_items.columns import with_waiting_time
from ...pipeline.open_items.conditions import open_clusters
from ..decision_groups import (
    CLUSTER,
    COPIES,
    ITEM_KINDS,
    MAX_OBJECTS,
    Decidable,
    OfferedPosts,
    ReviewItem,
    build_item_key,
    load_review_items,
)
from ..reopened_pairs import ReopenedPair, find_reopened_pairs
from ..text_format import MAX_ROW_DIFFERENCES
from ..visible_objects import DisplayedPost, load_displayed_posts
from .row_text import ContactHashes


@dataclass(frozen=True)
class CopiesByAuthor:
    """Groups of exact copies by one author: the earliest leader, and the number of groups and of posts."""

    document: Document
    group_count: int
    size: int


class RowData:
    """The data of the items, as this person may see them."""

    def __init__(self, items: Sequence[OpenItem], request: HttpRequest, site: Any, using: str) -> None:
        self.items, self.request, self.site, self.using = items, request, site, using

    @cached_property
    def _pks_by_kind(self) -> dict[str, list[int]]:
        pks: dict[str, list[int]] = {kind: [] for kind in ITEM_KINDS}
        for item in self.items:
            if item.kind in pks:
                pks[item.kind].append(item.number)
        return pks

    @cached_property
    def copies(self) -> dict[str, CopiesByAuthor]:
        """Return the copies by one author, by item key."""
        pks = [item.pk for item in self.items if item.kind == COPIES]
        rows = OpenItem.objects.using(self.using).filter(pk__in=pks).select_related("owner")
        of_scheme = Q(documents__leads__scheme=F("scheme"))
        counted = rows.annotate(group_count=Count("documents__leads", filter=of_scheme, distinct=True))
        return {row.item_key: CopiesByAuthor(row.owner, row.group_count, row.size) for row in counted}

    @cached_property
    def sources(self) -> dict[str, Decidable]:
        """Return what the items are about that are decided on, by item key."""
        found = (*self.clusters.values(), *self.pairs.values(), *self.offered_posts.values())
        return {build_item_key(source): source for source in found}

    @cached_property
    def clusters(self) -> dict[int, Any]:
        """Return the clusters of the page by id, each with ``farthest``: the id of the member least similar
        to its leader.
        """
        keys = self._pks_by_kind[CLUSTER]
        others = Membership.objects.filter(cluster=OuterRef("pk")).exclude(document=OuterRef("leader"))
        farthest = Subquery(others.order_by("exact", "score", "document").values("document")[:1])
        clusters = open_clusters(Cluster.objects.using(self.using).filter(pk__in=keys))
        rows = with_waiting_time(clusters).annotate(farthest=farthest)
        return {cluster.pk: cluster for cluster in rows.select_related("leader")}

    @cached_property
    def pairs(self) -> dict[int, Pair]:
        """Return the pairs of the page that are still open, by id."""
        sources = (item.source for item in self.review_items.values())
        return {source.pk: source for source in sources if isinstance(source, Pair)}

    @cached_property
    def offered_posts(self) -> dict[str, OfferedPosts]:
        """Return the families and the shortlists by item key."""
        return {
            key: item.source
            for key, item in self.review_items.items()
            if isinstance(item.source, OfferedPosts)
        }

    @cached_property
    def pairs_by_offered(self) -> dict[str, list[Pair]]:
        """Return the first pairs of each family and shortlist, with their evidence, by item key."""
        pairs_by_key = {
            key: list(offered.pairs.values())[:MAX_ROW_DIFFERENCES]
            for key, offered in self.offered_posts.items()
        }
        pks = [pair.pk for pairs in pairs_by_key.values() for pair in pairs]
        loaded = Pair.objects.using(self.using).select_related("a", "b").in_bulk(pks)
        return {
            key: [loaded[pair.pk] for pair in pairs if pair.pk in loaded]
            for key, pairs in pairs_by_key.items()
        }

    @cached_property
    def cluster_facts(self) -> dict[int, dict[str, Any]]:
        """Return figures of each cluster, by cluster id.

        - ``authors``: the number of different known authors; ``unsigned``: members without one.
        - ``sharing``: members that share a contact with the leader; ``stating``: members that state any
          contact.
        - ``highest``: the best score with the leader; ``copies``: exact copies of the leader.

        All but the first two leave out the leader.
        """
        leader_contacts = Contact.objects.filter(
            kind=Contact.Kind.CONTACT,
            document=OuterRef(OuterRef("cluster__leader")),
            hash=OuterRef("hash"),
        )
        contacts = Contact.objects.filter(kind=Contact.Kind.CONTACT, document=OuterRef("document"))
        others = ~Q(document=F("cluster__leader"))
        rows = Membership.objects.using(self.using).filter(cluster__in=list(self.clusters)).values("cluster")
        figures = rows.annotate(
            authors=Count("document__author", distinct=True, filter=~Q(document__author="")),
            unsigned=Count("pk", filter=Q(document__author="")),
            sharing=Count("pk", filter=others & Q(Exists(contacts.filter(Exists(leader_contacts))))),
            stating=Count("pk", filter=others & Q(Exists(contacts))),
            highest=Max("score", filter=others),
            copies=Count("pk", filter=others & Q(exact=True)),
        )
        return {row["cluster"]: {**row} for row in figures.order_by()}

    @cached_property
    def pairs_by_cluster(self) -> dict[int, Pair]:
        """Return the pair of each cluster's leader and its least similar member, by cluster id."""
        ends = {(cluster.leader_id, cluster.farthest): pk for pk, cluster in self.clusters.items()}
        sides = {side for end in ends for side in end if side is not None}
        rows = Pair.objects.using(self.using).filter(
            a__in=sides, b__in=sides, scheme__state=Scheme.State.ACTIVE
        )
        pairs = {}
        for pair in rows:
            for end in ((pair.a_id, pair.b_id), (pair.b_id, pair.a_id)):
                if end in ends:
                    pairs[ends[end]] = pair
        return pairs

    @cached_property
    def documents(self) -> dict[int, Document]:
        """Return the documents by id: leader and least similar member of each cluster, both documents of each
        pair, the post of each family and shortlist and the first one beside it, the earliest leader of copies.
        """
        by_id = {cluster.leader_id: cluster.leader for cluster in self.clusters.values()}
        for pair in self.pairs.values():
            by_id |= {pair.a_id: pair.a, pair.b_id: pair.b}
        for offered in self.offered_posts.values():
            by_id |= {offered.pk: offered.document, **dict([*offered.others.items()][:1])}
        by_id |= {copies.document.pk: copies.document for copies in self.copies.values()}
        farthest_ids = [
            cluster.farthest for cluster in self.clusters.values() if cluster.farthest not in by_id
        ]
        return by_id | Document.objects.using(self.using).in_bulk(
            [farthest_id for farthest_id in farthest_ids if farthest_id is not None]
        )

    @cached_property
    def posts_by_document(self) -> dict[int, DisplayedPost]:
        return load_displayed_posts(self.documents.values(), self.request, self.site, self.using)

    @cached_property
    def contact_hashes(self) -> ContactHashes:
        """Return the contact hashes of each document."""
        rows = Contact.objects.using(self.using).filter(
            kind=Contact.Kind.CONTACT, document__in=list(self.documents)
        )
        hashes: ContactHashes = defaultdict(set)
        for document, contact_hash in rows.values_list("document", "hash"):
            hashes[document].add(contact_hash)
        return hashes

    @cached_property
    def reopened_pairs(self) -> dict[int, ReopenedPair]:
        """Return the reopened pairs by id: pairs of the page and the displayed pairs of its other items."""
        of_offered = (pair for pairs in self.pairs_by_offered.values() for pair in pairs)
        shown = [*self.pairs.values(), *self.pairs_by_cluster.values(), *of_offered]
        return find_reopened_pairs(shown, self.using)

    @cached_property
    def review_items(self) -> dict[str, ReviewItem]:
        """Return the items that may be decided immediately, by item key: all but large clusters."""
        large = {pk for pk, cluster in self.clusters.items() if cluster.size > MAX_OBJECTS}
        items = [item for item in self.items if item.kind in ITEM_KINDS]
        keys = [item.item_key for item in items if item.kind != CLUSTER or item.number not in large]
        return {item.item_key: item for item in load_review_items(keys, None, None, self.using)}

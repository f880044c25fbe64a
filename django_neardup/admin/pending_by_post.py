"""The pending decisions about the site's own posts: their open clusters and their open pairs.

They are counted in the spaces, and with the posts, that a person may see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connections, models
from django.db.models import F, Q, QuerySet, Value, Window
from django.db.models.functions import Cast, Replace, RowNumber
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from ..adapters import adapter_for
from ..db.counts import BoundedCount
from ..db.document_key import is_uuid_without_type
from ..db.sql import filter_in_chunks
from ..models import Cluster, Document, Membership, Pair
from ..pipeline import documents_of
from ..pipeline.content_objects import content_type_of, pk_of, post_id_of
from ..pipeline.open_items.conditions import open_pairs
from ..querysets import pk_field
from .visible_objects import hidden_document_ids, pair_list_url
from .visible_spaces import in_visible_spaces

MAX_COUNTED_MEMBERS = 100
"""Other members of one cluster that are counted. Each must be asked for whether the person may see it."""


@dataclass
class PendingDecisions:
    """The pending decisions about one post.

    ``cluster_id`` is its open cluster, None if it has none. ``pair_id`` is one of its open pairs.
    ``has_more_members``: the cluster has more members than are counted.
    """

    instance: models.Model
    cluster_id: int | None = None
    other_member_count: int = 0
    has_more_members: bool = False
    pair_count: int = 0
    pair_id: int = 0

    @property
    def similar_count(self) -> BoundedCount:
        """Return the number of other posts in these decisions that the person may see."""
        return BoundedCount(self.other_member_count + self.pair_count, self.has_more_members)

    def decision_url(self, site: str) -> str:
        """Return the address of the decision page: its cluster, its only pair, or the list of its pairs."""
        if self.cluster_id is not None:
            return reverse(f"{site}:neardup_cluster_change", args=[self.cluster_id])
        if self.pair_count == 1:
            return reverse(f"{site}:neardup_pair_change", args=[self.pair_id])
        model = adapter_for(self.instance).model
        return pair_list_url(site, str(pk_of(self.instance, model)), model)


def load_pending_decisions(
    instances: Iterable[models.Model], request: HttpRequest, site: Any, using: str
) -> dict[models.Model, PendingDecisions]:
    """Return the pending decisions by post, in a fixed number of queries for 500 posts.

    Posts without any that this person may see are absent.
    """
    by_document = {
        document_id: PendingDecisions(instance)
        for document_id, instance in _instances_by_document(instances, using).items()
    }
    clusters = {
        cluster: size
        for rows in filter_in_chunks(_open_memberships(request, using), "document", by_document)
        for cluster, size in rows.values_list("cluster", "cluster__size")
    }
    members = _members_by_cluster(clusters, by_document, using)
    others = {
        pair.pk: (pair.a, pair.b)
        for side in ("a", "b")
        for pairs in filter_in_chunks(_open_pairs(request, using).select_related("a", "b"), side, by_document)
        for pair in pairs.defer("evidence")
    }
    documents = [document for cluster in members.values() for document in cluster]
    documents += [document for sides in others.values() for document in sides]
    hidden = hidden_document_ids(documents, request, site, using)
    for cluster, cluster_members in members.items():
        seen = {document.pk for document in cluster_members} - hidden
        for document in cluster_members:
            pending = by_document.get(document.pk)
            if pending is not None and (count := len(seen - {document.pk})):
                pending.cluster_id, pending.other_member_count = cluster, min(count, MAX_COUNTED_MEMBERS)
                pending.has_more_members = clusters[cluster] > MAX_COUNTED_MEMBERS + 1
    for pair, sides in sorted(others.items(), reverse=True):
        for document, other in (sides, sides[::-1]):
            if document.pk in by_document and other.pk not in hidden:
                by_document[document.pk].pair_count += 1
                by_document[document.pk].pair_id = pair
    return {pending.instance: pending for pending in by_document.values() if pending.similar_count}


def _members_by_cluster(
    clusters: Collection[int], shown: Collection[int], using: str
) -> dict[int, list[Document]]:
    """Return the members of each cluster: ``MAX_COUNTED_MEMBERS`` and one more, and the shown ones."""
    number = Window(RowNumber(), partition_by=F("cluster"), order_by=F("document").asc())
    memberships = Membership.objects.using(using)
    ids: defaultdict[int, set[int]] = defaultdict(set)
    for chunk in filter_in_chunks(memberships, "cluster", clusters):
        first = chunk.annotate(number=number).filter(number__lte=MAX_COUNTED_MEMBERS + 1)
        for cluster, document in first.values_list("cluster", "document"):
            ids[cluster].add(document)
    for chunk in filter_in_chunks(memberships, "document", shown):
        for cluster, document in chunk.values_list("cluster", "document"):
            if cluster in clusters:
                ids[cluster].add(document)
    rows = filter_in_chunks(Document.objects.using(using), "pk", set().union(*ids.values()))
    documents = {document.pk: document for chunk in rows for document in chunk}
    return {cluster: [documents[pk] for pk in members if pk in documents] for cluster, members in ids.items()}


@dataclass
class SelectedItems:
    """The clusters and pairs that the selected posts take part in.

    ``item_keys`` are the keys of the clusters and pairs. ``document_ids`` are the documents to tick in the
    clusters; of a pair, both posts always take part. ``object_count`` is the number of posts that this
    affects.
    """

    item_keys: list[str] = field(default_factory=list)
    document_ids: list[int] = field(default_factory=list)
    object_count: int = 0

    @property
    def query_string(self) -> str:
        """Return the selection as the query string of the confirmation page."""
        params: dict[str, list[str] | list[int] | str] = {
            "id": self.item_keys,
            "ticked": "1",
            "member": self.document_ids,
        }
        return urlencode(params, doseq=True)


def select_items(instances: Iterable[models.Model], request: HttpRequest, using: str) -> SelectedItems:
    """Return the open clusters and pairs that the selected posts take part in, in spaces that the person may see.

    In a cluster, the selected posts are ticked. If only the leader was selected, all members are ticked. A
    pair is included if both its posts were selected, or if its selected post is in no open cluster.
    """
    documents = set(_instances_by_document(instances, using))
    members: defaultdict[tuple[int, int, int], set[int]] = defaultdict(set)
    memberships = _open_memberships(request, using).filter(document__in=documents)
    rows = memberships.values_list("cluster", "cluster__leader", "cluster__size", "document")
    for cluster, leader, size, document in rows:
        members[cluster, leader, size].add(document)
    complete = [cluster for (cluster, leader, _size), selected in members.items() if selected == {leader}]
    pairs = list(_selected_pairs(documents, set().union(*members.values()), request, using))
    all_members = (
        Membership.objects.using(using).filter(cluster__in=complete).values_list("document", flat=True)
    )
    size = sum(
        cluster_row[2] if cluster_row[0] in complete else len(selected) + 1
        for cluster_row, selected in members.items()
    )
    return SelectedItems(
        [
            *(f"c{row[0]}" for row in sorted(members)),
            *(f"p{pair}" for pair, *_both in sorted(pairs)),
        ],
        sorted({*all_members}.union(*members.values())),
        size + 2 * len(pairs),
    )


def pending_condition(model: type[models.Model], request: HttpRequest, using: str) -> Q:
    """Return the condition on rows of a registered model that a decision about the post is pending."""
    pairs = open_pairs(Pair.objects.using(using))
    sides = Q(pk__in=pairs.values("a")) | Q(pk__in=pairs.values("b"))
    return _posts_condition(model, sides | Q(membership__cluster__state=Cluster.State.OPEN), request, using)


def in_cluster_condition(model: type[models.Model], request: HttpRequest, using: str) -> Q:
    """Return the condition on rows of a registered model that the post is in a cluster, decided or not."""
    return _posts_condition(model, Q(membership__isnull=False), request, using)


def _posts_condition(model: type[models.Model], condition: Q, request: HttpRequest, using: str) -> Q:
    base_model = adapter_for(model).model
    key = pk_field(base_model)
    # Clusters and pairs are of the space of their posts.
    documents = in_visible_spaces(Document.objects.using(using), request).filter(
        condition, content_type=content_type_of(base_model, using)
    )
    posts = documents.filter(**_not_null_lookup(key)).values(key_of_post=_object_key_expression(key, using))
    return Q(**{f"{base_model._meta.pk.name}__in": posts})


def _not_null_lookup(key: Any) -> dict[str, bool]:
    """Return a lookup that excludes NULL keys.

    In SQL, ``NOT IN`` matches no row at all if the list contains a NULL.
    """
    return {"object_key__isnull": False} if isinstance(key, models.IntegerField) else {}


def _object_key_expression(key: Any, using: str) -> Any:
    """Return an expression for a document's object id in the type of the site's primary key."""
    if isinstance(key, models.IntegerField):
        return F("object_key")
    # This column stores a UUID as 32 digits, and the object id has hyphens.
    if is_uuid_without_type(key, connections[using]):
        return Replace("object_id", Value("-"), Value(""))
    return F("object_id") if isinstance(key, models.CharField) else Cast("object_id", type(key)())


def _instances_by_document(instances: Iterable[models.Model], using: str) -> dict[int, models.Model]:
    by_identity = {post_id_of(instance, using): instance for instance in instances}
    documents = documents_of(by_identity.values(), using)
    return {document.pk: by_identity[identity] for identity, document in documents.items()}


def _open_memberships(request: HttpRequest, using: str) -> QuerySet[Membership]:
    """Return the memberships in open clusters of spaces that the person may see."""
    memberships = Membership.objects.using(using).filter(cluster__state=Cluster.State.OPEN)
    return in_visible_spaces(memberships, request, "cluster__space")


def _open_pairs(request: HttpRequest, using: str) -> QuerySet[Pair]:
    """Return the open pairs of spaces that the person may see."""
    return in_visible_spaces(open_pairs(Pair.objects.using(using)), request).order_by()


def _selected_pairs(
    document_ids: set[int], clustered_ids: set[int], request: HttpRequest, using: str
) -> Iterator[tuple[int, int, int]]:
    rows = _open_pairs(request, using).filter(Q(a__in=document_ids) | Q(b__in=document_ids))
    for pair, a, b in rows.values_list("pk", "a", "b"):
        selected = {a, b} & document_ids
        if len(selected) == 2 or not selected & clustered_ids:
            yield pair, a, b

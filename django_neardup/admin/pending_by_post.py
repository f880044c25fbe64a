"""The pending decisions about the site's own posts: their open clusters and their open pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connections, models
from django.db.models import Count, Min, Q, QuerySet, Value
from django.db.models.functions import Cast, Replace
from django.urls import reverse
from django.utils.http import urlencode

from ..adapters import adapter_for
from ..db.document_key import is_uuid_without_type
from ..db.sql import filter_in_chunks
from ..models import Cluster, Document, Membership, Pair
from ..pipeline import documents_of
from ..pipeline.content_objects import content_type_of, pk_of, post_id_of
from ..pipeline.open_items.conditions import open_pairs
from ..querysets import pk_field
from .visible_objects import pair_list_url


@dataclass
class PendingDecisions:
    """The pending decisions about one post.

    ``cluster_id`` is its open cluster, None if it has none. ``pair_id`` is one of its open pairs.
    """

    instance: models.Model
    cluster_id: int | None = None
    other_member_count: int = 0
    pair_count: int = 0
    pair_id: int = 0

    @property
    def similar_count(self) -> int:
        """Return the number of other posts in these decisions."""
        return self.other_member_count + self.pair_count

    def decision_url(self, site: str) -> str:
        """Return the address of the decision page: its cluster, its only pair, or the list of its pairs."""
        if self.cluster_id is not None:
            return reverse(f"{site}:neardup_cluster_change", args=[self.cluster_id])
        if self.pair_count == 1:
            return reverse(f"{site}:neardup_pair_change", args=[self.pair_id])
        model = adapter_for(self.instance).model
        return pair_list_url(site, str(pk_of(self.instance, model)), model)


def load_pending_decisions(
    instances: Iterable[models.Model], using: str
) -> dict[models.Model, PendingDecisions]:
    """Return the pending decisions by post: four queries for 500 posts. Posts without any are absent."""
    by_document = {
        document_id: PendingDecisions(instance)
        for document_id, instance in _instances_by_document(instances, using).items()
    }
    # A list of the site may show thousands of posts, and databases limit the parameters of one statement.
    for memberships in filter_in_chunks(_open_memberships(using), "document", by_document):
        for document, cluster, size in memberships.values_list("document", "cluster", "cluster__size"):
            by_document[document].cluster_id, by_document[document].other_member_count = (
                cluster,
                size - 1,
            )
    for side in ("a", "b"):
        for pairs in filter_in_chunks(open_pairs(Pair.objects.using(using)).order_by(), side, by_document):
            for document, count, lowest_pair_id in pairs.values_list(side).annotate(Count("pk"), Min("pk")):
                by_document[document].pair_count += count
                by_document[document].pair_id = lowest_pair_id
    return {pending.instance: pending for pending in by_document.values() if pending.similar_count}


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


def select_items(instances: Iterable[models.Model], using: str) -> SelectedItems:
    """Return the open clusters and pairs that the selected posts take part in.

    In a cluster, the selected posts are ticked. If only the leader was selected, all members are ticked. A
    pair is included if both its posts were selected, or if its selected post is in no open cluster.
    """
    documents = set(_instances_by_document(instances, using))
    members: defaultdict[tuple[int, int, int], set[int]] = defaultdict(set)
    memberships = _open_memberships(using).filter(document__in=documents)
    rows = memberships.values_list("cluster", "cluster__leader", "cluster__size", "document")
    for cluster, leader, size, document in rows:
        members[cluster, leader, size].add(document)
    complete = [cluster for (cluster, leader, _size), selected in members.items() if selected == {leader}]
    pairs = list(_selected_pairs(documents, set().union(*members.values()), using))
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


def pending_condition(model: type[models.Model], using: str) -> Q:
    """Return the condition on rows of a registered model that a decision about the post is pending."""
    pairs = open_pairs(Pair.objects.using(using))
    sides = Q(pk__in=pairs.values("a")) | Q(pk__in=pairs.values("b"))
    return _posts_condition(model, sides | Q(membership__cluster__state=Cluster.State.OPEN), using)


def in_cluster_condition(model: type[models.Model], using: str) -> Q:
    """Return the condition on rows of a registered model that the post is in a cluster, decided or not."""
    return _posts_condition(model, Q(membership__isnull=False), using)


def _posts_condition(model: type[models.Model], condition: Q, using: str) -> Q:
    base_model = adapter_for(model).model
    key = pk_field(base_model)
    documents = Document.objects.using(using).filter(
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
        return models.F("object_key")
    # This column stores a UUID as 32 digits, and the object id has hyphens.
    if is_uuid_without_type(key, connections[using]):
        return Replace("object_id", Value("-"), Value(""))
    return models.F("object_id") if isinstance(key, models.CharField) else Cast("object_id", type(key)())


def _instances_by_document(instances: Iterable[models.Model], using: str) -> dict[int, models.Model]:
    by_identity = {post_id_of(instance, using): instance for instance in instances}
    documents = documents_of(by_identity.values(), using)
    return {document.pk: by_identity[identity] for identity, document in documents.items()}


def _open_memberships(using: str) -> QuerySet[Membership]:
    """Return the memberships in open clusters."""
    return Membership.objects.using(using).filter(cluster__state=Cluster.State.OPEN)


def _selected_pairs(
    document_ids: set[int], clustered_ids: set[int], using: str
) -> Iterator[tuple[int, int, int]]:
    rows = open_pairs(Pair.objects.using(using).filter(Q(a__in=document_ids) | Q(b__in=document_ids)))
    for pair, a, b in rows.values_list("pk", "a", "b"):
        selected = {a, b} & document_ids
        if len(selected) == 2 or not selected & clustered_ids:
            yield pair, a, b

"""What waits for a person about the site's own posts: their open clusters and their offered pairs."""

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
from ..db.sql import filter_in_chunks
from ..listing.key_expressions import is_uuid_without_type
from ..models import Cluster, Document, Membership, Pair
from ..pipeline import documents_of
from ..pipeline.content_objects import content_type_of, pk_of, post_id_of
from ..querysets import pk_field
from .review_queue.open_items import open_pairs


@dataclass
class PendingDecisions:
    """Of one post: its open cluster, if any, with how many others; how many offered pairs, and one of them."""

    instance: models.Model
    cluster_id: int | None = None
    other_member_count: int = 0
    pair_count: int = 0
    pair_id: int = 0

    @property
    def similar_count(self) -> int:
        """How many posts beside it a person is asked about."""
        return self.other_member_count + self.pair_count

    def decision_url(self, site: str) -> str:
        """The page to decide on: of its cluster, of its only pair, or the list of its pairs."""
        if self.cluster_id is not None:
            return reverse(f"{site}:neardup_cluster_change", args=[self.cluster_id])
        if self.pair_count == 1:
            return reverse(f"{site}:neardup_pair_change", args=[self.pair_id])
        model = adapter_for(self.instance).model
        query = urlencode({"q": str(pk_of(self.instance, model)), "model": model._meta.label_lower})
        return f"{reverse(f'{site}:neardup_pair_changelist')}?{query}"


def load_pending_decisions(
    instances: Iterable[models.Model], using: str
) -> dict[models.Model, PendingDecisions]:
    """What waits about each of those posts, without those about which nothing does: four queries for five hundred."""
    found = {
        key: PendingDecisions(instance) for key, instance in _instances_by_document(instances, using).items()
    }
    for places in filter_in_chunks(_open_memberships(using), "document", found):
        for document, cluster, size in places.values_list("document", "cluster", "cluster__size"):
            found[document].cluster_id, found[document].other_member_count = cluster, size - 1
    for side in ("a", "b"):
        for pairs in filter_in_chunks(open_pairs(Pair.objects.using(using)).order_by(), side, found):
            for document, count, least in pairs.values_list(side).annotate(Count("pk"), Min("pk")):
                found[document].pair_count += count
                found[document].pair_id = least
    return {waits.instance: waits for waits in found.values() if waits.similar_count}


@dataclass
class SelectedItems:
    """What posts chosen in a list take part in: keys of clusters and pairs, the documents to be ticked in clusters
    (of a pair both take part), and how many posts that touches.
    """

    item_keys: list[str] = field(default_factory=list)
    document_ids: list[int] = field(default_factory=list)
    object_count: int = 0

    @property
    def query_string(self) -> str:
        """As a confirmation asks for it."""
        given: dict[str, list[str] | list[int] | str] = {
            "id": self.item_keys,
            "ticked": "1",
            "member": self.document_ids,
        }
        return urlencode(given, doseq=True)


def select_items(instances: Iterable[models.Model], using: str) -> SelectedItems:
    """The open clusters of those posts, in each the chosen ones; all, where only the representative was chosen.

    Their offered pairs where both posts were chosen, or the one that was is in no open cluster.
    """
    documents = set(_instances_by_document(instances, using))
    members: defaultdict[tuple[int, int, int], set[int]] = defaultdict(set)
    places = _open_memberships(using).filter(document__in=documents)
    rows = places.values_list("cluster", "cluster__leader", "cluster__size", "document")
    for cluster, head, size, document in rows:
        members[cluster, head, size].add(document)
    whole = [cluster for (cluster, head, _size), own in members.items() if own == {head}]
    pairs = list(_selected_pairs(documents, set().union(*members.values()), using))
    all_of_them = Membership.objects.using(using).filter(cluster__in=whole).values_list("document", flat=True)
    size = sum(each[2] if each[0] in whole else len(own) + 1 for each, own in members.items())
    return SelectedItems(
        [*(f"c{each[0]}" for each in sorted(members)), *(f"p{pair}" for pair, *_both in sorted(pairs))],
        sorted({*all_of_them}.union(*members.values())),
        size + 2 * len(pairs),
    )


def pending_condition(model: type[models.Model], using: str) -> Q:
    """The condition on rows of a registered model: somebody is to decide about the post."""
    pairs = open_pairs(Pair.objects.using(using))
    sides = Q(pk__in=pairs.values("a")) | Q(pk__in=pairs.values("b"))
    return _posts_condition(model, sides | Q(membership__cluster__state=Cluster.State.OPEN), using)


def in_cluster_condition(model: type[models.Model], using: str) -> Q:
    """The condition on rows of a registered model: the post belongs to a cluster, decided or not."""
    return _posts_condition(model, Q(membership__isnull=False), using)


def _posts_condition(model: type[models.Model], condition: Q, using: str) -> Q:
    known = adapter_for(model).model
    key = pk_field(known)
    documents = Document.objects.using(using).filter(condition, content_type=content_type_of(known, using))
    posts = documents.filter(**_not_null_lookup(key)).values(key_of_post=_object_key_expression(key, using))
    return Q(**{f"{known._meta.pk.name}__in": posts})


def _not_null_lookup(key: Any) -> dict[str, bool]:
    """Against a NULL in what a row is said not to be in."""
    return {"object_key__isnull": False} if isinstance(key, models.IntegerField) else {}


def _object_key_expression(key: Any, using: str) -> Any:
    """A document's object id as the site's table holds it."""
    if isinstance(key, models.IntegerField):
        return models.F("object_key")
    if is_uuid_without_type(key, connections[using]):
        return Replace("object_id", Value("-"), Value(""))
    return models.F("object_id") if isinstance(key, models.CharField) else Cast("object_id", type(key)())


def _instances_by_document(instances: Iterable[models.Model], using: str) -> dict[int, models.Model]:
    by_identity = {post_id_of(each, using): each for each in instances}
    documents = documents_of(by_identity.values(), using)
    return {document.pk: by_identity[identity] for identity, document in documents.items()}


def _open_memberships(using: str) -> QuerySet[Membership]:
    """The places in open clusters."""
    return Membership.objects.using(using).filter(cluster__state=Cluster.State.OPEN)


def _selected_pairs(
    document_ids: set[int], clustered_ids: set[int], using: str
) -> Iterator[tuple[int, int, int]]:
    rows = open_pairs(Pair.objects.using(using).filter(Q(a__in=document_ids) | Q(b__in=document_ids)))
    for pair, a, b in rows.values_list("pk", "a", "b"):
        own = {a, b} & document_ids
        if len(own) == 2 or not own & clustered_ids:
            yield pair, a, b

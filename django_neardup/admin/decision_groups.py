"""What a person decides on: clusters and pairs, the members that take part, and a token of what they saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import models
from django.db.models import Q

from ..adapters import adapters_of
from ..models import Cluster, Document, Fingerprint, Membership, Pair, Scheme, Verdict
from ..moderation import ShownScore
from ..pipeline import objects_of
from ..text.hashing import digest
from .review_queue.open_items import open_pairs

MAX_OBJECTS = 100
"""Objects that one run may touch."""


MODELS_BY_PREFIX: dict[str, type[Cluster] | type[Pair]] = {"c": Cluster, "p": Pair}
"""What the letter of a key stands for."""


@dataclass
class ReviewItem:
    """A cluster or a pair.

    ``keeper_document`` is the document that the others are merged into, hidden or deleted beside: the representative,
    or the keeper that a person chose. ``other_documents`` are all the rest, ``selected_documents`` those of them that
    take part, ``seen_by_document`` what is shown of each, by document id, ``exact_document_ids`` the ids of exact
    copies, ``objects_by_document`` the objects of those that take part. ``is_keeper_unselected``: ``keeper_document``
    was left unticked.
    """

    cluster_or_pair: Cluster | Pair
    using: str
    leader: Document
    keeper_document: Document
    other_documents: Sequence[Document]
    selected_documents: Sequence[Document]
    seen_by_document: dict[int, ShownScore] = field(default_factory=dict)
    exact_document_ids: set[int] = field(default_factory=set)
    objects_by_document: dict[int, models.Model] = field(default_factory=dict)
    is_keeper_unselected: bool = False

    @property
    def item_key(self) -> str:
        """Its name in forms and addresses: "c12" for a cluster, "p34" for a pair."""
        return build_item_key(self.cluster_or_pair)

    @property
    def cluster_id(self) -> int | None:
        return self.cluster_or_pair.pk if isinstance(self.cluster_or_pair, Cluster) else None

    @property
    def is_complete(self) -> bool:
        """Whether all members take part."""
        return len(self.selected_documents) == len(self.other_documents)

    @property
    def keeper(self) -> models.Model | None:
        """The object that stays; None where it is gone."""
        return self.objects_by_document.get(self.keeper_document.pk)

    @property
    def losers(self) -> list[models.Model]:
        """The objects of those that take part, as far as they exist."""
        return [
            self.objects_by_document[each.pk]
            for each in self.selected_documents
            if each.pk in self.objects_by_document
        ]

    @property
    def documents(self) -> list[Document]:
        return [self.keeper_document, *self.other_documents]

    def seen_by_object(self) -> dict[models.Model, ShownScore]:
        """What was shown of each object."""
        return {
            self.objects_by_document[key]: replace(seen, exact=key in self.exact_document_ids)
            for key, seen in self.seen_by_document.items()
            if key in self.objects_by_document
        }


def build_item_key(cluster_or_pair: Cluster | Pair) -> str:
    """The name of a cluster or a pair in forms and addresses."""
    return f"{'c' if isinstance(cluster_or_pair, Cluster) else 'p'}{cluster_or_pair.pk}"


def load_review_items(
    item_keys: Sequence[str], selected_document_ids: Collection[int] | None, keeper_id: int | None, using: str
) -> list[ReviewItem]:
    """The groups of those keys, in their order, without those that are no more or, of pairs, wait no more.

    ``selected_document_ids`` are the documents that take part, None for all; ``keeper_id`` the document that stays,
    None for the representative. A keeper that belongs to none of the groups is of no account.
    """
    numbers: dict[str, list[int]] = {letter: [] for letter in MODELS_BY_PREFIX}
    for key in item_keys:
        numbers[key[0]].append(int(key[1:]))
    found = {}
    for source, members, seen, exact in (
        *_load_clusters(numbers["c"], using),
        *_load_pairs(numbers["p"], using),
    ):
        group = _build_review_item(
            source,
            members,
            seen,
            exact,
            selected_document_ids if isinstance(source, Cluster) else None,
            keeper_id,
            using,
        )
        found[group.item_key] = group
    return [found[key] for key in item_keys if key in found]


_ItemParts = Iterator[tuple[Cluster | Pair, list[Document], dict[int, ShownScore], set[int]]]


def _load_clusters(cluster_ids: Collection[int], using: str) -> _ItemParts:
    if not cluster_ids:
        return
    members: defaultdict[int, list[Membership]] = defaultdict(list)
    rows = Membership.objects.using(using).filter(cluster__in=cluster_ids).select_related("document")
    for row in rows:
        members[row.cluster_id].append(row)
    for cluster in Cluster.objects.using(using).filter(pk__in=cluster_ids).select_related("leader"):
        places = [row for row in members[cluster.pk] if row.document_id != cluster.leader_id]
        documents = sorted((row.document for row in places), key=lambda each: each.static_order)
        seen = {row.document_id: ShownScore(row.score, Verdict.DUPLICATE) for row in places}
        exact = {row.document_id for row in places if row.exact}
        yield cluster, [cluster.leader, *documents], seen, exact


def _load_pairs(pair_ids: Collection[int], using: str) -> _ItemParts:
    """Those pairs, as far as they wait; the earlier in the static order stands for the representative."""
    if not pair_ids:
        return
    for pair in open_pairs(Pair.objects.using(using).filter(pk__in=pair_ids)).select_related("a", "b"):
        first, second = sorted((pair.a, pair.b), key=lambda each: each.static_order)
        exact = {second.pk} if pair.exact else set()
        yield pair, [first, second], {second.pk: ShownScore(pair.score, pair.verdict)}, exact


def _build_review_item(
    cluster_or_pair: Cluster | Pair,
    members: list[Document],
    seen_by_document: dict[int, ShownScore],
    exact_document_ids: set[int],
    selected_document_ids: Collection[int] | None,
    keeper_id: int | None,
    using: str,
) -> ReviewItem:
    first = members[0]
    stays = next((each for each in members if each.pk == keeper_id), first)
    if stays is not first:  # what was seen of the one that stays is what was seen of both
        seen_by_document = {**seen_by_document, first.pk: seen_by_document[stays.pk]}
        exact_document_ids = (
            exact_document_ids | {first.pk} if stays.pk in exact_document_ids else exact_document_ids
        )
    others = [each for each in members if each is not stays]
    chosen = [each for each in others if selected_document_ids is None or each.pk in selected_document_ids]
    aside = selected_document_ids is not None and stays.pk not in selected_document_ids
    return ReviewItem(
        cluster_or_pair,
        using,
        first,
        stays,
        others,
        chosen,
        seen_by_document,
        exact_document_ids,
        is_keeper_unselected=aside,
    )


def count_objects(items: Iterable[ReviewItem]) -> int:
    """How many objects a run over those groups would touch."""
    return sum(len(group.selected_documents) + 1 for group in items)


def load_objects(items: Sequence[ReviewItem], using: str) -> None:
    """Fetch the objects of all that take part: a query a model."""
    documents = [each for group in items for each in (group.keeper_document, *group.selected_documents)]
    found = objects_of(documents, using)
    for group in items:
        keys = {group.keeper_document.pk, *(each.pk for each in group.selected_documents)}
        group.objects_by_document = {key: found[key] for key in keys if key in found}


def build_state_tokens(items: Sequence[ReviewItem], using: str) -> list[str]:
    """A digest of each group as it is now: who belongs, on which text each was judged, what each says now."""
    read = _read_source_digests(
        [each for group in items for each in group.objects_by_document.items()], using
    )
    return [digest(_state_parts(group, read)).hex() for group in items]


def build_stored_token(item: ReviewItem) -> str:
    """A digest of a group as the ledger has it: who belongs, on which version of its text each was judged."""
    return digest(_stored_state_parts(item)).hex()


def find_changed_keys(items: Sequence[ReviewItem], using: str) -> set[str]:
    """The keys of those groups of which an object says something else now than when it was compared. Their objects
    are loaded."""
    read = _read_source_digests(
        [each for group in items for each in group.objects_by_document.items()], using
    )
    rows = Fingerprint.objects.using(using).filter(document__in=list(read), scheme__state=Scheme.State.ACTIVE)
    stored = dict(rows.values_list("document", "source_digest"))
    return {
        group.item_key
        for group in items
        if any(read.get(key) != stored.get(key) for key in group.objects_by_document)
    }


def combine_tokens(tokens: Iterable[str]) -> str:
    """One token for several groups."""
    return digest(tokens).hex()


def _state_parts(item: ReviewItem, digests_by_document: dict[int, str]) -> list[str]:
    return [
        *_stored_state_parts(item),
        *(f"{key}={digests_by_document.get(key, '')}" for key in sorted(item.objects_by_document)),
        f"stays {item.keeper_document.pk}",
        "chosen",
        *(str(each.pk) for each in item.selected_documents),
        *(["aside"] if item.is_keeper_unselected else []),
    ]


def _stored_state_parts(item: ReviewItem) -> list[str]:
    return [
        item.item_key,
        str(item.leader.pk),
        _decision_state(item),
        *(
            f"{each.pk}:{each.version}:{each.live}"
            for each in sorted(item.documents, key=lambda each: each.pk)
        ),
    ]


def _decision_state(item: ReviewItem) -> str:
    source = item.cluster_or_pair
    if isinstance(source, Cluster):
        return source.state
    return f"{source.verdict} {source.digest_a} {source.digest_b} {source.decision_id}"


def _read_source_digests(objects: Iterable[tuple[int, models.Model]], using: str) -> dict[int, str]:
    """The digests of all that was read of those objects now, by document id."""
    by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
    for key, instance in objects:
        by_model[type(instance)][instance.pk] = key
    found: dict[int, str] = {}
    for model, keys in by_model.items():
        for adapter in adapters_of(model)[:1]:
            sources = adapter.sources(keys, using)
            found |= {keys[key]: source.digest for key, source in sources.items()}
    return found


def active_pairs_of(documents: Collection[int], using: str) -> models.QuerySet[Pair]:
    """Pairs of the active schemes with a side among those documents."""
    either = Q(a__in=documents) | Q(b__in=documents)
    return Pair.objects.using(using).filter(either, scheme__state=Scheme.State.ACTIVE)

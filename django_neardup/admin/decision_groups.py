"""Review items (clusters, pairs, families, shortlists), the selected documents, and tokens of the state."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import models
from django.db.models import Q
from django.http import HttpRequest

from ..adapters import adapters_of
from ..models import Cluster, Document, Fingerprint, Membership, OpenItem, Pair, Scheme, Verdict
from ..moderation import ShownScore
from ..pipeline import objects_of
from ..pipeline.open_items.conditions import open_pairs, open_pairs_of_families
from ..pipeline.open_items.pair_reader import PairReader
from ..pipeline.open_items.rows import OpenPair, Owner, is_of_shortlist
from ..text.hashing import digest
from .visible_objects import VisibleObjects, find_visible_objects

MAX_OBJECTS = 100
"""The maximum number of objects in one request."""


CLUSTER, PAIR, FAMILY, SHORTLIST, COPIES = OpenItem.Kind.values
ITEM_KINDS = CLUSTER + PAIR + FAMILY + SHORTLIST
"""The kinds of items that are decided on. Each is the first letter of item keys, before a primary key: "c12".

Copies by one author are decided in the list of their groups.

- Cluster, pair.
- Family: a document, and the members of its template family with open pairs: with it, or doubts with each other.
- Shortlist: a document, and the posts that it may be a copy of: the other sides of its pairs to review.
"""

VIEW_PERMISSIONS = {
    CLUSTER: "neardup.view_cluster",
    PAIR: "neardup.view_pair",
    FAMILY: "neardup.view_pair",
    SHORTLIST: "neardup.view_pair",
}
"""The permission to see items of a kind."""


@dataclass
class OfferedPosts:
    """A document and the posts offered with it: a family or a shortlist.

    - ``others``: by id, at most ``MAX_OBJECTS - 1``: doubts first, then the most similar.
    - ``pairs``: for each of them the pair that offers it: with the document or, for a doubt inside a family, with
      another member. Evidence is loaded when it is read.
    - ``total``: the number of all such posts.
    - ``pair_count``: the number of all their open pairs.
    """

    kind: str
    document: Document
    others: dict[int, Document]
    pairs: dict[int, Pair]
    total: int
    pair_count: int

    @property
    def pk(self) -> int:
        return self.document.pk

    @property
    def size(self) -> int:
        """Return the number of posts."""
        return self.total + 1

    @property
    def doubt_count(self) -> int:
        return sum(pair.doubtful for pair in self.pairs.values())

    @property
    def doubtful(self) -> bool:
        return self.doubt_count > 0

    @property
    def verdict(self) -> str:
        return next(iter(self.pairs.values())).verdict

    @property
    def exact(self) -> bool:
        """No pair is: exact copies are duplicates."""
        return False


Decidable = Cluster | Pair | OfferedPosts
"""The sources of an item."""


@dataclass
class ReviewItem:
    """An item for the decision of a moderator.

    - ``source``: the cluster, the pair, the family or the shortlist.
    - ``leader``: the leader of a cluster, the post of a family or a shortlist. For a pair, the first document in
      static order.
    - ``keeper_document``: the document that the others are merged into, or that stays if they are hidden or
      deleted. It is the leader, or a keeper that was chosen.
    - ``other_documents``: all documents except the keeper.
    - ``selected_documents``: the other documents that the action applies to.
    - ``seen_by_document``: the score and the verdict that are shown for each document, by document id.
    - ``exact_document_ids``: the ids of exact copies.
    - ``objects_by_document``: the objects of the keeper and of the selected documents, by document id.
    - ``is_keeper_unselected``: the checkbox of ``keeper_document`` was not ticked.
    - ``hidden_document_ids``: documents with objects that the person may not see. No decision is made on them.
    """

    source: Decidable
    using: str
    leader: Document
    keeper_document: Document
    other_documents: Sequence[Document]
    selected_documents: Sequence[Document]
    seen_by_document: dict[int, ShownScore] = field(default_factory=dict)
    exact_document_ids: set[int] = field(default_factory=set)
    objects_by_document: dict[int, models.Model] = field(default_factory=dict)
    is_keeper_unselected: bool = False
    hidden_document_ids: frozenset[int] = frozenset()

    @property
    def space_id(self) -> int:
        """Return the id of the space of the item."""
        if isinstance(self.source, OfferedPosts):
            return self.source.document.space_id or 0
        return self.source.space_id

    @property
    def item_key(self) -> str:
        """Return the key in forms and URLs: "c12" for a cluster, "p34" for a pair."""
        return build_item_key(self.source)

    @property
    def kind(self) -> str:
        """Return the kind: one of ``ITEM_KINDS``."""
        return self.item_key[0]

    @property
    def cluster_id(self) -> int | None:
        return self.source.pk if isinstance(self.source, Cluster) else None

    @property
    def is_complete(self) -> bool:
        """Return whether all documents except the keeper are selected."""
        return len(self.selected_documents) == len(self.other_documents)

    @property
    def keeper(self) -> models.Model | None:
        """Return the keeper's object. Return None if the object is gone."""
        return self.objects_by_document.get(self.keeper_document.pk)

    @property
    def losers(self) -> list[models.Model]:
        """Return the objects of the selected documents. Objects that are gone are left out."""
        return [
            self.objects_by_document[document.pk]
            for document in self.selected_documents
            if document.pk in self.objects_by_document
        ]

    @property
    def documents(self) -> list[Document]:
        return [self.keeper_document, *self.other_documents]

    def seen_by_object(self) -> dict[models.Model, ShownScore]:
        """Return the score and the verdict that were shown for each object."""
        return {
            self.objects_by_document[document_id]: replace(
                shown_score, exact=document_id in self.exact_document_ids
            )
            for document_id, shown_score in self.seen_by_document.items()
            if document_id in self.objects_by_document
        }


def build_item_key(source: Decidable) -> str:
    """Return the key of a cluster, a pair, a family or a shortlist in forms and URLs, for example "c12" or "p34"."""
    if isinstance(source, OfferedPosts):
        return f"{source.kind}{source.pk}"
    return f"{CLUSTER if isinstance(source, Cluster) else PAIR}{source.pk}"


def load_review_items(
    item_keys: Sequence[str], selected_document_ids: Collection[int] | None, keeper_id: int | None, using: str
) -> list[ReviewItem]:
    """Return the items with the keys, in the order of the keys.

    Items that no longer exist are left out, and pairs that are no longer open.

    ``selected_document_ids``: the documents that the action applies to, None for all. ``keeper_id``: the
    document that stays, None for the leader. A keeper is ignored in items that it does not belong to.
    """
    pks_by_kind: dict[str, list[int]] = {kind: [] for kind in ITEM_KINDS}
    for item_key in item_keys:
        pks_by_kind[item_key[0]].append(int(item_key[1:]))
    items_by_key = {}
    for source, documents, shown_scores, exact_ids in (
        *_load_clusters(pks_by_kind[CLUSTER], using),
        *_load_pairs(pks_by_kind[PAIR], using),
        *_load_offered_posts(pks_by_kind, using),
    ):
        item = _build_review_item(
            source,
            documents,
            shown_scores,
            exact_ids,
            # Both posts of a pair always take part.
            None if isinstance(source, Pair) else selected_document_ids,
            None if isinstance(source, OfferedPosts) else keeper_id,
            using,
        )
        items_by_key[item.item_key] = item
    return [items_by_key[item_key] for item_key in item_keys if item_key in items_by_key]


_ItemParts = Iterator[tuple[Decidable, list[Document], dict[int, ShownScore], set[int]]]


def _load_clusters(cluster_ids: Collection[int], using: str) -> _ItemParts:
    if not cluster_ids:
        return
    memberships_by_cluster: defaultdict[int, list[Membership]] = defaultdict(list)
    memberships = Membership.objects.using(using).filter(cluster__in=cluster_ids).select_related("document")
    for membership in memberships:
        memberships_by_cluster[membership.cluster_id].append(membership)
    for cluster in Cluster.objects.using(using).filter(pk__in=cluster_ids).select_related("leader"):
        others = [
            membership
            for membership in memberships_by_cluster[cluster.pk]
            if membership.document_id != cluster.leader_id
        ]
        documents = sorted(
            (membership.document for membership in others), key=lambda document: document.static_order
        )
        shown_scores = {
            membership.document_id: ShownScore(membership.score, Verdict.DUPLICATE) for membership in others
        }
        exact_ids = {membership.document_id for membership in others if membership.exact}
        yield cluster, [cluster.leader, *documents], shown_scores, exact_ids


def _load_pairs(pair_ids: Collection[int], using: str) -> _ItemParts:
    """Yield the pairs that are open. The first document in static order takes the part of the leader."""
    if not pair_ids:
        return
    for pair in open_pairs(Pair.objects.using(using).filter(pk__in=pair_ids)).select_related("a", "b"):
        first, second = sorted((pair.a, pair.b), key=lambda document: document.static_order)
        exact_ids = {second.pk} if pair.exact else set()
        yield pair, [first, second], {second.pk: ShownScore(pair.score, pair.verdict)}, exact_ids


def _load_offered_posts(pks_by_kind: Mapping[str, Sequence[int]], using: str) -> _ItemParts:
    for source in load_offered_posts(pks_by_kind, using).values():
        scores = {other: ShownScore(pair.score, pair.verdict) for other, pair in source.pairs.items()}
        yield source, [source.document, *source.others.values()], scores, set()


def load_offered_posts(pks_by_kind: Mapping[str, Sequence[int]], using: str) -> dict[str, OfferedPosts]:
    """Return the families and the shortlists of documents, by item key. Those without open pairs are left out."""
    # By kind and document: the other documents, and the pair of each.
    listed: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
    pair_counts: Counter[tuple[str, int]] = Counter()
    for kind, document, a, b, pk in _sorted_offers(pks_by_kind, using):
        pair_counts[kind, document] += 1
        others = listed[kind, document]
        for other in ({a, b} - {document}) - others.keys():
            others[other] = pk
    shown = {key: list(others.items())[: MAX_OBJECTS - 1] for key, others in listed.items()}
    without_evidence = Pair.objects.using(using).select_related("a", "b").defer("evidence")
    pairs = without_evidence.in_bulk({pk for offers in shown.values() for _other, pk in offers})
    documents = {side.pk: side for pair in pairs.values() for side in (pair.a, pair.b)}
    leaders = Document.objects.using(using).in_bulk({document for _kind, document in shown})
    return {
        f"{kind}{document}": OfferedPosts(
            kind,
            leaders[document],
            {other: documents[other] for other, _pk in offers},
            {other: pairs[pk] for other, pk in offers},
            len(listed[kind, document]),
            pair_counts[kind, document],
        )
        for (kind, document), offers in shown.items()
    }


def _sorted_offers(
    pks_by_kind: Mapping[str, Sequence[int]], using: str
) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the open pairs of families and shortlists, doubts first, then high scores: kind, document, a, b, id."""
    columns = ("a_id", "b_id", "doubtful", "score", "pk")
    rows: list[tuple[Any, ...]] = []
    families, shortlists = pks_by_kind.get(FAMILY, ()), pks_by_kind.get(SHORTLIST, ())
    for pairs in open_pairs_of_families(families, using) if families else ():
        rows += [(FAMILY, *row) for row in pairs.values_list("family", *columns)]
    for owner, pairs_of_owner in _pairs_of_shortlists(shortlists, using):
        for pair in pairs_of_owner:
            # All but texts inside others are doubts here: what is surely another item asks nothing.
            is_doubt = pair.verdict != Verdict.CONTAINED
            rows.append((SHORTLIST, owner.document, pair.a, pair.b, is_doubt, pair.score, pair.pk))
    rows.sort(key=lambda row: (not row[4], -row[5], row[6]))
    for kind, document, a, b, _doubtful, _score, pk in rows:
        yield kind, document, a, b, pk


def _pairs_of_shortlists(documents: Collection[int], using: str) -> Iterator[tuple[Owner, list[OpenPair]]]:
    """Yield the owner of each shortlist, and its pairs."""
    owners = {Owner(document, of_family=False) for document in documents}
    asked = PairReader(using).asked_of(owners) if owners else {}
    for owner in owners & asked.keys():
        yield owner, [pair for pair in asked[owner] if is_of_shortlist(pair, owner)]


def _build_review_item(
    source: Decidable,
    members: list[Document],
    seen_by_document: dict[int, ShownScore],
    exact_document_ids: set[int],
    selected_document_ids: Collection[int] | None,
    keeper_id: int | None,
    using: str,
) -> ReviewItem:
    leader = members[0]
    keeper = next((document for document in members if document.pk == keeper_id), leader)
    if keeper is not leader:
        # The score shown for the keeper compares it with the leader, so it is the leader's score as well.
        seen_by_document = {**seen_by_document, leader.pk: seen_by_document[keeper.pk]}
        exact_document_ids = (
            exact_document_ids | {leader.pk} if keeper.pk in exact_document_ids else exact_document_ids
        )
    others = [document for document in members if document is not keeper]
    selected = [
        document
        for document in others
        if selected_document_ids is None or document.pk in selected_document_ids
    ]
    is_unselected = selected_document_ids is not None and keeper.pk not in selected_document_ids
    return ReviewItem(
        source,
        using,
        leader,
        keeper,
        others,
        selected,
        seen_by_document,
        exact_document_ids,
        is_keeper_unselected=is_unselected,
    )


def load_hidden(items: Sequence[ReviewItem], request: HttpRequest, site: Any, using: str) -> VisibleObjects:
    """Find out which posts of the items this person may not see: few queries for each model."""
    visible = find_visible_objects(
        [document for item in items for document in item.documents], request, site, using
    )
    for item in items:
        item.hidden_document_ids = frozenset(
            visible.hidden_ids & {document.pk for document in item.documents}
        )
    return visible


def count_objects(items: Iterable[ReviewItem]) -> int:
    """Return how many objects an action on the items would touch, keepers included."""
    return sum(len(item.selected_documents) + 1 for item in items)


def load_objects(items: Sequence[ReviewItem], using: str) -> None:
    """Load the objects of the keepers and of the selected documents. Takes one query for each model."""
    documents = [document for item in items for document in (item.keeper_document, *item.selected_documents)]
    objects_by_document = objects_of(documents, using)
    for item in items:
        document_ids = {item.keeper_document.pk, *(document.pk for document in item.selected_documents)}
        item.objects_by_document = {
            document_id: objects_by_document[document_id]
            for document_id in document_ids
            if document_id in objects_by_document
        }


def build_state_tokens(items: Sequence[ReviewItem], using: str) -> list[str]:
    """Return a digest of each item's current state.

    It covers the members with the versions of their texts that were compared, the current sources of the
    loaded objects, the keeper and the selection.
    """
    source_digests = _read_source_digests(
        [id_and_object for item in items for id_and_object in item.objects_by_document.items()], using
    )
    return [digest(_state_parts(item, source_digests)).hex() for item in items]


def build_stored_token(item: ReviewItem) -> str:
    """Return a digest of an item's stored state: the members, and the compared version of each text."""
    return digest(_stored_state_parts(item)).hex()


def find_changed_keys(items: Sequence[ReviewItem], using: str) -> set[str]:
    """Return the keys of items with an object that has changed since it was compared.

    The objects of the items must be loaded.
    """
    current_digests = _read_source_digests(
        [id_and_object for item in items for id_and_object in item.objects_by_document.items()], using
    )
    fingerprints = Fingerprint.objects.using(using).filter(
        document__in=list(current_digests), scheme__state=Scheme.State.ACTIVE
    )
    stored_digests = dict(fingerprints.values_list("document", "source_digest"))
    return {
        item.item_key
        for item in items
        if any(
            current_digests.get(document_id) != stored_digests.get(document_id)
            for document_id in item.objects_by_document
        )
    }


def combine_tokens(tokens: Iterable[str]) -> str:
    """Return one token for several items."""
    return digest(tokens).hex()


def _state_parts(item: ReviewItem, digests_by_document: dict[int, str]) -> list[str]:
    return [
        *_stored_state_parts(item),
        *(
            f"{document_id}={digests_by_document.get(document_id, '')}"
            for document_id in sorted(item.objects_by_document)
        ),
        f"stays {item.keeper_document.pk}",
        "chosen",
        *(str(document.pk) for document in item.selected_documents),
        *(["aside"] if item.is_keeper_unselected else []),
    ]


def _stored_state_parts(item: ReviewItem) -> list[str]:
    return [
        item.item_key,
        str(item.leader.pk),
        _decision_state(item),
        *(
            f"{document.pk}:{document.version}:{document.live}"
            for document in sorted(item.documents, key=lambda member: member.pk)
        ),
    ]


def _decision_state(item: ReviewItem) -> str:
    if isinstance(item.source, Cluster):
        return item.source.state
    # A new text or a decision must change the token, also if the verdict stays the same.
    # A doubt between two members changes the question, though the members stay the same.
    pairs, count = (
        ([*item.source.pairs.values()], item.source.pair_count)
        if isinstance(item.source, OfferedPosts)
        else ([item.source], 1)
    )
    states = [
        f"{pair.verdict} {pair.doubtful} {pair.digest_a} {pair.digest_b} {pair.decision_id}" for pair in pairs
    ]
    return " ".join([*states, str(count)])


def _read_source_digests(objects: Iterable[tuple[int, models.Model]], using: str) -> dict[int, str]:
    """Return the digests of the objects' current sources, by document id."""
    document_ids_by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
    for document_id, instance in objects:
        document_ids_by_model[type(instance)][instance.pk] = document_id
    digests: dict[int, str] = {}
    for model, document_ids in document_ids_by_model.items():
        for adapter in adapters_of(model)[:1]:
            sources = adapter.sources(document_ids, using)
            digests |= {document_ids[pk]: source.digest for pk, source in sources.items()}
    return digests


def active_pairs_of(documents: Collection[int], using: str) -> models.QuerySet[Pair]:
    """Return the pairs of the active schemes in which a or b is one of the documents, given by id."""
    is_side = Q(a__in=documents) | Q(b__in=documents)
    return Pair.objects.using(using).filter(is_side, scheme__state=Scheme.State.ACTIVE)

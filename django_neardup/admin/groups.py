"""What a person decides on: clusters and pairs, the members that take part, and a token of what they saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import models
from django.db.models import Q

from ..adapters import adapters_of
from ..merging import Seen
from ..models import Cluster, Document, Fingerprint, Membership, Pair, Scheme, Verdict
from ..pipeline import objects_of
from ..text.hashing import digest
from .queue.waiting import offered

CAP = 100
"""Objects that one run may touch."""


KINDS: dict[str, type[Cluster] | type[Pair]] = {"c": Cluster, "p": Pair}
"""What the letter of a key stands for."""


@dataclass
class Group:
    """A cluster or a pair.

    ``stays`` is the document that the others are merged into, hidden or deleted beside: the representative, or the
    keeper that a person chose. ``others`` are all the rest, ``chosen`` those of them that take part, ``seen`` what is
    shown of each, by document id, ``exact`` the ids of exact copies, ``objects`` the objects of those that take part.
    ``aside``: ``stays`` was left unticked.
    """

    source: Cluster | Pair
    using: str
    representative: Document
    stays: Document
    others: Sequence[Document]
    chosen: Sequence[Document]
    seen: dict[int, Seen] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    objects: dict[int, models.Model] = field(default_factory=dict)
    aside: bool = False

    @property
    def key(self) -> str:
        """Its name in forms and addresses: "c12" for a cluster, "p34" for a pair."""
        return key_of(self.source)

    @property
    def cluster(self) -> int | None:
        return self.source.pk if isinstance(self.source, Cluster) else None

    @property
    def whole(self) -> bool:
        """Whether all members take part."""
        return len(self.chosen) == len(self.others)

    @property
    def keeper(self) -> models.Model | None:
        """The object that stays; None where it is gone."""
        return self.objects.get(self.stays.pk)

    @property
    def losers(self) -> list[models.Model]:
        """The objects of those that take part, as far as they exist."""
        return [self.objects[each.pk] for each in self.chosen if each.pk in self.objects]

    @property
    def documents(self) -> list[Document]:
        return [self.stays, *self.others]

    def seen_by_object(self) -> dict[models.Model, Seen]:
        """What was shown of each object."""
        return {
            self.objects[key]: replace(seen, exact=key in self.exact)
            for key, seen in self.seen.items()
            if key in self.objects
        }


def key_of(source: Cluster | Pair) -> str:
    """The name of a cluster or a pair in forms and addresses."""
    return f"{'c' if isinstance(source, Cluster) else 'p'}{source.pk}"


def groups_of(
    keys: Sequence[str], ticked: Collection[int] | None, keeper: int | None, using: str
) -> list[Group]:
    """The groups of those keys, in their order, without those that are no more or, of pairs, wait no more.

    ``ticked`` are the documents that take part, None for all; ``keeper`` the document that stays, None for the
    representative. A keeper that belongs to none of the groups is of no account.
    """
    numbers: dict[str, list[int]] = {letter: [] for letter in KINDS}
    for key in keys:
        numbers[key[0]].append(int(key[1:]))
    found = {}
    for source, members, seen, exact in (*_clusters(numbers["c"], using), *_pairs(numbers["p"], using)):
        group = _group(
            source, members, seen, exact, ticked if isinstance(source, Cluster) else None, keeper, using
        )
        found[group.key] = group
    return [found[key] for key in keys if key in found]


_Rows = Iterator[tuple[Cluster | Pair, list[Document], dict[int, Seen], set[int]]]


def _clusters(keys: Collection[int], using: str) -> _Rows:
    if not keys:
        return
    members: defaultdict[int, list[Membership]] = defaultdict(list)
    rows = Membership.objects.using(using).filter(cluster__in=keys).select_related("document")
    for row in rows:
        members[row.cluster_id].append(row)
    for cluster in Cluster.objects.using(using).filter(pk__in=keys).select_related("representative"):
        places = [row for row in members[cluster.pk] if row.document_id != cluster.representative_id]
        documents = sorted((row.document for row in places), key=lambda each: each.order)
        seen = {row.document_id: Seen(row.score, Verdict.DUPLICATE) for row in places}
        exact = {row.document_id for row in places if row.exact}
        yield cluster, [cluster.representative, *documents], seen, exact


def _pairs(keys: Collection[int], using: str) -> _Rows:
    """Those pairs, as far as they wait; the earlier in the static order stands for the representative."""
    if not keys:
        return
    for pair in offered(Pair.objects.using(using).filter(pk__in=keys)).select_related("a", "b"):
        first, second = sorted((pair.a, pair.b), key=lambda each: each.order)
        exact = {second.pk} if pair.exact else set()
        yield pair, [first, second], {second.pk: Seen(pair.score, pair.verdict)}, exact


def _group(
    source: Cluster | Pair,
    members: list[Document],
    seen: dict[int, Seen],
    exact: set[int],
    ticked: Collection[int] | None,
    keeper: int | None,
    using: str,
) -> Group:
    first = members[0]
    stays = next((each for each in members if each.pk == keeper), first)
    if stays is not first:  # what was seen of the one that stays is what was seen of both
        seen = {**seen, first.pk: seen[stays.pk]}
        exact = exact | {first.pk} if stays.pk in exact else exact
    others = [each for each in members if each is not stays]
    chosen = [each for each in others if ticked is None or each.pk in ticked]
    aside = ticked is not None and stays.pk not in ticked
    return Group(source, using, first, stays, others, chosen, seen, exact, aside=aside)


def size_of(groups: Iterable[Group]) -> int:
    """How many objects a run over those groups would touch."""
    return sum(len(group.chosen) + 1 for group in groups)


def load(groups: Sequence[Group], using: str) -> None:
    """Fetch the objects of all that take part: a query a model."""
    documents = [each for group in groups for each in (group.stays, *group.chosen)]
    found = objects_of(documents, using)
    for group in groups:
        keys = {group.stays.pk, *(each.pk for each in group.chosen)}
        group.objects = {key: found[key] for key in keys if key in found}


def tokens_of(groups: Sequence[Group], using: str) -> list[str]:
    """A digest of each group as it is now: who belongs, on which text each was judged, what each says now."""
    read = _read([each for group in groups for each in group.objects.items()], using)
    return [digest(_parts(group, read)).hex() for group in groups]


def ledger_token(group: Group) -> str:
    """A digest of a group as the ledger has it: who belongs, on which version of its text each was judged."""
    return digest(_ledger(group)).hex()


def stale(groups: Sequence[Group], using: str) -> set[str]:
    """The keys of those groups of which an object says something else now than when it was compared. Their objects
    are loaded."""
    read = _read([each for group in groups for each in group.objects.items()], using)
    rows = Fingerprint.objects.using(using).filter(document__in=list(read), scheme__state=Scheme.State.ACTIVE)
    stored = dict(rows.values_list("document", "source_digest"))
    return {group.key for group in groups if any(read.get(key) != stored.get(key) for key in group.objects)}


def joined(tokens: Iterable[str]) -> str:
    """One token for several groups."""
    return digest(tokens).hex()


def _parts(group: Group, read: dict[int, str]) -> list[str]:
    return [
        *_ledger(group),
        *(f"{key}={read.get(key, '')}" for key in sorted(group.objects)),
        f"stays {group.stays.pk}",
        "chosen",
        *(str(each.pk) for each in group.chosen),
        *(["aside"] if group.aside else []),
    ]


def _ledger(group: Group) -> list[str]:
    return [
        group.key,
        str(group.representative.pk),
        _state(group),
        *(
            f"{each.pk}:{each.version}:{each.live}"
            for each in sorted(group.documents, key=lambda each: each.pk)
        ),
    ]


def _state(group: Group) -> str:
    source = group.source
    if isinstance(source, Cluster):
        return source.state
    return f"{source.verdict} {source.digest_a} {source.digest_b} {source.decision_id}"


def _read(objects: Iterable[tuple[int, models.Model]], using: str) -> dict[int, str]:
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


def current_pairs(documents: Collection[int], using: str) -> models.QuerySet[Pair]:
    """Pairs of the active schemes with a side among those documents."""
    either = Q(a__in=documents) | Q(b__in=documents)
    return Pair.objects.using(using).filter(either, scheme__state=Scheme.State.ACTIVE)

"""What a person decides on: clusters and pairs, the members that take part, and a token of what they saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import Q

from ..adapters import adapters_of
from ..merging import Seen
from ..models import Cluster, Document, Membership, Pair, Scheme
from ..pipeline import objects_of
from ..text.hashing import digest

CAP = 100
"""Objects that one run may touch."""


@dataclass
class Group:
    """A cluster or a pair.

    ``others`` are its members but for the representative, ``chosen`` those that take part, ``seen`` what is shown
    of each, by document id, ``exact`` the ids of exact copies, ``objects`` the objects of those that take part.
    """

    source: Cluster | Pair
    using: str
    representative: Document
    others: Sequence[Document]
    chosen: Sequence[Document]
    seen: dict[int, Seen] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    objects: dict[int, models.Model] = field(default_factory=dict)

    @property
    def cluster(self) -> int | None:
        return self.source.pk if isinstance(self.source, Cluster) else None

    @property
    def whole(self) -> bool:
        """Whether all members take part."""
        return len(self.chosen) == len(self.others)

    @property
    def keeper(self) -> models.Model | None:
        """The representative's object; None where it is gone."""
        return self.objects.get(self.representative.pk)

    @property
    def losers(self) -> list[models.Model]:
        """The objects of those that take part, as far as they exist."""
        return [self.objects[each.pk] for each in self.chosen if each.pk in self.objects]

    @property
    def documents(self) -> list[Document]:
        return [self.representative, *self.others]

    def seen_by_object(self) -> dict[models.Model, Seen]:
        """What was shown of each object."""
        return {self.objects[key]: seen for key, seen in self.seen.items() if key in self.objects}


def cluster_groups(keys: Collection[int], ticked: Collection[int] | None, using: str) -> list[Group]:
    """Those clusters, oldest first; ``ticked``, the members that take part, or None for all."""
    clusters = (
        Cluster.objects.using(using).filter(pk__in=keys).select_related("representative").order_by("pk")
    )
    members: defaultdict[int, list[Membership]] = defaultdict(list)
    rows = Membership.objects.using(using).filter(cluster__in=keys).select_related("document")
    for row in rows:
        members[row.cluster_id].append(row)
    return [_of_cluster(cluster, members[cluster.pk], ticked, using) for cluster in clusters]


def _of_cluster(
    cluster: Cluster, rows: Iterable[Membership], ticked: Collection[int] | None, using: str
) -> Group:
    places = {row.document_id: row for row in rows}
    documents = sorted((row.document for row in places.values()), key=lambda each: each.order)
    others = [each for each in documents if each.pk != cluster.representative_id]
    chosen = [each for each in others if ticked is None or each.pk in ticked]
    seen = {each.pk: Seen(places[each.pk].score, "duplicate") for each in others}
    exact = {each.pk for each in others if places[each.pk].exact}
    return Group(cluster, using, cluster.representative, others, chosen, seen, exact)


def pair_groups(keys: Collection[int], using: str) -> list[Group]:
    """Those pairs; the earlier in the static order stands for the representative."""
    pairs = Pair.objects.using(using).filter(pk__in=keys).select_related("a", "b").order_by("pk")
    groups = []
    for pair in pairs:
        first, second = sorted((pair.a, pair.b), key=lambda each: each.order)
        seen, exact = {second.pk: Seen(pair.score, pair.verdict)}, {second.pk} if pair.exact else set()
        groups.append(Group(pair, using, first, [second], [second], seen, exact))
    return groups


def size_of(groups: Iterable[Group]) -> int:
    """How many objects a run over those groups would touch."""
    return sum(len(group.chosen) + 1 for group in groups)


def load(groups: Sequence[Group], using: str) -> None:
    """Fetch the objects of all that take part: a query a model."""
    documents = [each for group in groups for each in (group.representative, *group.chosen)]
    found = objects_of(documents, using)
    for group in groups:
        keys = {group.representative.pk, *(each.pk for each in group.chosen)}
        group.objects = {key: found[key] for key in keys if key in found}


def tokens_of(groups: Sequence[Group], using: str) -> list[str]:
    """A digest of each group as it is now: who belongs, on which text each was judged, what each says now."""
    read = _read([each for group in groups for each in group.objects.items()], using)
    return [digest(_parts(group, read)).hex() for group in groups]


def joined(tokens: Iterable[str]) -> str:
    """One token for several groups."""
    return digest(tokens).hex()


def _parts(group: Group, read: dict[int, str]) -> list[str]:
    return [
        type(group.source).__name__,
        str(group.source.pk),
        str(group.representative.pk),
        _state(group),
        *(
            f"{each.pk}:{each.version}:{each.live}"
            for each in sorted(group.documents, key=lambda each: each.pk)
        ),
        *(f"{key}={read.get(key, '')}" for key in sorted(group.objects)),
        "chosen",
        *(str(each.pk) for each in group.chosen),
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

"""Lists without repetitions: one entry a cluster, and nothing in it that the caller does not let be seen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model
from django.urls import NoReverseMatch, reverse
from django.utils.functional import cached_property
from django.utils.translation import ngettext

from ..pipeline.content_objects import content_type_of
from ..visibility import (
    ObjectKey,
    Querysets,
    VisibilityFilter,
    chunk_values,
    object_keys,
    write_database,
)
from .cluster_members import load_cluster_members

MAX_OTHERS = 20
"""How many other members of a group are fetched; ``count`` knows them all."""

PLAIN_ID = re.compile(r"[A-Za-z0-9_\-]+")
"""Ids that stand in an address as they are."""

SAMPLE_ID = "0-sample-0"


class Group:
    """An entry of a grouped list: ``object``, its cluster's first in the caller's order, and those behind it.

    ``count``: how many other members the caller's queryset holds; 0 for an object that stands alone.
    """

    def __init__(
        self,
        instance: Model,
        key: ObjectKey,
        keys: Sequence[ObjectKey] = (),
        loader: GroupLoader | None = None,
    ) -> None:
        self.object = instance
        self._key = key
        self.count = len(keys)
        self._keys = keys[:MAX_OTHERS]
        self._loader = loader
        if loader is not None:
            loader.add_wanted(self._keys)

    def __repr__(self) -> str:
        return f"<Group: {self.object!r} + {self.count}>"

    @cached_property
    def others(self) -> list[Model]:
        """The first 20 of the other members: those of the caller's list, then in the queryset's order."""
        return self._loader.load(self._keys) if self._loader is not None else []

    @property
    def label(self) -> str:
        """A few words for a link to the others; empty where there are none."""
        if not self.count:
            return ""
        return ngettext("+ %(count)d similar", "+ %(count)d similar", self.count) % {"count": self.count}

    @cached_property
    def url(self) -> str:
        """The page that lists them; empty where there are none, or where our URLs are not included."""
        if not self.count or self._loader is None:
            return ""
        return self._loader.page_urls.url_for(self._key)


class GroupLoader:
    """Fetches the other members of every group of a list at the first one that is asked for."""

    def __init__(self, visible: VisibilityFilter, using: str, loaded: dict[ObjectKey, Model]) -> None:
        self._visible, self._using = visible, using
        self._loaded = dict(loaded)
        self._wanted: set[ObjectKey] = set()
        self.page_urls = SimilarPageUrls()

    def add_wanted(self, keys: Iterable[ObjectKey]) -> None:
        self._wanted.update(key for key in keys if key not in self._loaded)

    def load(self, keys: Iterable[ObjectKey]) -> list[Model]:
        if self._wanted:
            self._loaded |= self._visible.fetch_objects(self._wanted, self._using)
            self._wanted.clear()
        return [self._loaded[key] for key in keys if key in self._loaded]


class SimilarPageUrls:
    """The addresses of the pages of objects' clusters; one is looked up a model, for that is what takes time."""

    def __init__(self) -> None:
        self._affixes_by_model: dict[type[Model], tuple[str, str]] = {}

    def url_for(self, key: ObjectKey) -> str:
        """The address of the page of an object's cluster; empty where our URLs are not included."""
        model, object_id = key
        if not PLAIN_ID.fullmatch(object_id):
            return _reverse_url(model, object_id)
        if model not in self._affixes_by_model:
            before, _, after = _reverse_url(model, SAMPLE_ID).rpartition(SAMPLE_ID)
            self._affixes_by_model[model] = before, after
        before, after = self._affixes_by_model[model]
        return f"{before}{object_id}{after}" if before else ""


def _reverse_url(model: type[Model], object_id: str) -> str:
    try:
        return reverse("neardup:similar", args=[model._meta.label_lower, object_id])
    except NoReverseMatch:
        return ""


@dataclass(frozen=True)
class ClusterNeighbours:
    """Clusters of some objects of one database. ``held``: objects and members that may be seen, in order."""

    cluster_by_key: dict[ObjectKey, int]
    visible_keys: dict[ObjectKey, None]
    members_by_cluster: dict[int, list[ObjectKey]]

    def others(self, key: ObjectKey) -> list[ObjectKey]:
        """The members beside that one that may be seen."""
        members = self.members_by_cluster.get(self.cluster_by_key.get(key, 0), [])
        return [member for member in members if member != key]


def group(objects: Iterable[Model], visible: Querysets) -> list[Group]:
    """One entry for every cluster of a ready list, in its order; queries do not grow with the list.

    ``objects``: instances, of several models if need be; those of models that are not registered, or that
    ``visible`` does not speak of, stand alone. ``visible``: the queryset of all that this visitor may see, or
    several, one for each model. What it does not hold is neither shown nor counted, even where it stands in
    the list; nor is what is not saved. ``TypeError`` for anything else.
    """
    allowed = VisibilityFilter(visible)
    instances = list(objects)
    rows = [
        row
        for row in zip(instances, object_keys(instances), _database_aliases(instances), strict=True)
        if row[0].pk is not None or not allowed.covers(row[1])
    ]
    by_alias: defaultdict[str, dict[ObjectKey, Model]] = defaultdict(dict)
    for instance, key, alias in rows:
        by_alias[alias].setdefault(key, instance)
    found = {alias: _GroupBuilder(allowed, alias, known) for alias, known in by_alias.items()}
    groups = (found[alias].build_group(instance, key) for instance, key, alias in rows)
    return [entry for entry in groups if entry is not None]


def _database_aliases(instances: Sequence[Model]) -> list[str]:
    """By which alias each object is asked about: the first that was read by, of those that have one home."""
    aliases = [instance._state.db or DEFAULT_DB_ALIAS for instance in instances]
    if len(set(aliases)) < 2:
        return aliases
    first: dict[str, str] = {}
    return [
        first.setdefault(write_database(each), alias) for each, alias in zip(instances, aliases, strict=True)
    ]


class _GroupBuilder:
    """The objects of a list that come from one database."""

    def __init__(self, visible: VisibilityFilter, using: str, objects: dict[ObjectKey, Model]) -> None:
        self._visible = visible
        self._neighbours = find_cluster_neighbours(list(objects), visible, using)
        self._positions = {key: place for place, key in enumerate(objects)}
        self._loader = GroupLoader(
            visible, using, {key: objects[key] for key in objects if key in self._neighbours.visible_keys}
        )
        self._shown_clusters: set[int] = set()

    def build_group(self, instance: Model, key: ObjectKey) -> Group | None:
        """The object's entry; None where it may not be seen or another member has stood for it."""
        if key not in self._neighbours.visible_keys:
            return None if self._visible.covers(key) else Group(instance, key)
        cluster = self._neighbours.cluster_by_key.get(key)
        if cluster is None:
            return Group(instance, key)
        if cluster in self._shown_clusters:
            return None
        self._shown_clusters.add(cluster)
        return Group(instance, key, self._order_others(self._neighbours.others(key)), self._loader)

    def _order_others(self, others: list[ObjectKey]) -> list[ObjectKey]:
        """Those of the list first."""
        last = len(self._positions)
        return (
            sorted(others, key=lambda other: self._positions.get(other, last)) if len(others) > 1 else others
        )


def find_cluster_neighbours(
    keys: Sequence[ObjectKey], visible: VisibilityFilter, using: str
) -> ClusterNeighbours:
    """Clusters of those objects, as far as they may be seen: a query, and one a model of ``visible``."""
    members = _load_clusters(keys, visible.registered_models, using)
    cluster_of = {key: members[key] for key in keys if key in members}
    held = visible.visible_keys([*members, *keys], using)
    seen: defaultdict[int, list[ObjectKey]] = defaultdict(list)
    for key in held:
        if (cluster := members.get(key)) is not None:
            seen[cluster].append(key)
    return ClusterNeighbours(cluster_of, held, dict(seen))


def _load_clusters(
    keys: Iterable[ObjectKey], models: Iterable[type[Model]], using: str
) -> dict[ObjectKey, int]:
    """All members, of those models, of the clusters of those objects, in static order."""
    kinds = {content_type_of(model, using).pk: model for model in models}
    numbers = {model: kind for kind, model in kinds.items()}
    known = [key for key in keys if key[0] in numbers]
    rows: dict[ObjectKey, int] = {}
    for chunk in chunk_values(known):
        of_kind: defaultdict[int, list[str]] = defaultdict(list)
        for model, object_id in chunk:
            of_kind[numbers[model]].append(object_id)
        rows |= {
            (kinds[kind], key): cluster
            for kind, key, cluster in load_cluster_members(using, of_kind, list(kinds))
        }
    return rows

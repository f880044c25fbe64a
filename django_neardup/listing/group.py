"""Groups made from a list of posts: one entry for each cluster, with visible posts only."""

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

from ..db.queries import clusters as cluster_queries
from ..pipeline.availability import is_active
from ..pipeline.content_objects import content_type_of
from ..visibility import (
    ObjectKey,
    Querysets,
    VisibilityFilter,
    chunk_values,
    object_keys,
    write_database,
)

MAX_OTHERS = 20
"""Maximum number of other members that are fetched for a group. ``count`` includes all of them."""

PLAIN_ID = re.compile(r"[A-Za-z0-9_\-]+")
"""Ids that need no escaping in an address."""

SAMPLE_ID = "0-sample-0"


class Group:
    """An entry of a grouped list: one object and the other members of its cluster.

    ``object`` is the first of its cluster in the caller's order. ``count``: number of other members in the
    caller's queryset, 0 if the object has no cluster.
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
        """The first 20 other members: members in the caller's list first, then in the queryset's order."""
        return self._loader.load(self._keys) if self._loader is not None else []

    @property
    def label(self) -> str:
        """A short link text for the others. Empty if there are none."""
        if not self.count:
            return ""
        return ngettext("+ %(count)d similar", "+ %(count)d similar", self.count) % {"count": self.count}

    @cached_property
    def url(self) -> str:
        """The page that lists them. Empty if there are none or if the app's URLs are not included."""
        if not self.count or self._loader is None:
            return ""
        return self._loader.page_urls.url_for(self._key)


class GroupLoader:
    """A loader that fetches the other members of all groups of a list at the first access to one of them."""

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
    """The addresses of the similar pages of objects."""

    def __init__(self) -> None:
        self._affixes_by_model: dict[type[Model], tuple[str, str]] = {}

    def url_for(self, key: ObjectKey) -> str:
        """Return the address of an object's similar page. Return "" if the app's URLs are not included."""
        model, object_id = key
        if not PLAIN_ID.fullmatch(object_id):
            return _reverse_url(model, object_id)
        # Resolving a URL is slow, so it is done once for each model.
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
    """The clusters of some objects of one database.

    ``visible_keys``: visible objects and members, in order.
    """

    cluster_by_key: dict[ObjectKey, int]
    visible_keys: dict[ObjectKey, None]
    members_by_cluster: dict[int, list[ObjectKey]]

    def others(self, key: ObjectKey) -> list[ObjectKey]:
        """Return the other visible members of an object's cluster."""
        members = self.members_by_cluster.get(self.cluster_by_key.get(key, 0), [])
        return [member for member in members if member != key]


def group(objects: Iterable[Model], visible: Querysets) -> list[Group]:
    """Return one entry for each cluster of a list of objects, in the order of the list.

    ``objects``: instances, possibly of several models. If a model is not registered or ``visible`` does not
    cover it, each of its objects is an entry with no other members. ``visible``: the queryset of all posts
    that the visitor may see, or several, one for each model. Objects outside it are neither shown nor
    counted, even if they are in the list. Unsaved objects are treated the same way.

    The number of queries does not grow with the list. Raise ``TypeError`` if an argument has another type.
    """
    visibility = VisibilityFilter(visible)
    instances = list(objects)
    rows = [
        row
        for row in zip(instances, object_keys(instances), _database_aliases(instances), strict=True)
        if row[0].pk is not None or not visibility.covers(row[1])
    ]
    by_alias: defaultdict[str, dict[ObjectKey, Model]] = defaultdict(dict)
    for instance, key, alias in rows:
        by_alias[alias].setdefault(key, instance)
    builders = {
        alias: _GroupBuilder(visibility, alias, objects_by_key) for alias, objects_by_key in by_alias.items()
    }
    groups = (builders[alias].build_group(instance, key) for instance, key, alias in rows)
    return [entry for entry in groups if entry is not None]


def _database_aliases(instances: Sequence[Model]) -> list[str]:
    """Return the alias for the queries about each object.

    If several aliases lead to one database, it is the first alias among the objects.
    """
    aliases = [instance._state.db or DEFAULT_DB_ALIAS for instance in instances]
    if len(set(aliases)) < 2:
        return aliases
    alias_by_database: dict[str, str] = {}
    return [
        alias_by_database.setdefault(write_database(instance), alias)
        for instance, alias in zip(instances, aliases, strict=True)
    ]


class _GroupBuilder:
    """A builder for the groups of a list's objects from one database."""

    def __init__(self, visible: VisibilityFilter, using: str, objects: dict[ObjectKey, Model]) -> None:
        self._visible = visible
        self._neighbours = find_cluster_neighbours(list(objects), visible, using)
        self._positions = {key: position for position, key in enumerate(objects)}
        self._loader = GroupLoader(
            visible, using, {key: objects[key] for key in objects if key in self._neighbours.visible_keys}
        )
        self._shown_clusters: set[int] = set()

    def build_group(self, instance: Model, key: ObjectKey) -> Group | None:
        """Return the object's entry.

        Return None if it is hidden or another member already represents its cluster.
        """
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
        """Sort the other members: members in the list come first."""
        last_position = len(self._positions)
        return (
            sorted(others, key=lambda other: self._positions.get(other, last_position))
            if len(others) > 1
            else others
        )


def find_cluster_neighbours(
    keys: Sequence[ObjectKey], visible: VisibilityFilter, using: str
) -> ClusterNeighbours:
    """Return the clusters of the objects with their visible members.

    This takes one query, and one for each visible model.
    """
    cluster_by_member = _load_clusters(keys, visible.registered_models, using)
    cluster_of = {key: cluster_by_member[key] for key in keys if key in cluster_by_member}
    visible_keys = visible.visible_keys([*cluster_by_member, *keys], using)
    members_by_cluster: defaultdict[int, list[ObjectKey]] = defaultdict(list)
    for key in visible_keys:
        if (cluster := cluster_by_member.get(key)) is not None:
            members_by_cluster[cluster].append(key)
    return ClusterNeighbours(cluster_of, visible_keys, dict(members_by_cluster))


def _load_clusters(
    keys: Iterable[ObjectKey], models: Iterable[type[Model]], using: str
) -> dict[ObjectKey, int]:
    """Return all members of the objects' clusters with their cluster ids.

    Only members of the given models are returned, in static order. Nothing is returned if the app is not active.
    """
    models = list(models)
    # A database without registered posts does not need our tables.
    if not models or not is_active(using):
        return {}
    model_by_content_type = {content_type_of(model, using).pk: model for model in models}
    content_type_by_model = {
        model: content_type_id for content_type_id, model in model_by_content_type.items()
    }
    known_keys = [key for key in keys if key[0] in content_type_by_model]
    cluster_by_key: dict[ObjectKey, int] = {}
    for chunk in chunk_values(known_keys):
        ids_by_content_type: defaultdict[int, list[str]] = defaultdict(list)
        for model, object_id in chunk:
            ids_by_content_type[content_type_by_model[model]].append(object_id)
        cluster_by_key |= {
            (model_by_content_type[content_type_id], key): cluster
            for content_type_id, key, cluster in cluster_queries.members_with_objects(
                using, ids_by_content_type, list(model_by_content_type)
            )
        }
    return cluster_by_key

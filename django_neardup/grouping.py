"""Lists without repetitions: one entry a cluster, and nothing in it that the caller does not let be seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model
from django.urls import NoReverseMatch, reverse
from django.utils.translation import ngettext

from .models import Document, Membership
from .pipeline.objects import content_type_of
from .visible import Key, Querysets, Visible, in_chunks, key_of

OTHERS = 20
"""How many other members of a group are fetched; ``count`` knows them all."""


class Group:
    """An entry of a grouped list: ``object``, its cluster's first in the caller's order, and those behind it.

    ``count``: how many other members the caller's queryset holds; 0 for an object that stands alone.
    """

    def __init__(self, instance: Model, keys: Sequence[Key] = (), loader: Loader | None = None) -> None:
        self.object = instance
        self.count = len(keys)
        self._keys = keys[:OTHERS]
        self._loader = loader
        if loader is not None:
            loader.expect(self._keys)

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
        return similar_url(self.object) if self.count else ""


class Loader:
    """Fetches the other members of every group of a list at the first one that is asked for."""

    def __init__(self, visible: Visible, using: str, known: dict[Key, Model]) -> None:
        self._visible, self._using = visible, using
        self._found = dict(known)
        self._wanted: set[Key] = set()

    def expect(self, keys: Iterable[Key]) -> None:
        self._wanted.update(key for key in keys if key not in self._found)

    def load(self, keys: Iterable[Key]) -> list[Model]:
        if self._wanted:
            self._found |= self._visible.fetch(self._wanted, self._using)
            self._wanted.clear()
        return [self._found[key] for key in keys if key in self._found]


@dataclass(frozen=True)
class Neighbours:
    """Clusters of some objects of one database. ``held``: objects and members that may be seen, in order."""

    cluster_of: dict[Key, int]
    held: dict[Key, None]
    members: dict[int, list[Key]]

    def others(self, key: Key) -> list[Key]:
        """The members beside that one that may be seen."""
        members = self.members.get(self.cluster_of.get(key, 0), [])
        return [member for member in members if member != key]


def group(objects: Iterable[Model], visible: Querysets) -> list[Group]:
    """One entry for every cluster of a ready list, in its order; queries do not grow with the list.

    ``objects``: instances, of several models if need be; those of models that are not registered, or that
    ``visible`` does not speak of, stand alone. ``visible``: the queryset of all that this visitor may see, or
    several, one for each model. What it does not hold is neither shown nor counted, even where it stands in
    the list. ``TypeError`` for anything else.
    """
    allowed = Visible(visible)
    instances = list(objects)
    keys = [key_of(instance) for instance in instances]
    by_alias: defaultdict[str, dict[Key, Model]] = defaultdict(dict)
    for instance, key in zip(instances, keys, strict=True):
        by_alias[_alias(instance)].setdefault(key, instance)
    found = {alias: _Listed(allowed, alias, known) for alias, known in by_alias.items()}
    groups = (found[_alias(each)].entry(each, key) for each, key in zip(instances, keys, strict=True))
    return [entry for entry in groups if entry is not None]


class _Listed:
    """The objects of a list that come from one database."""

    def __init__(self, allowed: Visible, using: str, known: dict[Key, Model]) -> None:
        self._allowed = allowed
        self._near = neighbours(list(known), allowed, using)
        self._place = {key: place for place, key in enumerate(known)}
        self._loader = Loader(allowed, using, {key: known[key] for key in known if key in self._near.held})
        self._shown: set[int] = set()

    def entry(self, instance: Model, key: Key) -> Group | None:
        """The object's entry; None where it may not be seen or another member has stood for it."""
        if not self._allowed.covers(key):
            return Group(instance)
        if key not in self._near.held:
            return None
        cluster = self._near.cluster_of.get(key)
        if cluster is None:
            return Group(instance)
        if cluster in self._shown:
            return None
        self._shown.add(cluster)
        last = len(self._place)
        others = sorted(self._near.others(key), key=lambda other: self._place.get(other, last))
        return Group(instance, others, self._loader)


def neighbours(keys: Sequence[Key], visible: Visible, using: str) -> Neighbours:
    """Clusters of those objects, as far as they may be seen: a query, and two a model of ``visible``."""
    kinds = {content_type_of(model, using).pk: model for model in visible.registered}
    cluster_of = _clusters(keys, kinds, using)
    members = _members(sorted(set(cluster_of.values())), kinds, using)
    held = visible.held([*members, *keys], using)
    seen: defaultdict[int, list[Key]] = defaultdict(list)
    for key in held:
        if key in members:
            seen[members[key]].append(key)
    return Neighbours(cluster_of, held, dict(seen))


def similar_url(instance: Model) -> str:
    """The address of the page of an object's cluster; empty where our URLs are not included."""
    model, object_id = key_of(instance)
    try:
        return reverse("neardup:similar", args=[model._meta.label_lower, object_id])
    except NoReverseMatch:
        return ""


def _alias(instance: Model) -> str:
    return instance._state.db or DEFAULT_DB_ALIAS


def _clusters(keys: Iterable[Key], kinds: dict[int, type[Model]], using: str) -> dict[Key, int]:
    of_model: defaultdict[type[Model], list[str]] = defaultdict(list)
    for model, object_id in keys:
        of_model[model].append(object_id)
    return {
        (model, object_id): cluster
        for kind, model in kinds.items()
        for chunk in in_chunks(of_model[model])
        for object_id, cluster in Membership.objects.using(using)
        .filter(document__content_type=kind, document__object_id__in=chunk)
        .values_list("document__object_id", "cluster_id")
    }


def _members(clusters: Sequence[int], kinds: dict[int, type[Model]], using: str) -> dict[Key, int]:
    """The members, of those models, of those clusters, in static order."""
    rows: list[tuple[Any, ...]] = []
    for chunk in in_chunks(clusters):
        documents = Document.objects.using(using).filter(
            membership__cluster__in=chunk, content_type__in=kinds
        )
        ordered = documents.order_by("-live", "first_seen", "pk")
        rows += ordered.values_list("content_type_id", "object_id", "membership__cluster_id")
    return {(kinds[kind], object_id): cluster for kind, object_id, cluster in rows}

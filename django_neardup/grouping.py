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

from .beside import beside
from .pipeline.objects import content_type_of
from .visible import Key, Querysets, Visible, home_of, in_chunks, keys_of

OTHERS = 20
"""How many other members of a group are fetched; ``count`` knows them all."""

PLAIN_ID = re.compile(r"[A-Za-z0-9_\-]+")
"""Ids that stand in an address as they are."""

SAMPLE_ID = "0-sample-0"


class Group:
    """An entry of a grouped list: ``object``, its cluster's first in the caller's order, and those behind it.

    ``count``: how many other members the caller's queryset holds; 0 for an object that stands alone.
    """

    def __init__(
        self, instance: Model, key: Key, keys: Sequence[Key] = (), loader: Loader | None = None
    ) -> None:
        self.object = instance
        self._key = key
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
        if not self.count or self._loader is None:
            return ""
        return self._loader.addresses.of(self._key)


class Loader:
    """Fetches the other members of every group of a list at the first one that is asked for."""

    def __init__(self, visible: Visible, using: str, known: dict[Key, Model]) -> None:
        self._visible, self._using = visible, using
        self._found = dict(known)
        self._wanted: set[Key] = set()
        self.addresses = Addresses()

    def expect(self, keys: Iterable[Key]) -> None:
        self._wanted.update(key for key in keys if key not in self._found)

    def load(self, keys: Iterable[Key]) -> list[Model]:
        if self._wanted:
            self._found |= self._visible.fetch(self._wanted, self._using)
            self._wanted.clear()
        return [self._found[key] for key in keys if key in self._found]


class Addresses:
    """The addresses of the pages of objects' clusters; one is looked up a model, for that is what takes time."""

    def __init__(self) -> None:
        self._of_model: dict[type[Model], tuple[str, str]] = {}

    def of(self, key: Key) -> str:
        """The address of the page of an object's cluster; empty where our URLs are not included."""
        model, object_id = key
        if not PLAIN_ID.fullmatch(object_id):
            return _address(model, object_id)
        if model not in self._of_model:
            before, _, after = _address(model, SAMPLE_ID).rpartition(SAMPLE_ID)
            self._of_model[model] = before, after
        before, after = self._of_model[model]
        return f"{before}{object_id}{after}" if before else ""


def _address(model: type[Model], object_id: str) -> str:
    try:
        return reverse("neardup:similar", args=[model._meta.label_lower, object_id])
    except NoReverseMatch:
        return ""


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
    the list; nor is what is not saved. ``TypeError`` for anything else.
    """
    allowed = Visible(visible)
    instances = list(objects)
    rows = [
        row
        for row in zip(instances, keys_of(instances), _aliases(instances), strict=True)
        if row[0].pk is not None or not allowed.covers(row[1])
    ]
    by_alias: defaultdict[str, dict[Key, Model]] = defaultdict(dict)
    for instance, key, alias in rows:
        by_alias[alias].setdefault(key, instance)
    found = {alias: _Listed(allowed, alias, known) for alias, known in by_alias.items()}
    groups = (found[alias].entry(instance, key) for instance, key, alias in rows)
    return [entry for entry in groups if entry is not None]


def _aliases(instances: Sequence[Model]) -> list[str]:
    """By which alias each object is asked about: the first that was read by, of those that have one home."""
    aliases = [instance._state.db or DEFAULT_DB_ALIAS for instance in instances]
    if len(set(aliases)) < 2:
        return aliases
    first: dict[str, str] = {}
    return [first.setdefault(home_of(each), alias) for each, alias in zip(instances, aliases, strict=True)]


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
        if key not in self._near.held:
            return None if self._allowed.covers(key) else Group(instance, key)
        cluster = self._near.cluster_of.get(key)
        if cluster is None:
            return Group(instance, key)
        if cluster in self._shown:
            return None
        self._shown.add(cluster)
        return Group(instance, key, self._in_order(self._near.others(key)), self._loader)

    def _in_order(self, others: list[Key]) -> list[Key]:
        """Those of the list first."""
        last = len(self._place)
        return sorted(others, key=lambda other: self._place.get(other, last)) if len(others) > 1 else others


def neighbours(keys: Sequence[Key], visible: Visible, using: str) -> Neighbours:
    """Clusters of those objects, as far as they may be seen: a query, and one a model of ``visible``."""
    members = _members(keys, visible.registered, using)
    cluster_of = {key: members[key] for key in keys if key in members}
    held = visible.held([*members, *keys], using)
    seen: defaultdict[int, list[Key]] = defaultdict(list)
    for key in held:
        if (cluster := members.get(key)) is not None:
            seen[cluster].append(key)
    return Neighbours(cluster_of, held, dict(seen))


def _members(keys: Iterable[Key], models: Iterable[type[Model]], using: str) -> dict[Key, int]:
    """All members, of those models, of the clusters of those objects, in static order."""
    kinds = {content_type_of(model, using).pk: model for model in models}
    numbers = {model: kind for kind, model in kinds.items()}
    known = [key for key in keys if key[0] in numbers]
    rows: dict[Key, int] = {}
    for chunk in in_chunks(known):
        of_kind: defaultdict[int, list[str]] = defaultdict(list)
        for model, object_id in chunk:
            of_kind[numbers[model]].append(object_id)
        rows |= {(kinds[kind], key): cluster for kind, key, cluster in beside(using, of_kind, list(kinds))}
    return rows

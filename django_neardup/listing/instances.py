"""The rows of a collapsed queryset: instances with a lazy group."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.query import BaseIterable

from ..visibility import VisibilityFilter, object_keys
from .collapse_query import shown_keys_of_slice, uncollapse
from .group import Group, GroupLoader, find_cluster_neighbours

BATCH_SIZE = 1000
"""Number of rows whose groups are loaded together."""

LAZY_ATTRIBUTES = frozenset({"count", "_key", "_keys", "_loader"})


class LazyGroup(Group):
    """A group that is read together with all groups of its batch, at the first access to any of them."""

    def __init__(self, instance: Model, read: Callable[[], None]) -> None:
        self.object = instance
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name not in LAZY_ATTRIBUTES or "_read" not in self.__dict__:
            raise AttributeError(name)
        self._read()
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """Return the loaded group, so that copies and pickles run no queries."""
        return {"object": self.object, "count": self.count, "others": self.others, "url": self.url}


class InstanceBatch:
    """Instances that were fetched together. Two queries load the groups of all of them."""

    def __init__(self, instances: Sequence[Any], visible: VisibilityFilter, using: str) -> None:
        self._visible, self._using = visible, using
        self._groups = [LazyGroup(instance, self.load_groups) for instance in instances]
        for instance, entry in zip(instances, self._groups, strict=True):
            instance.neardup = entry

    def load_groups(self) -> None:
        keys = object_keys(entry.object for entry in self._groups)
        neighbours = find_cluster_neighbours(keys, self._visible, self._using)
        loader = GroupLoader(self._visible, self._using, {})
        for key, entry in zip(keys, self._groups, strict=True):
            Group.__init__(entry, entry.object, key, neighbours.others(key), loader)


class _GroupIterable(BaseIterable):  # type: ignore[type-arg]
    """An iterable over the rows of a queryset's own iterable, with a group added to each instance."""

    base: type[BaseIterable[Any]]

    def __iter__(self) -> Iterator[Any]:
        queryset: Any = self.queryset
        rows, size = (
            self._iterate_rows(queryset),
            min(self.chunk_size, BATCH_SIZE) if self.chunked_fetch else BATCH_SIZE,
        )
        while batch := list(islice(rows, size)):
            InstanceBatch(batch, queryset.query.collapse.visible, queryset.db)
            yield from batch

    def _iterate_rows(self, queryset: QuerySet[Any]) -> Iterator[Any]:
        keys = shown_keys_of_slice(queryset)
        if keys is None:
            iterable: Any = self.base(queryset, self.chunked_fetch, self.chunk_size)
            yield from iterable
            return
        yield from _fetch_in_order(uncollapse(queryset), keys)


def _fetch_in_order(rows: QuerySet[Any], keys: list[Any]) -> Iterator[Any]:
    """Yield the rows with these keys, in the order of the keys."""
    # The caller's queryset prefetches. Here it would happen a second time.
    rows = rows.prefetch_related(None)
    rows.query.clear_limits()
    rows.query.clear_ordering(force=True)
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        instance_by_key = {instance.pk: instance for instance in rows.filter(pk__in=batch)}
        yield from (instance_by_key[key] for key in batch if key in instance_by_key)


class _PicklableType(type):
    """The type of classes that are created at run time and have no module-level name.

    A pickle stores the arguments that create the class.
    """

    base: type[BaseIterable[Any]]


@cache
def group_iterable(base: type[BaseIterable[Any]]) -> type[BaseIterable[Any]]:
    """Return an iterable class that adds a group to each instance of ``base``."""
    iterable_class: Any = _PicklableType("Entries", (_GroupIterable, base), {"base": base})
    result: type[BaseIterable[Any]] = iterable_class
    return result


def _reduce_iterable(iterable_class: _PicklableType) -> Any:
    return group_iterable, (iterable_class.base,)


copyreg.pickle(_PicklableType, _reduce_iterable)

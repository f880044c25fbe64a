"""Rows of a collapsed queryset: instances that know, once they are asked, what is behind them."""

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
"""Rows whose numbers are read at once."""

LAZY_ATTRIBUTES = frozenset({"count", "_key", "_keys", "_loader"})


class LazyGroup(Group):
    """A group whose numbers are read when the first of its page is asked for one."""

    def __init__(self, instance: Model, read: Callable[[], None]) -> None:
        self.object = instance
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name not in LAZY_ATTRIBUTES or "_read" not in self.__dict__:
            raise AttributeError(name)
        self._read()
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold what is known of the group, and ask nothing more."""
        return {"object": self.object, "count": self.count, "others": self.others, "url": self.url}


class InstanceBatch:
    """Instances fetched together; two queries tell what is behind all of them."""

    def __init__(self, instances: Sequence[Any], visible: VisibilityFilter, using: str) -> None:
        self._visible, self._using = visible, using
        self._groups = [LazyGroup(instance, self.load_groups) for instance in instances]
        for instance, entry in zip(instances, self._groups, strict=True):
            instance.neardup = entry

    def load_groups(self) -> None:
        keys = object_keys(entry.object for entry in self._groups)
        near = find_cluster_neighbours(keys, self._visible, self._using)
        loader = GroupLoader(self._visible, self._using, {})
        for key, entry in zip(keys, self._groups, strict=True):
            Group.__init__(entry, entry.object, key, near.others(key), loader)


class _GroupIterable(BaseIterable):  # type: ignore[type-arg]
    """What a queryset's own iterable gives, an entry added to each instance."""

    base: type[BaseIterable[Any]]

    def __iter__(self) -> Iterator[Any]:
        queryset: Any = self.queryset
        rows, size = (
            self._iterate_rows(queryset),
            min(self.chunk_size, BATCH_SIZE) if self.chunked_fetch else BATCH_SIZE,
        )
        while part := list(islice(rows, size)):
            InstanceBatch(part, queryset.query.collapse.visible, queryset.db)
            yield from part

    def _iterate_rows(self, queryset: QuerySet[Any]) -> Iterator[Any]:
        keys = shown_keys_of_slice(queryset)
        if keys is None:
            given: Any = self.base(queryset, self.chunked_fetch, self.chunk_size)
            yield from given
            return
        yield from _fetch_in_order(uncollapse(queryset), keys)


def _fetch_in_order(rows: QuerySet[Any], keys: list[Any]) -> Iterator[Any]:
    """The rows of those keys, in their order; who asks prefetches."""
    rows = rows.prefetch_related(None)
    rows.query.clear_limits()
    rows.query.clear_ordering(force=True)
    for start in range(0, len(keys), BATCH_SIZE):
        wanted = keys[start : start + BATCH_SIZE]
        found = {instance.pk: instance for instance in rows.filter(pk__in=wanted)}
        yield from (found[key] for key in wanted if key in found)


class _PicklableType(type):
    """Of classes that no module holds by a name: pickles hold what they were made of."""

    base: type[BaseIterable[Any]]


@cache
def group_iterable(base: type[BaseIterable[Any]]) -> type[BaseIterable[Any]]:
    """An iterable of what ``base`` gives, each with its entry."""
    made: Any = _PicklableType("Entries", (_GroupIterable, base), {"base": base})
    entries: type[BaseIterable[Any]] = made
    return entries


def _reduce_iterable(iterable_class: _PicklableType) -> Any:
    return group_iterable, (iterable_class.base,)


copyreg.pickle(_PicklableType, _reduce_iterable)

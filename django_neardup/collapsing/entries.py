"""Rows of a collapsed queryset: instances that know, once they are asked, what is behind them."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.query import BaseIterable

from ..grouping import Group, Loader, neighbours
from ..visible import Visible, keys_of
from .query import first_keys, plain

BATCH = 1000
"""Rows whose numbers are read at once."""

LATE = frozenset({"count", "_key", "_keys", "_loader"})


class Entry(Group):
    """A group whose numbers are read when the first of its page is asked for one."""

    def __init__(self, instance: Model, read: Callable[[], None]) -> None:
        self.object = instance
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name not in LATE or "_read" not in self.__dict__:
            raise AttributeError(name)
        self._read()
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold what is known of the group, and ask nothing more."""
        return {"object": self.object, "count": self.count, "others": self.others, "url": self.url}


class Batch:
    """Instances fetched together; two queries tell what is behind all of them."""

    def __init__(self, instances: Sequence[Any], visible: Visible, using: str) -> None:
        self._visible, self._using = visible, using
        self._entries = [Entry(instance, self.read) for instance in instances]
        for instance, entry in zip(instances, self._entries, strict=True):
            instance.neardup = entry

    def read(self) -> None:
        keys = keys_of(entry.object for entry in self._entries)
        near = neighbours(keys, self._visible, self._using)
        loader = Loader(self._visible, self._using, {})
        for key, entry in zip(keys, self._entries, strict=True):
            Group.__init__(entry, entry.object, key, near.others(key), loader)


class _Entries(BaseIterable):  # type: ignore[type-arg]
    """What a queryset's own iterable gives, an entry added to each instance."""

    base: type[BaseIterable[Any]]

    def __iter__(self) -> Iterator[Any]:
        queryset: Any = self.queryset
        rows, size = self._rows(queryset), min(self.chunk_size, BATCH) if self.chunked_fetch else BATCH
        while part := list(islice(rows, size)):
            Batch(part, queryset.query.collapse.visible, queryset.db)
            yield from part

    def _rows(self, queryset: QuerySet[Any]) -> Iterator[Any]:
        keys = first_keys(queryset)
        if keys is None:
            given: Any = self.base(queryset, self.chunked_fetch, self.chunk_size)
            yield from given
            return
        yield from _fetched(plain(queryset), keys)


def _fetched(rows: QuerySet[Any], keys: list[Any]) -> Iterator[Any]:
    """The rows of those keys, in their order; who asks prefetches."""
    rows = rows.prefetch_related(None)
    rows.query.clear_limits()
    rows.query.clear_ordering(force=True)
    for start in range(0, len(keys), BATCH):
        wanted = keys[start : start + BATCH]
        found = {instance.pk: instance for instance in rows.filter(pk__in=wanted)}
        yield from (found[key] for key in wanted if key in found)


class _Made(type):
    """Of classes that no module holds by a name: pickles hold what they were made of."""

    base: type[BaseIterable[Any]]


@cache
def entries_of(base: type[BaseIterable[Any]]) -> type[BaseIterable[Any]]:
    """An iterable of what ``base`` gives, each with its entry."""
    made: Any = _Made("Entries", (_Entries, base), {"base": base})
    entries: type[BaseIterable[Any]] = made
    return entries


def _pickled(made: _Made) -> Any:
    return entries_of, (made.base,)


copyreg.pickle(_Made, _pickled)

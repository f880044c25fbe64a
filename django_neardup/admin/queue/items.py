"""What waits for a person as one list: filtered, counted, sorted, in pages that begin after an item.

An item that is decided leaves the list, so pages are not numbered: each begins after the last item of the one before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import BigIntegerField, Case, F, IntegerField, QuerySet, Value, When
from django.db.models.functions import Cast
from django.utils import timezone

from ...models import Cluster, Pair, Verdict
from .filters import Filter, filters, narrowed, with_age
from .waiting import offered, open_clusters

PER_PAGE = 50
SORTED = ("-worth", "since", "kind", "number")
PLACE = len(SORTED)
"""Columns of a row that are its place."""
AGAIN = 10**12
"""What a reopened item is worth above all others: more than a number of 32 bits, for which Django takes a ``Value``."""


class Item(NamedTuple):
    """A place in the list: what it is worth, since when it waits, and the cluster (kind 0) or pair (kind 1)."""

    worth: int
    since: datetime
    kind: int
    number: int

    @property
    def key(self) -> str:
        return f"{'cp'[self.kind]}{self.number}"

    @property
    def rank(self) -> tuple[int, datetime, int, int]:
        """By which the list ascends."""
        return -self.worth, self.since, self.kind, self.number

    @property
    def cursor(self) -> str:
        """The place in an address."""
        return f"{self.worth}_{self.since.isoformat()}_{self.kind}_{self.number}"


def moment(text: str) -> datetime:
    """The time that an address names, such as the tables hold; ValueError for what is none."""
    found = datetime.fromisoformat(text)
    if timezone.is_aware(found) is not settings.USE_TZ or not 1 < found.year < 9999:
        raise ValueError(text)
    return found


def place(cursor: str) -> Item | None:
    """The place that an address names; None for what is none."""
    try:
        worth, since, kind, number = cursor.split("_")
        found = Item(int(worth), moment(since), int(kind), int(number))
    except ValueError:
        return None
    return found if found.kind in (0, 1) and max(abs(found.worth), abs(found.number)) < 2**62 else None


def _whole(expression: Any) -> Any:
    return Cast(expression, BigIntegerField())


def _sure(column: str) -> Any:
    """How sure a verdict is, in thousandths."""
    return Case(
        When(exact=True, then=Value(1000)), default=_whole(F(column) * 1000), output_field=BigIntegerField()
    )


def _first(kind: type) -> Any:
    """What is worth deciding first.

    Reopened items before all others. Then the posts that a decision disposes of, each counted by how sure the verdict
    is, in thousandths: ``(size - 1) * lowest score``, exact copies as 1000. A pair disposes of one post; one that is no
    duplicate counts half, since most of them are left as they are. Among equals the older comes first.
    """
    if kind is Cluster:
        worth = (_whole(F("size")) - 1) * _sure("lowest")
    else:
        worth = Case(
            When(verdict=Verdict.DUPLICATE, then=_sure("score")),
            default=_whole(_sure("score") / 2),
            output_field=BigIntegerField(),
        )
    again = Case(
        When(decided__isnull=False, then=Value(AGAIN, BigIntegerField())),
        default=Value(0),
        output_field=BigIntegerField(),
    )
    return again + worth


ORDERS: Mapping[str, Any] = {
    "first": _first,
    "score": lambda kind: _whole(F("lowest" if kind is Cluster else "score") * 1_000_000),
    "size": lambda kind: _whole(F("size")) if kind is Cluster else Value(2, BigIntegerField()),
    "age": lambda kind: Value(0, BigIntegerField()),
}
"""By what the list may be sorted: the greatest first, among equals the older first."""


@dataclass(frozen=True)
class Shelf:
    """A page of the list: its items, where it stands, and what comes before and after."""

    items: Sequence[Item]
    total: int
    before: int
    previous: str
    next: str

    @property
    def first(self) -> int:
        return self.before + 1

    @property
    def last(self) -> int:
        return self.before + len(self.items)


class Waiting:
    """The list for one request: one statement reads the place and the values of all that waits, in order; counts and
    pages are cut from it, so that they cannot disagree.

    ``chosen`` are the values of filters, by name; ``documents`` narrow it to those clusters and pairs in which one of
    them takes part.
    """

    def __init__(
        self,
        using: str,
        chosen: Mapping[str, str],
        order: str = "first",
        documents: QuerySet[Any] | None = None,
    ) -> None:
        self.using, self.documents = using, documents
        self.filters: list[Filter] = filters(using)
        names = {each.name for each in self.filters}
        self.chosen = {name: value for name, value in chosen.items() if name in names and value}
        self.order = order if order in ORDERS else "first"

    @cached_property
    def rows(self) -> list[tuple[Any, ...]]:
        """All that waits, whatever is chosen: the place, then the value of each filter."""
        clusters = self._rows(open_clusters(Cluster.objects.using(self.using)), 0)
        pairs = self._rows(offered(Pair.objects.using(self.using)), 1)
        return list(clusters.union(pairs, all=True).order_by(*SORTED))

    @cached_property
    def items(self) -> list[Item]:
        """What the list holds as it is filtered."""
        spots = self._spots(self.chosen)
        return [Item(*row[:PLACE]) for row in self.rows if all(row[spot] == value for spot, value in spots)]

    def count(self, chosen: Mapping[str, str]) -> int:
        """How many items have all those values."""
        return sum(self._matching(chosen).values())

    @property
    def total(self) -> int:
        """How many items the list has."""
        return len(self.items)

    def kinds(self) -> tuple[int, int]:
        """How many of the items are clusters, and how many pairs."""
        pairs = sum(item.kind for item in self.items)
        return self.total - pairs, pairs

    def counts(self, each: Filter) -> Counter[str]:
        """How many items there are for each value of a filter, the other filters as they are chosen."""
        others = {name: value for name, value in self.chosen.items() if name != each.name}
        spot = self.filters.index(each)
        found: Counter[str] = Counter()
        for values, count in self._matching(others).items():
            found[values[spot]] += count
        return found

    def shelf(self, after: Item | None = None, before: Item | None = None) -> Shelf:
        """The page after or before a place; the first one where there is neither, the last one past the end."""
        start = 0
        if after is not None:
            start = bisect_right(self.items, after.rank, key=lambda item: item.rank)
        elif before is not None:
            start = bisect_left(self.items, before.rank, key=lambda item: item.rank) - PER_PAGE
        start = max(
            0, min(start, self.total - 1 - (self.total - 1) % PER_PAGE if start >= self.total else start)
        )
        items = self.items[start : start + PER_PAGE]
        more = start + PER_PAGE < self.total
        return Shelf(
            items,
            self.total,
            start,
            previous=items[0].cursor if start else "",
            next=items[-1].cursor if more else "",
        )

    @cached_property
    def _cube(self) -> Counter[tuple[str, ...]]:
        """How many items there are of every combination of values."""
        return Counter(row[PLACE:] for row in self.rows)

    def _matching(self, chosen: Mapping[str, str]) -> dict[tuple[str, ...], int]:
        spots = [(spot - PLACE, value) for spot, value in self._spots(chosen)]
        return {
            values: count
            for values, count in self._cube.items()
            if all(values[spot] == value for spot, value in spots)
        }

    def _spots(self, chosen: Mapping[str, str]) -> list[tuple[int, str]]:
        """Where in a row the chosen values stand."""
        return [
            (spot, chosen[each.name]) for spot, each in enumerate(self.filters, PLACE) if each.name in chosen
        ]

    def _rows(self, queryset: QuerySet[Any], kind: int) -> QuerySet[Any, Any]:
        values = {each.column: each.pair if kind else each.cluster for each in self.filters}
        rows = with_age(narrowed(queryset, self.documents)).annotate(
            worth=ORDERS[self.order](queryset.model),
            kind=Value(kind, IntegerField()),
            number=_whole(F("pk")),
            **values,
        )
        listed: QuerySet[Any, Any] = rows.order_by().values_list("worth", "since", "kind", "number", *values)
        return listed

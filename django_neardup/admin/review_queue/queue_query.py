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
from django.http import HttpRequest
from django.utils import timezone

from ...models import Cluster, Document, Pair, Verdict
from ..decision_request import LISTS_WITH_VALUE
from .open_items import open_clusters, open_pairs
from .queue_filters import QueueFilter, annotate_waiting_time, build_filters, filter_by_documents
from .search import search_documents

ITEMS_PER_PAGE = 50
SORT_COLUMNS = ("-worth", "since", "kind", "number")
SORT_COLUMN_COUNT = len(SORT_COLUMNS)
"""Columns of a row that are its place."""
REOPENED_PRIORITY = 10**12
"""What a reopened item is worth above all others: more than a number of 32 bits, for which Django takes a ``Value``."""


class QueueItem(NamedTuple):
    """A place in the list: what it is worth, since when it waits, and the cluster (kind 0) or pair (kind 1)."""

    priority: int
    waiting_since: datetime
    kind: int
    pk: int

    @property
    def item_key(self) -> str:
        return f"{'cp'[self.kind]}{self.pk}"

    @property
    def sort_key(self) -> tuple[int, datetime, int, int]:
        """By which the list ascends."""
        return -self.priority, self.waiting_since, self.kind, self.pk

    @property
    def cursor(self) -> str:
        """The place in an address."""
        return f"{self.priority}_{self.waiting_since.isoformat()}_{self.kind}_{self.pk}"


def parse_stored_datetime(text: str) -> datetime:
    """The time that an address names, such as the tables hold; ValueError for what is none."""
    found = datetime.fromisoformat(text)
    if timezone.is_aware(found) is not settings.USE_TZ or not 1 < found.year < 9999:
        raise ValueError(text)
    return found


def parse_cursor(cursor: str) -> QueueItem | None:
    """The place that an address names; None for what is none."""
    try:
        worth, since, kind, number = cursor.split("_")
        found = QueueItem(int(worth), parse_stored_datetime(since), int(kind), int(number))
    except ValueError:
        return None
    return found if found.kind in (0, 1) and max(abs(found.priority), abs(found.pk)) < 2**62 else None


def _as_bigint(expression: Any) -> Any:
    return Cast(expression, BigIntegerField())


def _certainty_expression(column: str) -> Any:
    """How sure a verdict is, in thousandths."""
    return Case(
        When(exact=True, then=Value(1000)),
        default=_as_bigint(F(column) * 1000),
        output_field=BigIntegerField(),
    )


def _priority_expression(model: type) -> Any:
    """What is worth deciding first.

    Reopened items before all others. Then the posts that a decision disposes of, each counted by how sure the verdict
    is, in thousandths: ``(size - 1) * lowest score``, exact copies as 1000. A pair disposes of one post; one that is no
    duplicate counts half, since most of them are left as they are. Among equals the older comes first.
    """
    if model is Cluster:
        worth = (_as_bigint(F("size")) - 1) * _certainty_expression("lowest")
    else:
        worth = Case(
            When(verdict=Verdict.DUPLICATE, then=_certainty_expression("score")),
            default=_as_bigint(_certainty_expression("score") / 2),
            output_field=BigIntegerField(),
        )
    again = Case(
        When(decided__isnull=False, then=Value(REOPENED_PRIORITY, BigIntegerField())),
        default=Value(0),
        output_field=BigIntegerField(),
    )
    return again + worth


SORT_EXPRESSIONS: Mapping[str, Any] = {
    "first": _priority_expression,
    "score": lambda kind: _as_bigint(F("lowest" if kind is Cluster else "score") * 1_000_000),
    "size": lambda kind: _as_bigint(F("size")) if kind is Cluster else Value(2, BigIntegerField()),
    "age": lambda kind: Value(0, BigIntegerField()),
}
"""By what the list may be sorted: the greatest first, among equals the older first."""


@dataclass(frozen=True)
class QueueItemsPage:
    """A page of the list: its items, where it stands, and what comes before and after."""

    items: Sequence[QueueItem]
    total: int
    offset: int
    previous_cursor: str
    next_cursor: str

    @property
    def first_number(self) -> int:
        return self.offset + 1

    @property
    def last_number(self) -> int:
        return self.offset + len(self.items)


class QueueQuery:
    """The list for one request: one statement reads the place and the values of all that waits, in order; counts and
    pages are cut from it, so that they cannot disagree.

    ``selected_values`` are the values of filters, by name; ``documents`` narrow it to those clusters and pairs in
    which one of them takes part.
    """

    def __init__(
        self,
        using: str,
        selected_values: Mapping[str, str],
        order: str = "first",
        documents: QuerySet[Any] | None = None,
    ) -> None:
        self.using, self.documents = using, documents
        self.filters: list[QueueFilter] = build_filters(using)
        names = {each.name for each in self.filters}
        self.selected_values = {
            name: value for name, value in selected_values.items() if name in names and value
        }
        self.order = order if order in SORT_EXPRESSIONS else "first"

    @cached_property
    def all_rows(self) -> list[tuple[Any, ...]]:
        """All that waits, whatever is chosen: the place, then the value of each filter."""
        clusters = self._build_row_queryset(open_clusters(Cluster.objects.using(self.using)), 0)
        pairs = self._build_row_queryset(open_pairs(Pair.objects.using(self.using)), 1)
        return list(clusters.union(pairs, all=True).order_by(*SORT_COLUMNS))

    @cached_property
    def items(self) -> list[QueueItem]:
        """What the list holds as it is filtered."""
        spots = self._filter_columns(self.selected_values)
        return [
            QueueItem(*row[:SORT_COLUMN_COUNT])
            for row in self.all_rows
            if all(row[spot] == value for spot, value in spots)
        ]

    def count_with_values(self, selected_values: Mapping[str, str]) -> int:
        """How many items have all those values."""
        return sum(self._matching_combinations(selected_values).values())

    @property
    def total(self) -> int:
        """How many items the list has."""
        return len(self.items)

    def count_by_kind(self) -> tuple[int, int]:
        """How many of the items are clusters, and how many pairs."""
        pairs = sum(item.kind for item in self.items)
        return self.total - pairs, pairs

    def facet_counts(self, queue_filter: QueueFilter) -> Counter[str]:
        """How many items there are for each value of a filter, the other filters as they are chosen."""
        others = {name: value for name, value in self.selected_values.items() if name != queue_filter.name}
        spot = self.filters.index(queue_filter)
        found: Counter[str] = Counter()
        for values, count in self._matching_combinations(others).items():
            found[values[spot]] += count
        return found

    def get_page(self, after: QueueItem | None = None, before: QueueItem | None = None) -> QueueItemsPage:
        """The page after or before a place; the first one where there is neither, the last one past the end."""
        start = 0
        if after is not None:
            start = bisect_right(self.items, after.sort_key, key=lambda item: item.sort_key)
        elif before is not None:
            start = bisect_left(self.items, before.sort_key, key=lambda item: item.sort_key) - ITEMS_PER_PAGE
        start = max(
            0,
            min(start, self.total - 1 - (self.total - 1) % ITEMS_PER_PAGE if start >= self.total else start),
        )
        items = self.items[start : start + ITEMS_PER_PAGE]
        more = start + ITEMS_PER_PAGE < self.total
        return QueueItemsPage(
            items,
            self.total,
            start,
            previous_cursor=items[0].cursor if start else "",
            next_cursor=items[-1].cursor if more else "",
        )

    @cached_property
    def _combination_counts(self) -> Counter[tuple[str, ...]]:
        """How many items there are of every combination of values."""
        return Counter(row[SORT_COLUMN_COUNT:] for row in self.all_rows)

    def _matching_combinations(self, selected_values: Mapping[str, str]) -> dict[tuple[str, ...], int]:
        spots = [(spot - SORT_COLUMN_COUNT, value) for spot, value in self._filter_columns(selected_values)]
        return {
            values: count
            for values, count in self._combination_counts.items()
            if all(values[spot] == value for spot, value in spots)
        }

    def _filter_columns(self, selected_values: Mapping[str, str]) -> list[tuple[int, str]]:
        """Where in a row the chosen values stand."""
        return [
            (spot, selected_values[each.name])
            for spot, each in enumerate(self.filters, SORT_COLUMN_COUNT)
            if each.name in selected_values
        ]

    def _build_row_queryset(self, queryset: QuerySet[Any], kind: int) -> QuerySet[Any, Any]:
        values = {
            each.annotation_name: each.pair_expression if kind else each.cluster_expression
            for each in self.filters
        }
        rows = annotate_waiting_time(filter_by_documents(queryset, self.documents)).annotate(
            worth=SORT_EXPRESSIONS[self.order](queryset.model),
            kind=Value(kind, IntegerField()),
            number=_as_bigint(F("pk")),
            **values,
        )
        listed: QuerySet[Any, Any] = rows.order_by().values_list("worth", "since", "kind", "number", *values)
        return listed


def list_documents(list_name: str, using: str) -> QuerySet[Any] | None:
    """The documents that an author's or a contact's list is narrowed to; None for the whole queue."""
    kind, _colon, value = list_name.partition(":")
    if kind not in LISTS_WITH_VALUE:
        return None
    where: dict[str, Any] = {"author": value} if kind == "author" else {"contacts__hash": int(value)}
    return Document.objects.using(using).filter(**where).values("pk")


def build_queue_query(list_name: str, params: Any, request: HttpRequest, site: Any, using: str) -> QueueQuery:
    """A list of that name with what its address has chosen."""
    found, asked = list_documents(list_name, using), params.get("q", "").strip()
    if asked:
        documents = search_documents(asked, request, site, using)
        found = documents if found is None else documents.filter(pk__in=found)
    return QueueQuery(using, params, params.get("o", "first"), found)

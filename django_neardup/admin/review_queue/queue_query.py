"""The queue as one list: filtered, counted, sorted and split into pages.

A decided item leaves the list, so pages have no numbers: each begins after the last item of the previous
page.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import BigIntegerField, Case, F, IntegerField, QuerySet, Value, When
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils import timezone

from ...models import Cluster, Document, Pair, Verdict
from ..decision_groups import CLUSTER, ITEM_KINDS, PAIR
from .open_items import open_clusters, pairs_of_families, pairs_to_review
from .queue_filters import QueueFilter, annotate_waiting_time, build_filters, filter_by_documents
from .row_groups import OpenRow, QueueItem, join_rows
from .search import search_documents

ITEMS_PER_PAGE = 50
SORT_COLUMNS = ("-worth", "since", "kind", "number")
JOIN_COLUMNS = ("joins_family", "joins_a", "joins_b", "joins_leader_a", "joins_leader_b")
"""The columns after these: what the pair may be joined by. See ``OpenRow``."""
REOPENED_PRIORITY = 10**12
"""The priority that a reopened item gets in addition, above any other item."""


TO_REVIEW, FAMILIES = "review", "families"
"""The parts of the queue: what asks for a decision, and families of posts that are surely different items."""
MIN_FAMILY_PAIRS = {TO_REVIEW: 2, FAMILIES: 1}
"""Number of pairs of a family from which on it is one item. A single doubt is shown as a pair."""


def parse_stored_datetime(text: str) -> datetime:
    """Return the time that an address contains, aware if ``USE_TZ`` is on, otherwise naive.

    Raise ValueError if invalid.
    """
    parsed = datetime.fromisoformat(text)
    if timezone.is_aware(parsed) is not settings.USE_TZ or not 1 < parsed.year < 9999:
        raise ValueError(text)
    return parsed


def parse_cursor(cursor: str) -> QueueItem | None:
    """Return the position that an address contains. Return None if it is invalid."""
    try:
        priority, since, kind, pk = cursor.split("_")
        item = QueueItem(int(priority), parse_stored_datetime(since), int(kind), int(pk))
    except ValueError:
        return None
    is_valid = 0 <= item.kind < len(ITEM_KINDS) and max(abs(item.priority), abs(item.pk)) < 2**62
    return item if is_valid else None


def _as_bigint(expression: Any) -> Any:
    return Cast(expression, BigIntegerField())


def _certainty_expression(column: str) -> Any:
    """Return the certainty of a verdict in thousandths."""
    return Case(
        When(exact=True, then=Value(1000)),
        default=_as_bigint(F(column) * 1000),
        output_field=BigIntegerField(),
    )


def _priority_expression(model: type) -> Any:
    """Return the priority of a cluster or a pair as an SQL expression.

    Reopened items come before all others. The priority of a cluster is the number of posts that a decision
    removes, weighted with the certainty of the verdict in thousandths: ``(size - 1) * lowest score``. Exact
    copies have certainty 1000. A decision on a pair removes one post. Among equals, the older item comes
    first.
    """
    if model is Cluster:
        priority = (_as_bigint(F("size")) - 1) * _certainty_expression("lowest")
    else:
        priority = Case(
            When(verdict=Verdict.DUPLICATE, then=_certainty_expression("score")),
            # Most pairs that are no duplicates are left as they are, so they count half.
            default=_as_bigint(_certainty_expression("score") / 2),
            output_field=BigIntegerField(),
        )
    reopened_bonus = Case(
        # Django takes an untyped ``Value`` for a 32-bit number, and this one is larger.
        When(decided__isnull=False, then=Value(REOPENED_PRIORITY, BigIntegerField())),
        default=Value(0),
        output_field=BigIntegerField(),
    )
    return reopened_bonus + priority


SORT_EXPRESSIONS: Mapping[str, Any] = {
    "first": _priority_expression,
    "score": lambda kind: _as_bigint(F("lowest" if kind is Cluster else "score") * 1_000_000),
    "size": lambda kind: _as_bigint(F("size")) if kind is Cluster else Value(2, BigIntegerField()),
    "age": lambda kind: Value(0, BigIntegerField()),
}
"""The sort orders of the list: greatest first, among equals the older first."""


@dataclass(frozen=True)
class QueueItemsPage:
    """A page of the list: its items, its offset, and the cursors of the previous and the next page."""

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
    """The list for one request.

    One statement reads the positions and filter values of all open clusters and pairs, in order. Pairs that ask
    together are joined (``row_groups``). Counts and pages are computed from these rows, so they cannot contradict
    each other. ``selected_values`` are the filter values by filter name. If ``documents`` is given, the list has only
    clusters and pairs that contain one of them. ``part``: ``TO_REVIEW`` or ``FAMILIES``.
    """

    def __init__(
        self,
        using: str,
        selected_values: Mapping[str, str],
        order: str = "first",
        documents: QuerySet[Any] | None = None,
        part: str = TO_REVIEW,
    ) -> None:
        self.using, self.documents, self.part = using, documents, part
        self.filters: list[QueueFilter] = build_filters(using)
        names = {queue_filter.name for queue_filter in self.filters}
        self.selected_values = {
            name: value for name, value in selected_values.items() if name in names and value
        }
        self._rows_by_part: dict[str, list[OpenRow]] = {}
        self.order = order if order in SORT_EXPRESSIONS else "first"

    @cached_property
    def all_rows(self) -> list[OpenRow]:
        """Return all open clusters and pairs without filters, the best first."""
        return self._rows_of(self.part)

    def count_part(self, part: str) -> int:
        """Return the number of items of a part of the queue, without filters."""
        return len(self._join_rows(self._rows_of(part), part))

    def _rows_of(self, part: str) -> list[OpenRow]:
        if part not in self._rows_by_part:
            rows = self._read_rows(part, self.filters if part == self.part else [])
            if part == FAMILIES:
                # A family with something to review stands there.
                asked = {row.family for row in self._rows_of(TO_REVIEW)}
                rows = [row for row in rows if row.family not in asked]
            self._rows_by_part[part] = rows
        return self._rows_by_part[part]

    def _querysets(self, part: str) -> list[QuerySet[Any]]:
        pairs = Pair.objects.using(self.using)
        if part == FAMILIES:
            return [pairs_of_families(pairs)]
        return [open_clusters(Cluster.objects.using(self.using)), pairs_to_review(pairs)]

    def _read_rows(self, part: str, filters: Sequence[QueueFilter]) -> list[OpenRow]:
        first, *others = (self._build_row_queryset(queryset, filters) for queryset in self._querysets(part))
        rows = (first.union(*others, all=True) if others else first).order_by(*SORT_COLUMNS)
        start, end = len(SORT_COLUMNS), len(SORT_COLUMNS) + len(JOIN_COLUMNS)
        return [OpenRow(QueueItem(*row[:start]), row[end:], *row[start:end]) for row in rows]

    def _join_rows(self, rows: Iterable[OpenRow], part: str | None = None) -> list[QueueItem]:
        return join_rows(rows, self.order, MIN_FAMILY_PAIRS[part or self.part])

    @cached_property
    def items(self) -> list[QueueItem]:
        """Return the items that match the selected filter values."""
        return self._join_rows(self._matching_rows(self.selected_values))

    @cached_property
    def unfiltered_count(self) -> int:
        """Return the number of items without filters."""
        return len(self._join_rows(self.all_rows)) if self.selected_values else self.total

    def count_with_values(self, selected_values: Mapping[str, str]) -> int:
        """Return the number of items with all these filter values."""
        return len(self._join_rows(self._matching_rows(selected_values)))

    @property
    def total(self) -> int:
        """Return the number of items in the filtered list."""
        return len(self.items)

    def count_by_kind(self) -> Counter[str]:
        """Return the number of items of each kind in the filtered list, by the first letter of their keys."""
        return Counter(item.item_key[0] for item in self.items)

    def facet_counts(self, queue_filter: QueueFilter) -> tuple[Counter[str], int]:
        """Return the number of items for each value of a filter, and the number for any value.

        The other filters keep their selected values. An item of several pairs may have several values.
        """
        other_values = {
            name: value for name, value in self.selected_values.items() if name != queue_filter.name
        }
        total = self.total if other_values == self.selected_values else self.count_with_values(other_values)
        index, rows = self.filters.index(queue_filter), self._matching_rows(other_values)
        by_value: defaultdict[str, list[OpenRow]] = defaultdict(list)
        for row in rows:
            by_value[row.values[index]].append(row)
        counts = Counter({value: len(self._join_rows(rows)) for value, rows in by_value.items()})
        return counts, total

    def get_page(self, after: QueueItem | None = None, before: QueueItem | None = None) -> QueueItemsPage:
        """Return the page after or before a position.

        Without a position, return the first page. If the position is past the end, return the last page.
        """
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
        has_next = start + ITEMS_PER_PAGE < self.total
        return QueueItemsPage(
            items,
            self.total,
            start,
            previous_cursor=items[0].cursor if start else "",
            next_cursor=items[-1].cursor if has_next else "",
        )

    def _matching_rows(self, selected_values: Mapping[str, str]) -> list[OpenRow]:
        columns = [
            (index, selected_values[queue_filter.name])
            for index, queue_filter in enumerate(self.filters)
            if queue_filter.name in selected_values
        ]
        return [row for row in self.all_rows if all(row.values[index] == value for index, value in columns)]

    def _build_row_queryset(
        self, queryset: QuerySet[Any], filters: Sequence[QueueFilter]
    ) -> QuerySet[Any, Any]:
        is_pair = queryset.model is Pair
        columns: dict[str, Any] = {
            "worth": SORT_EXPRESSIONS[self.order](queryset.model),
            "kind": Value(ITEM_KINDS.index(PAIR if is_pair else CLUSTER), IntegerField()),
            "number": _as_bigint(F("pk")),
        }
        joins = dict.fromkeys(JOIN_COLUMNS, _as_bigint(Value(0)))
        if is_pair:
            # Duplicates are decided one by one. A text inside another one is no item of a family.
            not_offered = (Verdict.DUPLICATE, Verdict.CONTAINED)
            for name, column, verdicts in (
                ("joins_family", "family", not_offered),
                ("joins_a", "a_id", not_offered[:1]),
                ("joins_b", "b_id", not_offered[:1]),
            ):
                joins[name] = Case(
                    When(verdict__in=verdicts, then=joins[name]),
                    default=F(column),
                    output_field=BigIntegerField(),
                )
            joins |= {"joins_leader_a": F("leader_a"), "joins_leader_b": F("leader_b")}
        for queue_filter in filters:
            joins[queue_filter.annotation_name] = (
                queue_filter.pair_expression if is_pair else queue_filter.cluster_expression
            )
        rows = annotate_waiting_time(filter_by_documents(queryset, self.documents)).annotate(
            **columns, **joins
        )
        listed: QuerySet[Any, Any] = rows.order_by().values_list("worth", "since", "kind", "number", *joins)
        return listed


def list_documents(list_name: str, using: str) -> QuerySet[Any] | None:
    """Return the documents of an author's or a contact's list. Return None for the whole queue."""
    kind, _colon, value = list_name.partition(":")
    if kind not in ("author", "contact"):
        return None
    lookup: dict[str, Any] = {"author": value} if kind == "author" else {"contacts__hash": int(value)}
    return Document.objects.using(using).filter(**lookup).values("pk")


def build_queue_query(list_name: str, params: Any, request: HttpRequest, site: Any, using: str) -> QueueQuery:
    """Return the list of this name with the filters, the order and the search of its address."""
    matching, search_text = list_documents(list_name, using), params.get("q", "").strip()
    if search_text:
        documents = search_documents(search_text, request, site, using)
        matching = documents if matching is None else documents.filter(pk__in=matching)
    part = FAMILIES if params.get("show") == FAMILIES else TO_REVIEW
    return QueueQuery(using, params, params.get("o", "first"), matching, part)

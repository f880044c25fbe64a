"""The queue as one list: filtered, counted, sorted and split into pages.

A decided item leaves the list, so pages have no numbers: each begins after the last item of the previous
page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ...db.counts import MAX_COUNTED, BoundedCount
from ...models import Document, OpenItem
from ..visible_spaces import in_visible_spaces
from .queue_filters import FILTERS, Filter
from .search import search_documents

ITEMS_PER_PAGE = 50
TO_REVIEW, FAMILIES = OpenItem.Part.REVIEW.value, OpenItem.Part.FAMILIES.value
"""The parts of the queue: what asks for a decision, and families of posts that are surely different items."""
ORDER_COLUMNS = {"first": "priority", "score": "score", "size": "size", "age": None}
"""The sort orders of the list, by their names in the address: greatest first, among equals the older first."""


class Cursor(NamedTuple):
    """A position in the list: the value that it is sorted by, the waiting time, and the id of the row."""

    value: int
    since: datetime
    pk: int

    def __str__(self) -> str:
        return f"{self.value}_{self.since.isoformat()}_{self.pk}"


def parse_stored_datetime(text: str) -> datetime:
    """Return the time that an address contains, aware if ``USE_TZ`` is on, otherwise naive.

    Raise ValueError if invalid.
    """
    parsed = datetime.fromisoformat(text)
    if timezone.is_aware(parsed) is not settings.USE_TZ or not 1 < parsed.year < 9999:
        raise ValueError(text)
    return parsed


def parse_cursor(text: str) -> Cursor | None:
    """Return the position that an address contains. Return None if it is invalid."""
    try:
        value, since, pk = text.split("_")
        cursor = Cursor(int(value), parse_stored_datetime(since), int(pk))
    except ValueError:
        return None
    return cursor if max(abs(cursor.value), abs(cursor.pk)) < 2**62 else None


@dataclass(frozen=True)
class QueueItemsPage:
    """A page of the list: its items, the number of items before it, and the cursors of the pages around it."""

    items: Sequence[OpenItem]
    total: BoundedCount
    offset: BoundedCount
    previous_cursor: str
    next_cursor: str

    @property
    def first_number(self) -> BoundedCount:
        return self.offset + 1

    @property
    def last_number(self) -> BoundedCount:
        return self.offset + len(self.items)


class QueueQuery:
    """The list for one request.

    Rows are read from ``OpenItem`` in the order of an index. Numbers are counted here, from the first
    ``MAX_COUNTED`` rows of the part: of a longer one they are the least that there are. ``selected_values`` are the
    filter values by filter name. If ``documents`` is given, the list has only items that contain one of them.
    ``part``: ``TO_REVIEW`` or ``FAMILIES``. ``request``: of the person whose spaces are shown, None for all.
    """

    def __init__(
        self,
        using: str,
        selected_values: Mapping[str, str],
        order: str = "first",
        documents: QuerySet[Any] | None = None,
        part: str = TO_REVIEW,
        filters: Sequence[Filter] = FILTERS,
        request: HttpRequest | None = None,
    ) -> None:
        self.using, self.documents, self.part, self.filters = using, documents, part, filters
        self.request = request
        names = {queue_filter.name for queue_filter in filters}
        self.selected_values = {
            name: value for name, value in selected_values.items() if name in names and value
        }
        self.order = order if order in ORDER_COLUMNS else "first"

    @cached_property
    def items(self) -> QuerySet[OpenItem]:
        """Return the items that match the selected filter values, sorted."""
        return self._sorted(self._matching(self.selected_values))

    @cached_property
    def total(self) -> BoundedCount:
        """Return the number of items in the filtered list."""
        return self.count_with_values(self.selected_values)

    @cached_property
    def unfiltered_count(self) -> BoundedCount:
        """Return the number of items without filters."""
        return self.count_with_values({})

    def count_part(self, part: str) -> BoundedCount:
        """Return the number of items of a part of the queue, without filters."""
        return self.unfiltered_count if part == self.part else BoundedCount.of(self._all_of(part))

    def count_with_values(self, selected_values: Mapping[str, str]) -> BoundedCount:
        """Return the number of items with all these filter values."""
        number = sum(map(self._matcher(selected_values), self._sample))
        return BoundedCount(number, is_least=not self.is_countable)

    def count_by_kind(self) -> Counter[str]:
        """Return the number of items of each kind in the filtered list. Without exact numbers there is none."""
        if not self.is_countable:
            return Counter()
        matches = self._matcher(self.selected_values)
        return Counter(row[0] for row in self._sample if matches(row))

    def facet_counts(self, queue_filter: Filter) -> tuple[dict[str, BoundedCount], BoundedCount]:
        """Return the number of items for each value of a filter, most frequent first, and the number for any value.

        The other filters keep their selected values.
        """
        other_values = {
            name: value for name, value in self.selected_values.items() if name != queue_filter.name
        }
        column, matches = self.filters.index(queue_filter) + 1, self._matcher(other_values)
        counts = Counter(row[column] for row in self._sample if matches(row))
        is_least = not self.is_countable
        by_value = {value: BoundedCount(number, is_least) for value, number in counts.most_common()}
        return by_value, self.count_with_values(other_values)

    @property
    def is_countable(self) -> bool:
        """Return whether the part has so few items that all of them were read."""
        return len(self._sample) <= MAX_COUNTED

    def get_page(self, after: Cursor | None = None, before: Cursor | None = None) -> QueueItemsPage:
        """Return the page after or before a position.

        Without a position, return the first page. If the position is past the end, return the last page.
        """
        size = ITEMS_PER_PAGE
        if before is not None:
            items = self._read_beside(before, size, is_backwards=True)[::-1]
            if len(items) < size:
                items = list(self.items[:size])
        else:
            items = list(self.items[:size]) if after is None else self._read_beside(after, size)
            if not items and after is not None:
                last_size = size if self.total.is_least else (self.total - 1) % size + 1
                items = list(self.items.reverse()[:last_size])[::-1]
        if not items:
            return QueueItemsPage(items, self.total, BoundedCount(0), "", "")
        first, last = self._cursor(items[0]), self._cursor(items[-1])
        has_previous = (after or before) is not None and bool(self._read_beside(first, 1, is_backwards=True))
        offset = self._count_before(first) if has_previous else BoundedCount(0)
        has_next = bool(self._read_beside(last, 1))
        return QueueItemsPage(
            items,
            self.total,
            offset,
            previous_cursor=str(first) if has_previous else "",
            next_cursor=str(last) if has_next else "",
        )

    def neighbours(self, item: OpenItem) -> tuple[BoundedCount, list[OpenItem], list[OpenItem]]:
        """Return the number of items before an item, the previous one and the next one, if there are any."""
        cursor = self._cursor(item)
        previous = self._read_beside(cursor, 1, is_backwards=True)
        return self._count_before(cursor), previous, self._read_beside(cursor, 1)

    def find(self, item_key: str) -> OpenItem | None:
        """Return the item with this key. Return None if it is not in the filtered list."""
        return self.items.filter(kind=item_key[0], number=int(item_key[1:])).first()

    @cached_property
    def _sample(self) -> list[tuple[str, ...]]:
        """Return kind and filter values of the items of the part, of one more than can be counted at most."""
        columns = [queue_filter.annotation_name for queue_filter in self.filters]
        rows = self._annotated(self._all_of(self.part)).values_list("kind", *columns)
        return list(rows[: MAX_COUNTED + 1])

    def _matcher(self, selected_values: Mapping[str, str]) -> Any:
        wanted = [
            (index, selected_values[queue_filter.name])
            for index, queue_filter in enumerate(self.filters, 1)
            if queue_filter.name in selected_values
        ]
        return lambda row: all(row[index] == value for index, value in wanted)

    def _all_of(self, part: str) -> QuerySet[OpenItem]:
        items = OpenItem.objects.using(self.using).filter(part=part)
        if self.request is not None:
            items = in_visible_spaces(items, self.request)
        if self.documents is None:
            return items
        links = OpenItem.documents.through.objects.filter(document__in=self.documents)
        return items.filter(pk__in=links.values("openitem"))

    def _annotated(self, items: QuerySet[OpenItem]) -> QuerySet[Any]:
        return items.annotate(**{each.annotation_name: each.annotation for each in self.filters})

    def _matching(self, selected_values: Mapping[str, str]) -> QuerySet[OpenItem]:
        selected = [each for each in self.filters if each.name in selected_values]
        items = self._all_of(self.part).alias(**{each.annotation_name: each.annotation for each in selected})
        return items.filter(**{each.annotation_name: selected_values[each.name] for each in selected})

    def _sorted(self, items: QuerySet[OpenItem]) -> QuerySet[OpenItem]:
        column = ORDER_COLUMNS[self.order]
        return items.order_by(*([f"-{column}"] if column else []), "since", "pk")

    def _cursor(self, item: OpenItem) -> Cursor:
        column = ORDER_COLUMNS[self.order]
        return Cursor(getattr(item, column) if column else 0, item.since, item.pk)

    def _read_beside(self, cursor: Cursor, size: int, is_backwards: bool = False) -> list[OpenItem]:
        """Return the items after a position, or those before it, the nearest first."""
        found: list[OpenItem] = []
        for items in self._ranges(cursor, is_backwards):
            found += (items.reverse() if is_backwards else items)[: size - len(found)]
        return found

    def _count_before(self, cursor: Cursor) -> BoundedCount:
        return BoundedCount(sum(BoundedCount.of(items) for items in self._ranges(cursor, is_backwards=True)))

    def _ranges(self, cursor: Cursor, is_backwards: bool) -> list[QuerySet[OpenItem]]:
        """Return the items on one side of a position, the nearest first, as ranges of the index of the order."""
        beside, column = "lt" if is_backwards else "gt", ORDER_COLUMNS[self.order]
        is_beside = Q(**{f"since__{beside}": cursor.since}) | Q(
            since=cursor.since, **{f"pk__{beside}": cursor.pk}
        )
        equal = self.items.filter(**{f"since__{beside}e": cursor.since}).filter(is_beside)
        if column is None:
            return [equal]
        # The greatest stands first.
        farther = self.items.filter(**{f"{column}__{'gt' if is_backwards else 'lt'}": cursor.value})
        return [equal.filter(**{column: cursor.value}), farther]


def list_documents(list_name: str, using: str) -> QuerySet[Any] | None:
    """Return the documents of an author's or a contact's list. Return None for the whole queue."""
    kind, _colon, value = list_name.partition(":")
    if kind not in ("author", "contact"):
        return None
    lookup: dict[str, Any] = {"author": value} if kind == "author" else {"contacts__hash": int(value)}
    return Document.objects.using(using).filter(**lookup).values("pk")


def build_queue_query(
    list_name: str,
    params: Any,
    request: HttpRequest,
    site: Any,
    using: str,
    filters: Sequence[Filter] = FILTERS,
) -> QueueQuery:
    """Return the list of this name with the filters, the order and the search of its address."""
    matching, search_text = list_documents(list_name, using), params.get("q", "").strip()
    if search_text:
        documents = search_documents(search_text, request, site, using)
        matching = documents if matching is None else documents.filter(pk__in=matching)
    part = FAMILIES if params.get("show") == FAMILIES else TO_REVIEW
    return QueueQuery(using, params, params.get("o", "first"), matching, part, filters, request)

"""The page of the queue: heading, tabs, filters, rows, pages; what is chosen in its address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Count, F, Max, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from ...db.timezones import to_local
from ...models import Decision, Document, MergeRecord, Space
from ..decision_groups import MAX_OBJECTS
from ..decision_request import FILTERS_PARAM, LIST_PARAM
from .queue_filters import QueueFilter
from .queue_query import QueueItemsPage, QueueQuery, build_queue_query, parse_cursor
from .queue_rows import QueueRow, QueueRows

MAX_FILTER_VALUES = 30
"""Values of a filter that are offered, the most frequent first, where the site's own rows name them."""
PAGING_PARAMS = ("after", "before", "all")


@dataclass(frozen=True)
class FilterChoice:
    """A value of a filter: its words, how many items it would leave, and the address that chooses it."""

    label: str | Promise
    count: int
    query: str
    is_selected: bool


@dataclass(frozen=True)
class FilterPanel:
    """A filter as it is shown."""

    title: str | Promise
    choices: list[FilterChoice]


@dataclass(frozen=True)
class QueueTab:
    """A part of the queue and how many items it holds."""

    label: str | Promise
    count: int
    query: str
    is_current: bool


class QueuePage:
    """A list for one request; ``list_name`` is one of ``LIST_URL_NAMES``, with an author or a contact where it
    is of one."""

    def __init__(
        self,
        request: HttpRequest,
        site: Any,
        using: str,
        list_name: str = "queue",
    ) -> None:
        self.request, self.site, self.using, self.list_name = request, site, using, list_name
        self.params = {name: str(value) for name, value in request.GET.items()}
        self.search_text = self.params.get("q", "").strip()

    @cached_property
    def queue_query(self) -> QueueQuery:
        return build_queue_query(self.list_name, self.params, self.request, self.site, self.using)

    @cached_property
    def items_page(self) -> QueueItemsPage:
        return self.queue_query.get_page(
            parse_cursor(self.params.get("after", "")), parse_cursor(self.params.get("before", ""))
        )

    @cached_property
    def rows(self) -> list[QueueRow]:
        back = {LIST_PARAM: self.list_name, FILTERS_PARAM: self.page_queries["here"].removeprefix("?")}
        return list(QueueRows(self.items_page.items, self.request, self.site, self.using, back))

    @cached_property
    def selected_keys(self) -> set[str]:
        """With "all" in the address the rows are ticked, in order, as far as one decision may reach."""
        found: set[str] = set()
        room = MAX_OBJECTS if "all" in self.params else 0
        for row in self.rows:
            room -= row.size
            if room < 0:
                break
            found.add(row.item_key)
        return found

    @property
    def is_selection_limited(self) -> bool:
        """Whether "all" was asked for and there is more than one decision may reach."""
        return "all" in self.params and len(self.selected_keys) < self.queue_query.total

    @property
    def max_objects(self) -> int:
        return MAX_OBJECTS

    @property
    def is_filtered(self) -> bool:
        return bool(self.queue_query.selected_values or self.search_text)

    @cached_property
    def unfiltered_count(self) -> int:
        """How many items there are without filters and searches."""
        if self.search_text:
            return len(build_queue_query(self.list_name, {}, self.request, self.site, self.using).all_rows)
        return self.search_count

    @property
    def search_count(self) -> int:
        """How many items answer to the search, whatever the filters."""
        return len(self.queue_query.all_rows)

    @property
    def tabs(self) -> list[QueueTab]:
        """Each with the number of items that it leads to."""
        chosen, narrow = self.queue_query.selected_values, {"q": self.search_text} if self.search_text else {}
        now = next(
            (name for name in ("again", "exact") if chosen == {name: "yes"}), "" if not chosen else "filter"
        )
        again, exact = (self.queue_query.count_with_values({name: "yes"}) for name in ("again", "exact"))
        return [
            QueueTab(_("Waiting"), self.search_count, self._build_query(narrow), now in ("", "filter")),
            QueueTab(_("Again"), again, self._build_query({"again": "yes", **narrow}), now == "again"),
            QueueTab(_("Exact copies"), exact, self._build_query({"exact": "yes", **narrow}), now == "exact"),
        ]

    @property
    def filter_panels(self) -> list[FilterPanel]:
        """The filters that tell something apart, or are chosen."""
        found = [self._build_panel(each) for each in self.queue_query.filters]
        return [
            panel
            for panel in found
            if len({str(each.label) for each in panel.choices}) > 2
            or any(c.is_selected for c in panel.choices[1:])
        ]

    @property
    def sort_queries(self) -> dict[str, str]:
        """The addresses that sort by score, size and age."""
        return {order: self._query_with(o=order) for order in ("first", "score", "size", "age")}

    @property
    def page_queries(self) -> dict[str, str]:
        """The addresses around this page."""
        return {
            "previous": self._query_with(before=self.items_page.previous_cursor)
            if self.items_page.previous_cursor
            else "",
            "next": self._query_with(after=self.items_page.next_cursor)
            if self.items_page.next_cursor
            else "",
            "all": self._query_with(all="1"),
            "none": self._build_query({}),
            "here": self._query_with(),
        }

    @cached_property
    def decision_count(self) -> int:
        """How many decisions and records there are."""
        return Decision.objects.using(self.using).count() + MergeRecord.objects.using(self.using).count()

    @cached_property
    def decisions_today_count(self) -> int:
        today = to_local(timezone.now()).replace(hour=0, minute=0, second=0, microsecond=0)
        models: tuple[Any, ...] = (Decision, MergeRecord)
        return sum(model.objects.using(self.using).filter(created__gte=today).count() for model in models)

    @cached_property
    def document_counts(self) -> Mapping[str, Any]:
        """How many posts were compared, and how many wait for that."""
        indexed = Q(state=Document.State.INDEXED)
        return Document.objects.using(self.using).aggregate(
            posts=Count("pk", filter=indexed),
            pending=Count("pk", filter=Q(wanted__gt=F("done"))),
            last=Max("created"),
        )

    def _build_panel(self, queue_filter: QueueFilter) -> FilterPanel:
        counts = self.queue_query.facet_counts(queue_filter)
        chosen = self.queue_query.selected_values.get(queue_filter.name, "")
        words = queue_filter.labels or self._value_labels(
            queue_filter, [value for value, _count in counts.most_common(MAX_FILTER_VALUES)]
        )
        everything = FilterChoice(
            _("All"), sum(counts.values()), self._query_with(**{queue_filter.name: ""}), not chosen
        )
        values = [
            FilterChoice(
                words[value], counts[value], self._query_with(**{queue_filter.name: value}), value == chosen
            )
            for value in words
            if counts[value] or value == chosen
        ]
        return FilterPanel(queue_filter.title, [everything, *values])

    def _value_labels(self, queue_filter: QueueFilter, values: list[str]) -> Mapping[str, str]:
        """What the site's own rows are called."""
        names = self._scope_labels(values) if queue_filter.name == "scope" else self._model_labels(values)
        return {value: names.get(value, value) for value in values}

    def _scope_labels(self, values: list[str]) -> dict[str, str]:
        spaces = Space.objects.using(self.using).in_bulk([int(value) for value in values])
        return {str(key): scope_text(space.scope) or _("everything") for key, space in spaces.items()}

    def _model_labels(self, values: list[str]) -> dict[str, str]:
        kinds = ContentType.objects.db_manager(self.using)
        return {
            value: " – ".join(str(_model_label(kinds.get_for_id(int(key)))) for key in value.split("-"))
            for value in values
        }

    def _query_with(self, **changes: str) -> str:
        """The address of the list with something else chosen, from its first page on."""
        kept = {
            name: value for name, value in self.params.items() if name not in PAGING_PARAMS and name != "tab"
        }
        return self._build_query({**kept, **changes})

    @staticmethod
    def _build_query(params: Mapping[str, str]) -> str:
        return "?" + urlencode({name: value for name, value in sorted(params.items()) if value})


def scope_text(scope: str) -> str:
    """The values of a scope as people read them."""
    try:
        return ", ".join(map(str, json.loads(scope or "[]")))
    except (TypeError, ValueError):
        return scope


def _model_label(content_type: ContentType) -> str:
    model = content_type.model_class()
    return str(model._meta.verbose_name_plural) if model is not None else str(content_type)

"""The page of the queue: heading, tabs, filters, rows and paging, as its address selects them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from ...db.counts import BoundedCount
from ...db.timezones import to_local
from ...models import Decision, Document, Hold, MergeRecord, Space
from ...moderation.permissions import REVIEW_PERMISSION
from ...pipeline.open_items.conditions import WAITING_HOLD
from ...pipeline.quarantine import quarantined
from ..decision_groups import CLUSTER, COPIES, FAMILY, MAX_OBJECTS, PAIR, SHORTLIST
from ..decision_request import FILTERS_PARAM, LIST_PARAM
from ..text_format import elapsed_text
from ..visible_holds import visible_holds
from ..visible_objects import DisplayedPost, load_displayed_posts
from ..visible_spaces import in_visible_spaces
from .queue_columns import COLUMNS, Column
from .queue_filters import FILTERS, Filter
from .queue_query import (
    FAMILIES,
    ORDER_COLUMNS,
    TO_REVIEW,
    QueueItemsPage,
    QueueQuery,
    build_queue_query,
    parse_cursor,
)
from .queue_rows import QueueRow, QueueRows

MAX_FILTER_VALUES = 30
"""Maximum number of values, most frequent first, of a filter with labels from the site's own rows."""
KIND_LABELS = {
    CLUSTER: ngettext_lazy("%(count)d group", "%(count)d groups", "count"),
    PAIR: ngettext_lazy("%(count)d pair", "%(count)d pairs", "count"),
    FAMILY: ngettext_lazy("%(count)d family", "%(count)d families", "count"),
    SHORTLIST: ngettext_lazy("%(count)d post like several", "%(count)d posts like several", "count"),
    COPIES: ngettext_lazy("%(count)d author of exact copies", "%(count)d authors of exact copies", "count"),
}
LATE_HOLD = timedelta(hours=1)
"""Authors expect an answer by then."""
MAX_HELD_POSTS = 3
"""Number of held posts above the queue, the oldest ones."""
PAGING_PARAMS = ("after", "before", "all")


@dataclass(frozen=True)
class FilterChoice:
    """A value of a filter: its label, the number of items with it, and the query string that selects it.

    ``count`` is None if no counted item has the value, and there are more items.
    """

    label: str | Promise
    count: BoundedCount | None
    query: str
    is_selected: bool


@dataclass(frozen=True)
class FilterPanel:
    """A filter with its choices, for the template."""

    title: str | Promise
    choices: list[FilterChoice]


@dataclass(frozen=True)
class ColumnHead:
    """The head of a column: the query string that sorts by it, empty if nothing does, and whether it is the order."""

    column: Column
    query: str
    is_sorted: bool


@dataclass(frozen=True)
class HeldPost:
    """A held post that waits for a moderator, how long, and the pages that publish or refuse it."""

    post: DisplayedPost
    waiting_time: str
    publish_url: str
    refuse_url: str


@dataclass(frozen=True)
class HeldPosts:
    """The held posts that wait for a moderator: their number, the oldest ones, and the page of the list.

    ``is_late``: whether the oldest waits longer than its author expects.
    """

    count: int
    oldest: Sequence[HeldPost]
    is_late: bool
    url: str


@dataclass(frozen=True)
class QuarantinedPosts:
    """The number of posts in quarantine, and the page that lists them with their reasons."""

    count: BoundedCount
    url: str


@dataclass(frozen=True)
class QueueTab:
    """A tab of the queue and the number of its items."""

    label: str | Promise
    count: BoundedCount
    query: str
    is_current: bool


class QueuePage:
    """The queue for one request.

    ``list_name`` is a key of ``LIST_URL_NAMES``. The lists of an author or a contact add the value after a
    colon.
    """

    def __init__(
        self,
        request: HttpRequest,
        site: Any,
        using: str,
        list_name: str = "queue",
        filters: Sequence[Filter] = FILTERS,
        columns: Sequence[Column] = COLUMNS,
    ) -> None:
        self.filters, self.columns = filters, columns
        self.request, self.site, self.using, self.list_name = request, site, using, list_name
        self.params = {name: str(value) for name, value in request.GET.items()}
        self.search_text = self.params.get("q", "").strip()

    @cached_property
    def queue_query(self) -> QueueQuery:
        return self._build_queue_query(self.params)

    def _build_queue_query(self, params: Mapping[str, str]) -> QueueQuery:
        return build_queue_query(self.list_name, params, self.request, self.site, self.using, self.filters)

    @cached_property
    def items_page(self) -> QueueItemsPage:
        return self.queue_query.get_page(
            parse_cursor(self.params.get("after", "")), parse_cursor(self.params.get("before", ""))
        )

    @cached_property
    def rows(self) -> list[QueueRow]:
        return_params = {
            LIST_PARAM: self.list_name,
            FILTERS_PARAM: self.page_queries["here"].removeprefix("?"),
        }
        return list(QueueRows(self.items_page.items, self.request, self.site, self.using, return_params))

    @cached_property
    def selected_keys(self) -> set[str]:
        """Return the keys of the rows to tick.

        If "all" is in the address, these are the first rows with at most ``MAX_OBJECTS`` posts in total.
        Otherwise none.
        """
        selected: set[str] = set()
        room = MAX_OBJECTS if "all" in self.params else 0
        for row in self.rows:
            if not row.is_decidable:
                continue
            room -= row.size
            if room < 0:
                break
            selected.add(row.item_key)
        return selected

    @property
    def is_selection_limited(self) -> bool:
        """Return whether "all" is in the address but not every item is ticked."""
        return "all" in self.params and len(self.selected_keys) < self.queue_query.total

    @property
    def max_objects(self) -> int:
        return MAX_OBJECTS

    @property
    def is_filtered(self) -> bool:
        return bool(self.queue_query.selected_values or self.search_text)

    @property
    def shows_families(self) -> bool:
        return self.queue_query.part == FAMILIES

    @cached_property
    def unfiltered_count(self) -> BoundedCount:
        """Return the number of items without filters and search."""
        if self.search_text:
            params = {"show": self.queue_query.part}
            return self._build_queue_query(params).total
        return self.queue_query.unfiltered_count

    @property
    def kind_counts(self) -> list[str]:
        """Return in words how many items of each kind the filtered list has."""
        counts = self.queue_query.count_by_kind()
        return [str(label % {"count": counts[kind]}) for kind, label in KIND_LABELS.items() if counts[kind]]

    @property
    def tabs(self) -> list[QueueTab]:
        """Return the tabs, each with its number of items."""
        search_params = {"q": self.search_text} if self.search_text else {}
        tabs = [
            QueueTab(
                _("To review"),
                self.queue_query.count_part(TO_REVIEW),
                self._build_query(search_params),
                self._is_tab_current("", "filter"),
            )
        ]
        if not self.shows_families:
            tabs += [
                QueueTab(
                    label,
                    self.queue_query.count_with_values({name: "yes"}),
                    self._build_query({name: "yes", **search_params}),
                    self._is_tab_current(name),
                )
                for name, label in (("again", _("Reopened")), ("exact", _("Exact copies")))
            ]
        families = QueueTab(
            _("Families"),
            self.queue_query.count_part(FAMILIES),
            self._build_query({"show": FAMILIES, **search_params}),
            self.shows_families,
        )
        return [*tabs, families]

    def _is_tab_current(self, *names: str) -> bool:
        selected = self.queue_query.selected_values
        current = next(
            (name for name in ("again", "exact") if selected == {name: "yes"}),
            "" if not selected else "filter",
        )
        return not self.shows_families and current in names

    @property
    def filter_panels(self) -> list[FilterPanel]:
        """Return the filters that have a selected value or at least two values with items."""
        panels = [self._build_panel(queue_filter) for queue_filter in self.queue_query.filters]
        return [
            panel
            for panel in panels
            # The first choice is "all", so a useful filter has at least two more.
            if len({str(choice.label) for choice in panel.choices}) > 2
            or any(choice.is_selected for choice in panel.choices[1:])
        ]

    @property
    def heads(self) -> list[ColumnHead]:
        """Return the heads of the columns."""
        return [
            ColumnHead(
                column,
                self._query_with(o=column.order) if column.order in ORDER_COLUMNS else "",
                # The first order does not belong to one column.
                column.order == self.queue_query.order != "first",
            )
            for column in self.columns
        ]

    @property
    def page_queries(self) -> dict[str, str]:
        """Return the query strings of the previous and next page, "all ticked", "no filters" and this page."""
        return {
            "previous": self._query_with(before=self.items_page.previous_cursor)
            if self.items_page.previous_cursor
            else "",
            "next": self._query_with(after=self.items_page.next_cursor)
            if self.items_page.next_cursor
            else "",
            "all": self._query_with(all="1"),
            "none": self._build_query({"show": self.params.get("show", "")}),
            "here": self._query_with(),
        }

    @cached_property
    def held_posts(self) -> HeldPosts | None:
        """Return how many held posts wait for a moderator.

        Return None if there are none, if this is not the whole queue, or if the person may not see them.
        """
        user = self.request.user
        may_see = user.has_perm("neardup.view_hold") or user.has_perm(REVIEW_PERMISSION)
        if self.list_name != "queue" or not may_see or not self.site.is_registered(Hold):
            return None
        waiting = Hold.objects.using(self.using).filter(WAITING_HOLD)
        holds = visible_holds(waiting, self.request, self.site)
        oldest = list(holds.select_related("document").order_by("created", "pk")[:MAX_HELD_POSTS])
        if not oldest:
            return None
        posts = load_displayed_posts([hold.document for hold in oldest], self.request, self.site, self.using)
        may_decide = user.has_perm(REVIEW_PERMISSION)
        shown = [
            HeldPost(
                posts[hold.document_id],
                elapsed_text(hold.created),
                *(self._hold_url(name, hold.pk) if may_decide else "" for name in ("publish", "refuse")),
            )
            for hold in oldest
        ]
        is_late = timezone.now() - oldest[0].created > LATE_HOLD
        url = reverse(f"{self.site.name}:neardup_hold_changelist")
        return HeldPosts(holds.count(), shown, is_late, url)

    @cached_property
    def quarantined_posts(self) -> QuarantinedPosts | None:
        """Return how many posts are in quarantine.

        Return None if there are none, if this is not the whole queue, or if the person may not see their list.
        """
        if self.list_name != "queue" or not self.site.is_registered(Document):
            return None
        if not self.site.get_model_admin(Document).has_view_permission(self.request):
            return None
        count = BoundedCount.of(in_visible_spaces(quarantined(self.using), self.request))
        url = reverse(f"{self.site.name}:neardup_document_changelist")
        return QuarantinedPosts(count, f"{url}?work=quarantined") if count else None

    def _hold_url(self, action_name: str, pk: int) -> str:
        return f"{reverse(f'{self.site.name}:neardup_hold_decide', args=[action_name])}?id={pk}"

    @cached_property
    def decision_count(self) -> BoundedCount:
        """Return the number of decisions and merge records."""
        return BoundedCount.of(self._decided(Decision)) + BoundedCount.of(self._decided(MergeRecord))

    @cached_property
    def decisions_today_count(self) -> int:
        today = to_local(timezone.now()).replace(hour=0, minute=0, second=0, microsecond=0)
        return sum(
            self._decided(model).filter(created__gte=today).count() for model in (Decision, MergeRecord)
        )

    def _decided(self, model: Any) -> QuerySet[Any]:
        return in_visible_spaces(model.objects.using(self.using).all(), self.request)

    @cached_property
    def document_counts(self) -> Mapping[str, Any]:
        """Return the number of compared posts and of pending posts, and the time of the newest document."""
        documents = in_visible_spaces(Document.objects.using(self.using).all(), self.request)
        return {
            "posts": BoundedCount.of(documents.filter(state=Document.State.INDEXED)),
            "pending": BoundedCount.of(documents.filter(pending_since__isnull=False)),
            "last": documents.order_by("-pk").values_list("created", flat=True).first(),
        }

    def _build_panel(self, queue_filter: Filter) -> FilterPanel:
        counts, total = self.queue_query.facet_counts(queue_filter)
        selected = self.queue_query.selected_values.get(queue_filter.name, "")
        labels = queue_filter.labels or self._value_labels(queue_filter, [*counts][:MAX_FILTER_VALUES])
        all_choice = FilterChoice(_("All"), total, self._query_with(**{queue_filter.name: ""}), not selected)
        choices = [
            FilterChoice(
                labels[value],
                counts.get(value, None if total.is_least else BoundedCount(0)),
                self._query_with(**{queue_filter.name: value}),
                value == selected,
            )
            for value in labels
            if value in counts or value == selected or total.is_least
        ]
        return FilterPanel(queue_filter.title, [all_choice, *choices])

    def _value_labels(self, queue_filter: Filter, values: list[str]) -> Mapping[str, str]:
        """Return the labels of scope or model values. A value without a label is its own label."""
        labels = {"scope": self._scope_labels, "model": self._model_labels}.get(queue_filter.name)
        names = labels(values) if labels else {}
        return {value: names.get(value, value) for value in values}

    def _scope_labels(self, values: list[str]) -> dict[str, str]:
        spaces = Space.objects.using(self.using).in_bulk([int(value) for value in values])
        return {str(key): scope_text(space.scope) or _("everything") for key, space in spaces.items()}

    def _model_labels(self, values: list[str]) -> dict[str, str]:
        content_types = ContentType.objects.db_manager(self.using)
        return {
            value: " – ".join(str(_model_label(content_types.get_for_id(int(pk)))) for pk in value.split("-"))
            for value in values
        }

    def _query_with(self, **changes: str) -> str:
        """Return the query string of the first page of the list with some parameters changed."""
        params = {
            name: value for name, value in self.params.items() if name not in PAGING_PARAMS and name != "tab"
        }
        return self._build_query({**params, **changes})

    @staticmethod
    def _build_query(params: Mapping[str, str]) -> str:
        return "?" + urlencode({name: value for name, value in sorted(params.items()) if value})


def scope_text(scope: str) -> str:
    """Return the values of a scope as readable text. Return the text itself if it is no JSON list."""
    try:
        return ", ".join(map(str, json.loads(scope or "[]")))
    except (TypeError, ValueError):
        return scope


def _model_label(content_type: ContentType) -> str:
    model = content_type.model_class()
    return str(model._meta.verbose_name_plural) if model is not None else str(content_type)

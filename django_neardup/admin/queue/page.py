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

from ...models import Decision, Document, MergeRecord, Space
from ...moments import by_clock
from ..asked import FILTERS, LIST
from ..groups import CAP
from .filters import Filter
from .items import Shelf, Waiting, place
from .lists import waiting_of
from .rows import Row, Rows

SHOWN_VALUES = 30
"""Values of a filter that are offered, the most frequent first, where the site's own rows name them."""
PAGING = ("after", "before", "all")


@dataclass(frozen=True)
class Choice:
    """A value of a filter: its words, how many items it would leave, and the address that chooses it."""

    words: str | Promise
    count: int
    query: str
    chosen: bool


@dataclass(frozen=True)
class Panel:
    """A filter as it is shown."""

    title: str | Promise
    choices: list[Choice]


@dataclass(frozen=True)
class Tab:
    """A part of the queue and how many items it holds."""

    words: str | Promise
    count: int
    query: str
    current: bool


class QueuePage:
    """A list for one request; ``name`` is that of ``asked.LISTS``, with an author or a contact where it is of one."""

    def __init__(
        self,
        request: HttpRequest,
        site: Any,
        using: str,
        name: str = "queue",
    ) -> None:
        self.request, self.site, self.using, self.name = request, site, using, name
        self.chosen = {name: str(value) for name, value in request.GET.items()}
        self.asked = self.chosen.get("q", "").strip()

    @cached_property
    def waiting(self) -> Waiting:
        return waiting_of(self.name, self.chosen, self.request, self.site, self.using)

    @cached_property
    def shelf(self) -> Shelf:
        return self.waiting.shelf(place(self.chosen.get("after", "")), place(self.chosen.get("before", "")))

    @cached_property
    def rows(self) -> list[Row]:
        back = {LIST: self.name, FILTERS: self.queries["here"].removeprefix("?")}
        return list(Rows(self.shelf.items, self.request, self.site, self.using, back))

    @cached_property
    def ticked(self) -> set[str]:
        """With "all" in the address the rows are ticked, in order, as far as one decision may reach."""
        found: set[str] = set()
        room = CAP if "all" in self.chosen else 0
        for row in self.rows:
            room -= row.size
            if room < 0:
                break
            found.add(row.key)
        return found

    @property
    def is_cut(self) -> bool:
        """Whether "all" was asked for and there is more than one decision may reach."""
        return "all" in self.chosen and len(self.ticked) < self.waiting.total

    @property
    def cap(self) -> int:
        return CAP

    @property
    def filtered(self) -> bool:
        return bool(self.waiting.chosen or self.asked)

    @cached_property
    def whole(self) -> int:
        """How many items there are without filters and searches."""
        if self.asked:
            return len(waiting_of(self.name, {}, self.request, self.site, self.using).rows)
        return self.found

    @property
    def found(self) -> int:
        """How many items answer to the search, whatever the filters."""
        return len(self.waiting.rows)

    @property
    def tabs(self) -> list[Tab]:
        """Each with the number of items that it leads to."""
        chosen, narrow = self.waiting.chosen, {"q": self.asked} if self.asked else {}
        now = next(
            (name for name in ("again", "exact") if chosen == {name: "yes"}), "" if not chosen else "filter"
        )
        again, exact = (self.waiting.count({name: "yes"}) for name in ("again", "exact"))
        return [
            Tab(_("Waiting"), self.found, self._query(narrow), now in ("", "filter")),
            Tab(_("Again"), again, self._query({"again": "yes", **narrow}), now == "again"),
            Tab(_("Exact copies"), exact, self._query({"exact": "yes", **narrow}), now == "exact"),
        ]

    @property
    def panels(self) -> list[Panel]:
        """The filters that tell something apart, or are chosen."""
        found = [self._panel(each) for each in self.waiting.filters]
        return [
            panel
            for panel in found
            if len({str(each.words) for each in panel.choices}) > 2
            or any(c.chosen for c in panel.choices[1:])
        ]

    @property
    def sorts(self) -> dict[str, str]:
        """The addresses that sort by score, size and age."""
        return {order: self._with(o=order) for order in ("first", "score", "size", "age")}

    @property
    def queries(self) -> dict[str, str]:
        """The addresses around this page."""
        return {
            "previous": self._with(before=self.shelf.previous) if self.shelf.previous else "",
            "next": self._with(after=self.shelf.next) if self.shelf.next else "",
            "all": self._with(all="1"),
            "none": self._query({}),
            "here": self._with(),
        }

    @cached_property
    def decided(self) -> int:
        """How many decisions and records there are."""
        return Decision.objects.using(self.using).count() + MergeRecord.objects.using(self.using).count()

    @cached_property
    def decided_today(self) -> int:
        today = by_clock(timezone.now()).replace(hour=0, minute=0, second=0, microsecond=0)
        models: tuple[Any, ...] = (Decision, MergeRecord)
        return sum(model.objects.using(self.using).filter(created__gte=today).count() for model in models)

    @cached_property
    def checked(self) -> Mapping[str, Any]:
        """How many posts were compared, and how many wait for that."""
        indexed = Q(state=Document.State.INDEXED)
        return Document.objects.using(self.using).aggregate(
            posts=Count("pk", filter=indexed),
            pending=Count("pk", filter=Q(wanted__gt=F("done"))),
            last=Max("created"),
        )

    def _panel(self, each: Filter) -> Panel:
        counts = self.waiting.counts(each)
        chosen = self.waiting.chosen.get(each.name, "")
        words = each.words or self._words(each, [value for value, _count in counts.most_common(SHOWN_VALUES)])
        everything = Choice(_("All"), sum(counts.values()), self._with(**{each.name: ""}), not chosen)
        values = [
            Choice(words[value], counts[value], self._with(**{each.name: value}), value == chosen)
            for value in words
            if counts[value] or value == chosen
        ]
        return Panel(each.title, [everything, *values])

    def _words(self, each: Filter, values: list[str]) -> Mapping[str, str]:
        """What the site's own rows are called."""
        names = self._scopes(values) if each.name == "scope" else self._models(values)
        return {value: names.get(value, value) for value in values}

    def _scopes(self, values: list[str]) -> dict[str, str]:
        spaces = Space.objects.using(self.using).in_bulk([int(value) for value in values])
        return {str(key): scope_words(space.scope) or _("everything") for key, space in spaces.items()}

    def _models(self, values: list[str]) -> dict[str, str]:
        kinds = ContentType.objects.db_manager(self.using)
        return {
            value: " – ".join(str(_name_of(kinds.get_for_id(int(key)))) for key in value.split("-"))
            for value in values
        }

    def _with(self, **changes: str) -> str:
        """The address of the list with something else chosen, from its first page on."""
        kept = {name: value for name, value in self.chosen.items() if name not in PAGING and name != "tab"}
        return self._query({**kept, **changes})

    @staticmethod
    def _query(chosen: Mapping[str, str]) -> str:
        return "?" + urlencode({name: value for name, value in sorted(chosen.items()) if value})


def scope_words(scope: str) -> str:
    """The values of a scope as people read them."""
    try:
        return ", ".join(map(str, json.loads(scope or "[]")))
    except (TypeError, ValueError):
        return scope


def _name_of(kind: ContentType) -> str:
    model = kind.model_class()
    return str(model._meta.verbose_name_plural) if model is not None else str(kind)

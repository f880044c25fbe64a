"""What was decided of late: people's words on posts, and what was merged, hidden and deleted, with the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import F, IntegerField, Q, QuerySet, Value
from django.http import HttpRequest
from django.urls import reverse

from ...models import Decision, DecisionMember, MergeRecord
from ..recorded import called, name_posts
from ..results import undo_url
from ..shown import Shown, show
from .items import moment

PER_PAGE = 50
NAMED = 2


@dataclass(frozen=True)
class Decided:
    """One decision or record, and where it is taken back; without an address it has been already."""

    url: str
    title: str
    act: str
    by_name: str
    when: datetime
    taken_back: datetime | None
    undo: str


class DecidedPage:
    """Decisions and records in one list, the newest first, in pages that begin after a row."""

    def __init__(self, request: HttpRequest, site: Any, using: str) -> None:
        self.request, self.site, self.using = request, site, using

    @cached_property
    def _places(self) -> list[tuple[datetime, int, int]]:
        limit = _place(self.request.GET.get("after", ""))
        decisions, records = (
            self._listed(model, kind, limit) for kind, model in enumerate((Decision, MergeRecord))
        )
        found = decisions.union(records, all=True).order_by("-created", "-table", "-number")
        return list(found[: PER_PAGE + 1])

    @property
    def next(self) -> str:
        """The place of the last row; empty on the last page."""
        if len(self._places) <= PER_PAGE:
            return ""
        when, kind, number = self._places[PER_PAGE - 1]
        return f"{when.isoformat()}_{kind}_{number}"

    @cached_property
    def rows(self) -> list[Decided]:
        places = self._places[:PER_PAGE]
        decisions = self._decisions([number for _when, kind, number in places if kind == 0])
        records = MergeRecord.objects.using(self.using).defer("journal")
        by_key = records.in_bulk([number for _when, kind, number in places if kind == 1])
        name_posts(by_key.values(), self.request, self.site, self.using)
        found = []
        for _when, kind, number in places:
            if kind == 0 and number in decisions:
                found.append(self._of_decision(*decisions[number]))
            elif kind == 1 and number in by_key:
                found.append(self._of_record(by_key[number]))
        return found

    def _listed(self, model: Any, kind: int, limit: tuple[datetime, int, int] | None) -> QuerySet[Any, Any]:
        rows = model.objects.using(self.using).annotate(table=Value(kind, IntegerField()), number=F("pk"))
        if limit is not None:
            rows = rows.filter(_after(limit, kind))
        listed: QuerySet[Any, Any] = rows.order_by().values_list("created", "table", "number")
        return listed

    def _decisions(self, keys: Sequence[int]) -> dict[int, tuple[Decision, list[Shown]]]:
        """The decisions, each with the first of its posts as this person may see them."""
        decisions = Decision.objects.using(self.using).defer("known").in_bulk(list(keys))
        members = DecisionMember.objects.using(self.using).filter(decision__in=list(decisions))
        posts: dict[int, list[Any]] = {key: [] for key in decisions}
        for member in members.select_related("document").order_by("document"):
            if len(posts[member.decision_id]) < NAMED:
                posts[member.decision_id].append(member.document)
        shown = show(
            [each for every in posts.values() for each in every], self.request, self.site, self.using
        )
        return {key: (each, [shown[post.pk] for post in posts[key]]) for key, each in decisions.items()}

    def _of_decision(self, row: Decision, posts: Sequence[Shown]) -> Decided:
        title = " – ".join(f"{post.title}, {post.name}" for post in posts)
        return self._row(row, title, row.get_kind_display(), row.withdrawn)

    def _of_record(self, row: Any) -> Decided:
        posts = [called(row.loser_title, row.loser_id)]
        if row.keeper_title:
            posts.append(called(row.keeper_title, row.keeper_id))
        return self._row(row, " → ".join(posts), row.get_action_display(), row.undone)

    def _row(self, row: Any, title: str, act: str, taken_back: datetime | None) -> Decided:
        name = f"{self.site.name}:neardup_{row._meta.model_name}_change"
        undo = "" if taken_back else undo_url(row.batch, self.site.name)
        return Decided(
            reverse(name, args=[row.pk]), title, str(act), row.by_name, row.created, taken_back, undo
        )


def _after(limit: tuple[datetime, int, int], kind: int) -> Q:
    """Rows of a kind that stand below a place."""
    when, of_kind, number = limit
    below = Q(created__lt=when)
    if kind == of_kind:
        return below | Q(created=when, pk__lt=number)
    return below | Q(created=when) if kind < of_kind else below


def _place(cursor: str) -> tuple[datetime, int, int] | None:
    """The place that an address names; None for what is none."""
    try:
        when, kind, number = cursor.split("_")
        found = moment(when), int(kind), int(number)
    except ValueError:
        return None
    return found if abs(found[2]) < 2**62 else None

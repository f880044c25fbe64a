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
from ..decision_messages import undo_url
from ..record_titles import attach_titles, title_with_number
from ..visible_objects import DisplayedPost, load_displayed_posts
from .queue_query import parse_stored_datetime

DECISIONS_PER_PAGE = 50
MAX_NAMED_POSTS = 2


@dataclass(frozen=True)
class RecentDecision:
    """One decision or record, and where it is taken back; without an address it has been already."""

    url: str
    title: str
    action_label: str
    by_name: str
    made_at: datetime
    undone_at: datetime | None
    undo_url: str


class RecentDecisionsPage:
    """Decisions and records in one list, the newest first, in pages that begin after a row."""

    def __init__(self, request: HttpRequest, site: Any, using: str) -> None:
        self.request, self.site, self.using = request, site, using

    @cached_property
    def _positions(self) -> list[tuple[datetime, int, int]]:
        limit = _parse_cursor(self.request.GET.get("after", ""))
        decisions, records = (
            self._position_rows(model, kind, limit) for kind, model in enumerate((Decision, MergeRecord))
        )
        found = decisions.union(records, all=True).order_by("-created", "-table", "-number")
        return list(found[: DECISIONS_PER_PAGE + 1])

    @property
    def next_cursor(self) -> str:
        """The place of the last row; empty on the last page."""
        if len(self._positions) <= DECISIONS_PER_PAGE:
            return ""
        when, kind, number = self._positions[DECISIONS_PER_PAGE - 1]
        return f"{when.isoformat()}_{kind}_{number}"

    @cached_property
    def rows(self) -> list[RecentDecision]:
        places = self._positions[:DECISIONS_PER_PAGE]
        decisions = self._load_decisions([number for _when, kind, number in places if kind == 0])
        records = MergeRecord.objects.using(self.using).defer("journal")
        by_key = records.in_bulk([number for _when, kind, number in places if kind == 1])
        attach_titles(by_key.values(), self.request, self.site, self.using)
        found = []
        for _when, kind, number in places:
            if kind == 0 and number in decisions:
                found.append(self._build_decision_row(*decisions[number]))
            elif kind == 1 and number in by_key:
                found.append(self._build_record_row(by_key[number]))
        return found

    def _position_rows(
        self, model: Any, table_number: int, position: tuple[datetime, int, int] | None
    ) -> QuerySet[Any, Any]:
        rows = model.objects.using(self.using).annotate(
            table=Value(table_number, IntegerField()), number=F("pk")
        )
        if position is not None:
            rows = rows.filter(_after_condition(position, table_number))
        listed: QuerySet[Any, Any] = rows.order_by().values_list("created", "table", "number")
        return listed

    def _load_decisions(self, decision_ids: Sequence[int]) -> dict[int, tuple[Decision, list[DisplayedPost]]]:
        """The decisions, each with the first of its posts as this person may see them."""
        decisions = Decision.objects.using(self.using).defer("known").in_bulk(list(decision_ids))
        members = DecisionMember.objects.using(self.using).filter(decision__in=list(decisions))
        posts: dict[int, list[Any]] = {key: [] for key in decisions}
        for member in members.select_related("document").order_by("document"):
            if len(posts[member.decision_id]) < MAX_NAMED_POSTS:
                posts[member.decision_id].append(member.document)
        shown = load_displayed_posts(
            [each for every in posts.values() for each in every], self.request, self.site, self.using
        )
        return {key: (each, [shown[post.pk] for post in posts[key]]) for key, each in decisions.items()}

    def _build_decision_row(self, row: Decision, posts: Sequence[DisplayedPost]) -> RecentDecision:
        title = " – ".join(f"{post.title}, {post.number}" for post in posts)
        return self._build_row(row, title, row.get_kind_display(), row.withdrawn)

    def _build_record_row(self, row: Any) -> RecentDecision:
        posts = [title_with_number(row.loser_title, row.loser_id)]
        if row.keeper_title:
            posts.append(title_with_number(row.keeper_title, row.keeper_id))
        return self._build_row(row, " → ".join(posts), row.get_action_display(), row.undone)

    def _build_row(
        self, row: Any, title: str, action_label: str, undone_at: datetime | None
    ) -> RecentDecision:
        name = f"{self.site.name}:neardup_{row._meta.model_name}_change"
        undo = "" if undone_at else undo_url(row.batch, self.site.name)
        return RecentDecision(
            reverse(name, args=[row.pk]), title, str(action_label), row.by_name, row.created, undone_at, undo
        )


def _after_condition(position: tuple[datetime, int, int], table_number: int) -> Q:
    """Rows of a kind that stand below a place."""
    when, of_kind, number = position
    below = Q(created__lt=when)
    if table_number == of_kind:
        return below | Q(created=when, pk__lt=number)
    return below | Q(created=when) if table_number < of_kind else below


def _parse_cursor(cursor: str) -> tuple[datetime, int, int] | None:
    """The place that an address names; None for what is none."""
    try:
        when, kind, number = cursor.split("_")
        found = parse_stored_datetime(when), int(kind), int(number)
    except ValueError:
        return None
    return found if abs(found[2]) < 2**62 else None

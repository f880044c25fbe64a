"""The tab of recent decisions: decisions on posts, and merge records, each with its undo."""

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
from ..visible_spaces import in_visible_spaces
from .queue_query import parse_stored_datetime

DECISIONS_PER_PAGE = 50
MAX_NAMED_POSTS = 2


@dataclass(frozen=True)
class RecentDecision:
    """A decision or a merge record. ``undo_url`` is empty if it is undone already."""

    url: str
    title: str
    action_label: str
    by_name: str
    made_at: datetime
    undone_at: datetime | None
    undo_url: str


class RecentDecisionsPage:
    """Decisions and merge records in one list, newest first.

    Each page begins after the last row of the previous one.
    """

    def __init__(self, request: HttpRequest, site: Any, using: str) -> None:
        self.request, self.site, self.using = request, site, using

    @cached_property
    def _positions(self) -> list[tuple[datetime, int, int]]:
        after = _parse_cursor(self.request.GET.get("after", ""))
        decisions, records = (
            self._position_rows(model, kind, after) for kind, model in enumerate((Decision, MergeRecord))
        )
        positions = decisions.union(records, all=True).order_by("-created", "-table", "-number")
        return list(positions[: DECISIONS_PER_PAGE + 1])

    @property
    def next_cursor(self) -> str:
        """Return the position of the last row. Return an empty string on the last page."""
        if len(self._positions) <= DECISIONS_PER_PAGE:
            return ""
        created, kind, number = self._positions[DECISIONS_PER_PAGE - 1]
        return f"{created.isoformat()}_{kind}_{number}"

    @cached_property
    def rows(self) -> list[RecentDecision]:
        positions = self._positions[:DECISIONS_PER_PAGE]
        decisions = self._load_decisions([pk for _created, kind, pk in positions if kind == 0])
        record_queryset = MergeRecord.objects.using(self.using).defer("journal")
        records = record_queryset.in_bulk([pk for _created, kind, pk in positions if kind == 1])
        attach_titles(records.values(), self.request, self.site, self.using)
        decision_rows = []
        for _created, kind, pk in positions:
            if kind == 0 and pk in decisions:
                decision_rows.append(self._build_decision_row(*decisions[pk]))
            elif kind == 1 and pk in records:
                decision_rows.append(self._build_record_row(records[pk]))
        return decision_rows

    def _position_rows(
        self, model: Any, table_number: int, position: tuple[datetime, int, int] | None
    ) -> QuerySet[Any, Any]:
        rows = in_visible_spaces(model.objects.using(self.using).all(), self.request).annotate(
            table=Value(table_number, IntegerField()), number=F("pk")
        )
        if position is not None:
            rows = rows.filter(_after_condition(position, table_number))
        listed: QuerySet[Any, Any] = rows.order_by().values_list("created", "table", "number")
        return listed

    def _load_decisions(self, decision_ids: Sequence[int]) -> dict[int, tuple[Decision, list[DisplayedPost]]]:
        """Return the decisions by id, each with its first posts (at most ``MAX_NAMED_POSTS``) as this person
        may see them.
        """
        decisions = Decision.objects.using(self.using).defer("known").in_bulk(list(decision_ids))
        members = DecisionMember.objects.using(self.using).filter(decision__in=list(decisions))
        documents_by_decision: dict[int, list[Any]] = {key: [] for key in decisions}
        for member in members.select_related("document").order_by("document"):
            if len(documents_by_decision[member.decision_id]) < MAX_NAMED_POSTS:
                documents_by_decision[member.decision_id].append(member.document)
        displayed = load_displayed_posts(
            [document for documents in documents_by_decision.values() for document in documents],
            self.request,
            self.site,
            self.using,
        )
        return {
            key: (decision, [displayed[document.pk] for document in documents_by_decision[key]])
            for key, decision in decisions.items()
        }

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
        url_name = f"{self.site.name}:neardup_{row._meta.model_name}_change"
        undo_address = "" if undone_at else undo_url(row.batch, self.site.name)
        return RecentDecision(
            reverse(url_name, args=[row.pk]),
            title,
            str(action_label),
            row.by_name,
            row.created,
            undone_at,
            undo_address,
        )


def _after_condition(position: tuple[datetime, int, int], table_number: int) -> Q:
    """Return the condition for rows of one table that come after a position in the list."""
    created, position_table, pk = position
    is_older = Q(created__lt=created)
    if table_number == position_table:
        return is_older | Q(created=created, pk__lt=pk)
    return is_older | Q(created=created) if table_number < position_table else is_older


def _parse_cursor(cursor: str) -> tuple[datetime, int, int] | None:
    """Return the position that an address contains. Return None if it is invalid."""
    try:
        created, kind, number = cursor.split("_")
        position = parse_stored_datetime(created), int(kind), int(number)
    except ValueError:
        return None
    return position if abs(position[2]) < 2**62 else None

"""Conflicts between moderators: decisions on a group that were made after the moderator saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..models import Decision, Document, MergeRecord
from ..pipeline.record_queries import records_about_q
from .decision_request import SeenState
from .outcomes import ModerationAction
from .text_format import elapsed_text
from .visible_spaces import in_visible_spaces

ACTIONS_BY_DECISION_KIND: Mapping[str, str] = {Decision.Kind.DIFFERENT: "leave"}
"""The actions that write a decision, by its kind. Other actions write merge records with their name."""


@dataclass(frozen=True)
class EarlierDecision:
    """A decision or a merge record: who made it, what it does, when it was made, and its page."""

    by_name: str
    action_label: str
    made_at: datetime
    batch: UUID
    decision_or_record: Decision | MergeRecord

    def is_made_by(self, user: Any, action: ModerationAction | None = None) -> bool:
        """Return whether the user made it with the action. If ``action`` is None, any action counts."""
        row = self.decision_or_record
        action_name = row.action if isinstance(row, MergeRecord) else ACTIONS_BY_DECISION_KIND.get(row.kind)
        return row.by == str(user.pk) and (action is None or action_name == action.name)

    def url(self, site: str) -> str:
        """Return the URL of its page in the admin. Return an empty string if there is no such page."""
        try:
            return reverse(
                f"{site}:neardup_{self.decision_or_record._meta.model_name}_change",
                args=[self.decision_or_record.pk],
            )
        except NoReverseMatch:
            return ""


def find_earlier_decision(
    item_key: str, seen_state: SeenState | None, request: HttpRequest, using: str
) -> EarlierDecision | None:
    """Return the last decision or merge record on a group since the moderator saw it.

    Return None if there is none, or if ``seen_state`` is None or names no documents. What was done in spaces that
    the person may not see is left out: the posts may have moved there, and a request can name any document.
    """
    if seen_state is None or not seen_state.document_ids:
        return None
    decisions = in_visible_spaces(Decision.objects.using(using), request).filter(
        members__document__in=seen_state.document_ids, created__gte=seen_state.seen_at
    )
    records = in_visible_spaces(MergeRecord.objects.using(using), request).filter(
        _records_condition(item_key, seen_state.document_ids, using), created__gte=seen_state.seen_at
    )
    decision, record = decisions.order_by("-pk").first(), records.defer("journal").order_by("-pk").first()
    if decision is not None and record is not None and decision.batch == record.batch:
        # The decision only remembers the unselected posts of this action. The record says what was done.
        decision = None
    rows: list[Any] = sorted((row for row in (decision, record) if row is not None), key=_created_at)
    return _build_earlier_decision(rows[-1]) if rows else None


def repeat_message(earlier_decision: EarlierDecision, item_name: str) -> str:
    """Return the message for a moderator who repeats their own decision."""
    message = _("%(group)s: you already decided this %(time)s ago: %(act)s.")
    return message % {
        "group": capfirst(item_name),
        "time": elapsed_text(earlier_decision.made_at),
        "act": earlier_decision.action_label,
    }


def conflict_message(
    earlier_decision: EarlierDecision | None, action: ModerationAction, item_name: str
) -> str:
    """Return the message that an action was not recorded because the group had changed."""
    button_label = str(action.button).rstrip("…")
    if earlier_decision is None:
        return _("%(group)s has changed since you opened it. Your decision “%(wish)s” was not saved.") % {
            "group": capfirst(item_name),
            "wish": button_label,
        }
    return _(
        "%(name)s decided on %(group)s %(time)s ago: %(act)s. Your decision “%(wish)s” was not saved."
    ) % {
        "name": earlier_decision.by_name or _("Someone"),
        "group": item_name,
        "time": elapsed_text(earlier_decision.made_at),
        "act": earlier_decision.action_label,
        "wish": button_label,
    }


def _records_condition(item_key: str, document_ids: Sequence[int], using: str) -> Q:
    """Return a condition for the merge records of a cluster, or of the objects of documents."""
    post_ids = (
        Document.objects.using(using).filter(pk__in=document_ids).values_list("content_type", "object_id")
    )
    condition = records_about_q(post_ids, using)
    return condition | Q(cluster=int(item_key[1:])) if item_key[0] == "c" else condition


def _created_at(row: Any) -> datetime:
    return cast(datetime, row.created)


def _build_earlier_decision(row: Any) -> EarlierDecision:
    action_label = row.get_kind_display() if isinstance(row, Decision) else row.get_action_display()
    return EarlierDecision(row.by_name, str(action_label), row.created, row.batch, row)

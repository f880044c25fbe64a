"""Who was first: what another person did with a group since somebody looked at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import Q
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..models import Decision, Document, MergeRecord
from ..pipeline.record_queries import records_about_q
from .decision_request import SeenState
from .outcomes import ModerationAction
from .text_format import elapsed_text

ACTIONS_BY_DECISION_KIND: Mapping[str, str] = {Decision.Kind.DIFFERENT: "leave"}
"""The outcomes that decide, by the kind of their decisions; the others leave records of their own names."""


@dataclass(frozen=True)
class EarlierDecision:
    """A decision or a record: whose, what, when, and where it is shown."""

    by_name: str
    action_label: str
    made_at: datetime
    batch: UUID
    decision_or_record: Decision | MergeRecord

    def is_made_by(self, user: Any, action: ModerationAction | None = None) -> bool:
        """Whether that person did it, and it is what the outcome does; None for any."""
        row = self.decision_or_record
        deed = row.action if isinstance(row, MergeRecord) else ACTIONS_BY_DECISION_KIND.get(row.kind)
        return row.by == str(user.pk) and (action is None or deed == action.name)

    def url(self, site: str) -> str:
        """Its page in the admin; empty where it has none."""
        try:
            return reverse(
                f"{site}:neardup_{self.decision_or_record._meta.model_name}_change",
                args=[self.decision_or_record.pk],
            )
        except NoReverseMatch:
            return ""


def find_earlier_decision(item_key: str, seen_state: SeenState | None, using: str) -> EarlierDecision | None:
    """The last that was decided on that group since it was seen; None where nobody decided anything."""
    if seen_state is None or not seen_state.document_ids:
        return None
    decisions = Decision.objects.using(using).filter(
        members__document__in=seen_state.document_ids, created__gte=seen_state.seen_at
    )
    records = MergeRecord.objects.using(using).filter(
        _records_condition(item_key, seen_state.document_ids, using), created__gte=seen_state.seen_at
    )
    decision, record = decisions.order_by("-pk").first(), records.defer("journal").order_by("-pk").first()
    if decision is not None and record is not None and decision.batch == record.batch:
        decision = None  # what was remembered of those that took no part
    rows: list[Any] = sorted((row for row in (decision, record) if row is not None), key=_created_at)
    return _build_earlier_decision(rows[-1]) if rows else None


def repeat_message(earlier_decision: EarlierDecision, item_name: str) -> str:
    """What a person is told who decides once more what she has decided."""
    said = _("%(group)s: you decided this %(time)s ago already: %(act)s.")
    return said % {
        "group": capfirst(item_name),
        "time": elapsed_text(earlier_decision.made_at),
        "act": earlier_decision.action_label,
    }


def conflict_message(
    earlier_decision: EarlierDecision | None, action: ModerationAction, item_name: str
) -> str:
    """What became of a wish that came too late."""
    wish = str(action.button).rstrip("…")
    if earlier_decision is None:
        return _("%(group)s has changed since you saw it: your “%(wish)s” was not recorded.") % {
            "group": capfirst(item_name),
            "wish": wish,
        }
    return _("%(name)s was first on %(group)s, %(time)s ago: %(act)s. Your “%(wish)s” was not recorded.") % {
        "name": earlier_decision.by_name or _("Somebody"),
        "group": item_name,
        "time": elapsed_text(earlier_decision.made_at),
        "act": earlier_decision.action_label,
        "wish": wish,
    }


def _records_condition(item_key: str, document_ids: Sequence[int], using: str) -> Q:
    """Records of that cluster, or of one of the documents' objects."""
    posts = Document.objects.using(using).filter(pk__in=document_ids).values_list("content_type", "object_id")
    found = records_about_q(posts, using)
    return found | Q(cluster=int(item_key[1:])) if item_key[0] == "c" else found


def _created_at(row: Any) -> datetime:
    return cast(datetime, row.created)


def _build_earlier_decision(row: Any) -> EarlierDecision:
    act = row.get_kind_display() if isinstance(row, Decision) else row.get_action_display()
    return EarlierDecision(row.by_name, str(act), row.created, row.batch, row)

"""What came of a request for several groups, told group by group."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from .conflicts import EarlierDecision, conflict_message, repeat_message
from .decision_groups import ReviewItem
from .outcomes import MODERATION_ACTIONS, ActionPreview, ModerationAction
from .text_format import format_object_number

MAX_MESSAGES = 5
"""Failures that a message tells one by one."""

DONE_COUNT_LABELS: dict[str, Any] = {
    "leave": ngettext_lazy("%(count)d left", "%(count)d left", "count"),
    "hide": ngettext_lazy("%(count)d hidden", "%(count)d hidden", "count"),
    "merge": ngettext_lazy("%(count)d merged", "%(count)d merged", "count"),
    "delete": ngettext_lazy("%(count)d deleted", "%(count)d deleted", "count"),
}


@dataclass(frozen=True)
class ConflictResult:
    """A group that had changed, what was wished of it, and who was first. ``is_repeat``: the same person, with the
    same."""

    item_name: str
    requested_action: ModerationAction
    earlier_decision: EarlierDecision | None
    is_repeat: bool = False

    def build_message(self, site: str) -> tuple[str, str, str]:
        """What is said of it, with a link to what was done: its address and its words."""
        if self.earlier_decision is None:
            return conflict_message(None, self.requested_action, self.item_name), "", ""
        if self.is_repeat:
            return (
                repeat_message(self.earlier_decision, self.item_name),
                undo_url(self.earlier_decision.batch, site),
                _("Undo"),
            )
        return (
            conflict_message(self.earlier_decision, self.requested_action, self.item_name),
            self.earlier_decision.url(site),
            _("Show"),
        )


@dataclass
class DecisionResults:
    """What was done, by outcome, what was refused, and what had changed meanwhile; all of one batch."""

    batch: UUID
    done_counts: Counter[str] = field(default_factory=Counter)
    refused_previews: list[ActionPreview] = field(default_factory=list)
    conflicts: list[ConflictResult] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.done_counts.values()) + len(self.refused_previews) + len(self.conflicts)

    def add_messages(self, request: HttpRequest, site: str) -> None:
        """Tell it by messages, with a way to undo what was done."""
        if self.done_counts:
            whole = not self.refused_previews and not self.conflicts
            self._add_done_message(request, site, messages.success if whole else messages.warning)
        for preview in self.refused_previews[:MAX_MESSAGES]:
            said = _("Not done, %(name)s: %(reasons)s") % {
                "name": format_item_name(preview.item),
                "reasons": " ".join((preview.obstacles or preview.open_questions)[:MAX_MESSAGES]),
            }
            messages.warning(request, said)
        for each in self.conflicts[:MAX_MESSAGES]:
            self._add_conflict_message(request, site, each)
        rest = len(self.conflicts[MAX_MESSAGES:]) + len(self.refused_previews[MAX_MESSAGES:])
        if rest:
            said = ngettext(
                "%(count)d more was not done: it has changed since you saw it, or cannot be done.",
                "%(count)d more were not done: they have changed since you saw them, or cannot be done.",
                rest,
            )
            messages.warning(request, said % {"count": rest})

    def _add_done_message(self, request: HttpRequest, site: str, add_message: Any) -> None:
        add_message(
            request, _message_with_link(self._summary_text(), undo_url(self.batch, site), _("Undo"), "u")
        )

    def _summary_text(self) -> str:
        if len(self.done_counts) == 1 and self.total == sum(self.done_counts.values()):
            ((name, count),) = self.done_counts.items()
            return MODERATION_ACTIONS[name].done_message(count)
        parts = ", ".join(
            str(DONE_COUNT_LABELS[name] % {"count": count}) for name, count in self.done_counts.items()
        )
        return _("%(done)d of %(total)d done: %(parts)s.") % {
            "done": sum(self.done_counts.values()),
            "total": self.total,
            "parts": parts,
        }

    def _add_conflict_message(self, request: HttpRequest, site: str, conflict: ConflictResult) -> None:
        if conflict.earlier_decision is not None and conflict.earlier_decision.batch == self.batch:
            said = _("%(group)s was settled by another decision of yours just now.")
            messages.info(request, said % {"group": capfirst(conflict.item_name)})
            return
        messages.warning(request, _message_with_link(*conflict.build_message(site), ""))


def format_item_name(item: ReviewItem) -> str:
    """A group by the number of its first post, as messages call it."""
    return format_object_number(item.keeper_document.object_id)


def undo_url(batch: UUID, site: str) -> str:
    """Where what was decided together is taken back; empty where that admin has no such page."""
    try:
        return reverse(f"{site}:neardup_mergerecord_undo", args=[batch])
    except NoReverseMatch:
        return ""


def _message_with_link(message: str, url: str, link_text: str, shortcut_key: str) -> str | SafeString:
    if not url:
        return message
    if shortcut_key:
        return format_html(
            '{} <a href="{}" data-neardup-key="{}">{}</a>', message, url, shortcut_key, link_text
        )
    return format_html('{} <a href="{}">{}</a>', message, url, link_text)

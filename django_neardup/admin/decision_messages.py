"""Results of a request on several items, and the messages about them."""

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
"""The maximum number of refusals with a message each, and of conflicts. The rest are only counted."""

DONE_COUNT_LABELS: dict[str, Any] = {
    "leave": ngettext_lazy(
        "%(count)d marked as not duplicates", "%(count)d marked as not duplicates", "count"
    ),
    "hide": ngettext_lazy("%(count)d hidden", "%(count)d hidden", "count"),
    "merge": ngettext_lazy("%(count)d merged", "%(count)d merged", "count"),
    "delete": ngettext_lazy("%(count)d deleted", "%(count)d deleted", "count"),
}


@dataclass(frozen=True)
class ConflictResult:
    """A conflict on one item: the requested action, and the earlier decision if there is one.

    ``is_repeat``: the same user already did the same.
    """

    item_name: str
    requested_action: ModerationAction
    earlier_decision: EarlierDecision | None
    is_repeat: bool = False

    def build_message(self, site: str) -> tuple[str, str, str]:
        """Return the message, the URL of the earlier decision or its undo page, and the link's text.

        URL and text are empty if there is no earlier decision.
        """
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
    """The results of one batch: counts of finished items by action name, refused previews, and conflicts."""

    batch: UUID
    done_counts: Counter[str] = field(default_factory=Counter)
    refused_previews: list[ActionPreview] = field(default_factory=list)
    conflicts: list[ConflictResult] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.done_counts.values()) + len(self.refused_previews) + len(self.conflicts)

    def add_messages(self, request: HttpRequest, site: str) -> None:
        """Add messages about the results to the request, with a link to undo what was done."""
        if self.done_counts:
            is_all_done = not self.refused_previews and not self.conflicts
            self._add_done_message(request, site, messages.success if is_all_done else messages.warning)
        for preview in self.refused_previews[:MAX_MESSAGES]:
            message = _("Not possible for %(name)s: %(reasons)s") % {
                "name": format_item_name(preview.item),
                "reasons": " ".join(
                    [*preview.obstacles, *preview.losses, *preview.open_questions][:MAX_MESSAGES]
                ),
            }
            messages.warning(request, message)
        for conflict in self.conflicts[:MAX_MESSAGES]:
            self._add_conflict_message(request, site, conflict)
        remaining_count = len(self.conflicts[MAX_MESSAGES:]) + len(self.refused_previews[MAX_MESSAGES:])
        if remaining_count:
            message = ngettext(
                "%(count)d more was not changed: it has changed since you opened it, "
                "or the action is not possible.",
                "%(count)d more were not changed: they have changed since you opened them, "
                "or the action is not possible.",
                remaining_count,
            )
            messages.warning(request, message % {"count": remaining_count})

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
            # An earlier item of the same batch settled this one, for example if two pairs share a post.
            message = _("%(group)s was covered by another decision of yours just now.")
            messages.info(request, message % {"group": capfirst(conflict.item_name)})
            return
        messages.warning(request, _message_with_link(*conflict.build_message(site), ""))


def format_item_name(item: ReviewItem) -> str:
    """Return the name of an item in messages: the number of its keeper."""
    return format_object_number(item.keeper_document.object_id)


def undo_url(batch: UUID, site: str) -> str:
    """Return the URL of a batch's undo page. Return an empty string if the admin has no such page."""
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

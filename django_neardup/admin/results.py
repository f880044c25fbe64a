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

from .conflicts import First, words, words_again
from .groups import Group
from .outcomes import OUTCOMES, Outcome, Preview
from .words import numbered

TOLD = 5
"""Failures that a message tells one by one."""

PARTS: dict[str, Any] = {
    "leave": ngettext_lazy("%(count)d left", "%(count)d left", "count"),
    "hide": ngettext_lazy("%(count)d hidden", "%(count)d hidden", "count"),
    "merge": ngettext_lazy("%(count)d merged", "%(count)d merged", "count"),
    "delete": ngettext_lazy("%(count)d deleted", "%(count)d deleted", "count"),
}


@dataclass(frozen=True)
class Late:
    """A group that had changed, what was wished of it, and who was first. ``again``: the same person, with the same."""

    group: str
    wish: Outcome
    first: First | None
    again: bool = False

    def told(self, site: str) -> tuple[str, str, str]:
        """What is said of it, with a link to what was done: its address and its words."""
        if self.first is None:
            return words(None, self.wish, self.group), "", ""
        if self.again:
            return words_again(self.first, self.group), undo_url(self.first.batch, site), _("Undo")
        return words(self.first, self.wish, self.group), self.first.url(site), _("Show")


@dataclass
class Results:
    """What was done, by outcome, what was refused, and what had changed meanwhile; all of one batch."""

    batch: UUID
    done: Counter[str] = field(default_factory=Counter)
    failed: list[Preview] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.done.values()) + len(self.failed) + len(self.late)

    def tell(self, request: HttpRequest, site: str) -> None:
        """Tell it by messages, with a way to undo what was done."""
        if self.done:
            whole = not self.failed and not self.late
            self._tell_done(request, site, messages.success if whole else messages.warning)
        for preview in self.failed[:TOLD]:
            said = _("Not done, %(name)s: %(reasons)s") % {
                "name": name_of(preview.group),
                "reasons": " ".join((preview.reasons or preview.undecided)[:TOLD]),
            }
            messages.warning(request, said)
        for each in self.late[:TOLD]:
            self._tell_late(request, site, each)
        rest = len(self.late[TOLD:]) + len(self.failed[TOLD:])
        if rest:
            said = ngettext(
                "%(count)d more was not done: it has changed since you saw it, or cannot be done.",
                "%(count)d more were not done: they have changed since you saw them, or cannot be done.",
                rest,
            )
            messages.warning(request, said % {"count": rest})

    def _tell_done(self, request: HttpRequest, site: str, say: Any) -> None:
        say(request, _with_link(self._summary(), undo_url(self.batch, site), _("Undo"), "u"))

    def _summary(self) -> str:
        if len(self.done) == 1 and self.total == sum(self.done.values()):
            ((name, count),) = self.done.items()
            return OUTCOMES[name].done(count)
        parts = ", ".join(str(PARTS[name] % {"count": count}) for name, count in self.done.items())
        return _("%(done)d of %(total)d done: %(parts)s.") % {
            "done": sum(self.done.values()),
            "total": self.total,
            "parts": parts,
        }

    def _tell_late(self, request: HttpRequest, site: str, late: Late) -> None:
        if late.first is not None and late.first.batch == self.batch:
            said = _("%(group)s was settled by another decision of yours just now.")
            messages.info(request, said % {"group": capfirst(late.group)})
            return
        messages.warning(request, _with_link(*late.told(site), ""))


def name_of(group: Group) -> str:
    """A group by the number of its first post, as messages call it."""
    return numbered(group.stays.object_id)


def undo_url(batch: UUID, site: str) -> str:
    """Where what was decided together is taken back; empty where that admin has no such page."""
    try:
        return reverse(f"{site}:neardup_mergerecord_undo", args=[batch])
    except NoReverseMatch:
        return ""


def _with_link(said: str, url: str, link: str, key: str) -> str | SafeString:
    if not url:
        return said
    if key:
        return format_html('{} <a href="{}" data-neardup-key="{}">{}</a>', said, url, key, link)
    return format_html('{} <a href="{}">{}</a>', said, url, link)

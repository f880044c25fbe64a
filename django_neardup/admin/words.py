"""How figures, verdicts and differences are written for staff."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from ..comparison.pieces import showable
from ..models import Verdict
from ..text.plain import plain_text

SIGNS = {Verdict.DUPLICATE: "=", Verdict.VARIANT: "≠", Verdict.CONTAINED: "⊃", Verdict.RELATED: "≈"}

LABELS: dict[str, str | Promise] = {
    "code": pgettext_lazy("what differs", "code"),
    "number": pgettext_lazy("what differs", "number"),
    "measure": pgettext_lazy("what differs", "measure"),
    "name": pgettext_lazy("what differs", "word"),
    "latin": pgettext_lazy("what differs", "word"),
    "negation": pgettext_lazy("what differs", "negation"),
    "price": pgettext_lazy("what differs", "price"),
    "date": pgettext_lazy("what differs", "date"),
    "contact": pgettext_lazy("what differs", "contact"),
    "only": pgettext_lazy("what differs", "only here"),
    "word": "",
}
ONLY = {"A": pgettext_lazy("what differs", "only in A"), "B": pgettext_lazy("what differs", "only in B")}
CLASSES = {"latin": "name", "date": "price"}
"""Classes that look like another one."""

LETTERS = {"leave": "n", "hide": "h", "merge": "m", "delete": "d"}
"""The keys that choose an outcome."""

SHOWN = 3
"""Differences that a row of a table names."""

WORDS = 80
"""Letters of the words shown of either side."""


def percent(score: float, exact: bool = False) -> str:
    """A score, 0..1, in percent, rounded down; 100 % for exact copies and for nothing else."""
    whole = 100 if exact else min(99, math.floor(score * 100 + 1e-9))
    return f"{max(whole, 0)}\N{NO-BREAK SPACE}%"


def numbered(key: Any) -> str:
    """The number of an object as people write it."""
    return f"№\N{NO-BREAK SPACE}{key}"


def passed(since: datetime) -> str:
    """How much time has passed since then; Django would say "0 minutes" of seconds."""
    if timezone.now() - since < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(since)


@dataclass(frozen=True)
class Difference:
    """A difference as a table shows it: the words of the left text, then those of the right one."""

    kind: str
    left: str
    right: str
    decides: bool

    @property
    def label(self) -> str | Promise:
        return LABELS[self.kind]

    @property
    def html(self) -> SafeString:
        """The difference as a mark."""
        return self.marked(self.words, self.heading)

    @property
    def mark(self) -> SafeString:
        """The same where its class is told beside it."""
        return self.marked(self.words)

    @property
    def row(self) -> str | Promise:
        """The heading of its row; never empty."""
        return self.heading or pgettext_lazy("what differs", "other words")

    def marked(self, words: str, label: str | Promise = "") -> SafeString:
        """Words of either side, marked as of this difference's class."""
        small = format_html("<small>{}</small>", label) if label else ""
        return format_html('<mark class="{}">{}{}</mark>', css_class(self.kind, self.decides), small, words)

    @property
    def heading(self) -> str | Promise:
        """The class of the words, and which text alone has them."""
        if not self.side or self.kind in ("only", "word"):
            return self.side or self.label
        return f"{self.label}, {self.side}"

    @property
    def side(self) -> str | Promise:
        """Which text alone has the words; empty where both have some."""
        if self.left and self.right:
            return ""
        return ONLY["A" if self.left else "B"]

    @property
    def words(self) -> str:
        """The left words and the right ones, or those that are there."""
        return (
            f"{self.left}\N{NO-BREAK SPACE}→ {self.right}"
            if self.left and self.right
            else self.left or self.right
        )

    @property
    def plain(self) -> str:
        """The difference without marks."""
        return f"{self.heading} {self.words}".strip()


def css_class(kind: str, decides: bool) -> str:
    """The classes of a mark: fill says that a difference decides."""
    name = f"neardup-{CLASSES.get(kind, kind)}"
    return name if decides else f"{name} neardup-idle"


def differences(
    evidence: Mapping[str, Any], left: str, texts: Mapping[str, str] | None = None
) -> list[Difference]:
    """The differences of a pair's evidence, deciding ones first; ``left`` is the side shown left, "a" or "b".

    ``texts``, both sides as they were compared, give the words as their authors wrote them.
    """
    right = "b" if left == "a" else "a"
    found = [
        Difference(
            kind_of(item), _words(item, left, texts), _words(item, right, texts), bool(item.get("decides"))
        )
        for item in items(evidence)
    ]
    return sorted(found, key=lambda each: (not each.decides, each.kind in ("word", "only")))


def items(evidence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The differences as stored, whatever else may be there."""
    stored = evidence.get("differences")
    return [item for item in stored if isinstance(item, dict)] if isinstance(stored, list) else []


def kind_of(item: Mapping[str, Any]) -> str:
    """The class of a stored difference; what is not known is a word."""
    kind = item.get("kind")
    return kind if isinstance(kind, str) and kind in LABELS else "word"


def rest(count: int) -> str:
    """What a cell says of the differences that it has no room for; empty where there are none."""
    return ngettext("and %(count)d more", "and %(count)d more", count) % {"count": count} if count > 0 else ""


def span_of(item: Mapping[str, Any], side: str) -> tuple[int, int] | None:
    """The place of a stored difference in the text of that side."""
    place = item.get(side)
    return pair_of_numbers(place.get("span")) if isinstance(place, dict) else None


def pair_of_numbers(span: Any) -> tuple[int, int] | None:
    """A place as it is stored, whatever else may be there."""
    if isinstance(span, list) and len(span) == 2 and all(type(each) is int and each >= 0 for each in span):
        return span[0], span[1]
    return None


def _words(item: Mapping[str, Any], side: str, texts: Mapping[str, str] | None) -> str:
    span = span_of(item, side)
    if texts is not None and span is not None:
        raw = texts[side][span[0] : min(span[1], span[0] + 4 * WORDS)]
        return _cut(" ".join(showable(plain_text(raw).text).split()))
    value = item.get(side)
    return _cut(str(value.get("text", ""))) if isinstance(value, dict) else ""


def _cut(words: str) -> str:
    return words if len(words) <= WORDS else words[: WORDS - 1] + "…"

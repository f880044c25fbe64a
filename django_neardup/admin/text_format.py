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

from ..models import Verdict
from ..reports.segments import replace_control_characters
from ..text.normalization.plain_text import plain_text

VERDICT_SIGNS = {Verdict.DUPLICATE: "=", Verdict.VARIANT: "≠", Verdict.CONTAINED: "⊃", Verdict.RELATED: "≈"}

DIFFERENCE_LABELS: dict[str, str | Promise] = {
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
ONE_SIDED_LABELS = {
    "A": pgettext_lazy("what differs", "only in A"),
    "B": pgettext_lazy("what differs", "only in B"),
}
CSS_CLASS_ALIASES = {"latin": "name", "date": "price"}
"""Classes that look like another one."""

ACTION_KEYS = {"leave": "n", "hide": "h", "merge": "m", "delete": "d"}
"""The keys that choose an outcome."""

MAX_ROW_DIFFERENCES = 3
"""Differences that a row of a table names."""

MAX_WORDS_LENGTH = 80
"""Letters of the words shown of either side."""


def format_percent(score: float, is_exact: bool = False) -> str:
    """A score, 0..1, in percent, rounded down; 100 % for exact copies and for nothing else."""
    whole = 100 if is_exact else min(99, math.floor(score * 100 + 1e-9))
    return f"{max(whole, 0)}\N{NO-BREAK SPACE}%"


def format_object_number(key: Any) -> str:
    """The number of an object as people write it."""
    return f"№\N{NO-BREAK SPACE}{key}"


def elapsed_text(since: datetime) -> str:
    """How much time has passed since then; Django would say "0 minutes" of seconds."""
    if timezone.now() - since < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(since)


@dataclass(frozen=True)
class DisplayedDifference:
    """A difference as a table shows it: the words of the left text, then those of the right one."""

    kind: str
    left_words: str
    right_words: str
    is_deciding: bool

    @property
    def label(self) -> str | Promise:
        return DIFFERENCE_LABELS[self.kind]

    @property
    def labelled_html(self) -> SafeString:
        """The difference as a mark."""
        return self.build_mark(self.words, self.heading)

    @property
    def mark_html(self) -> SafeString:
        """The same where its class is told beside it."""
        return self.build_mark(self.words)

    @property
    def row_heading(self) -> str | Promise:
        """The heading of its row; never empty."""
        return self.heading or pgettext_lazy("what differs", "other words")

    def build_mark(self, words: str, label: str | Promise = "") -> SafeString:
        """Words of either side, marked as of this difference's class."""
        small = format_html("<small>{}</small>", label) if label else ""
        return format_html(
            '<mark class="{}">{}{}</mark>', css_class(self.kind, self.is_deciding), small, words
        )

    @property
    def heading(self) -> str | Promise:
        """The class of the words, and which text alone has them."""
        if not self.one_sided_label or self.kind in ("only", "word"):
            return self.one_sided_label or self.label
        return f"{self.label}, {self.one_sided_label}"

    @property
    def one_sided_label(self) -> str | Promise:
        """Which text alone has the words; empty where both have some."""
        if self.left_words and self.right_words:
            return ""
        return ONE_SIDED_LABELS["A" if self.left_words else "B"]

    @property
    def words(self) -> str:
        """The left words and the right ones, or those that are there."""
        return (
            f"{self.left_words}\N{NO-BREAK SPACE}→ {self.right_words}"
            if self.left_words and self.right_words
            else self.left_words or self.right_words
        )

    @property
    def labelled_text(self) -> str:
        """The difference without marks."""
        return f"{self.heading} {self.words}".strip()


def css_class(kind: str, is_deciding: bool) -> str:
    """The classes of a mark: fill says that a difference decides."""
    name = f"neardup-{CSS_CLASS_ALIASES.get(kind, kind)}"
    return name if is_deciding else f"{name} neardup-idle"


def build_differences(
    evidence: Mapping[str, Any], left_side: str, texts: Mapping[str, str] | None = None
) -> list[DisplayedDifference]:
    """The differences of a pair's evidence, deciding ones first; ``left_side`` is the side shown left, "a" or "b".

    ``texts``, both sides as they were compared, give the words as their authors wrote them.
    """
    right = "b" if left_side == "a" else "a"
    found = [
        DisplayedDifference(
            difference_kind(item),
            _side_words(item, left_side, texts),
            _side_words(item, right, texts),
            bool(item.get("decides")),
        )
        for item in raw_differences(evidence)
    ]
    return sorted(found, key=lambda each: (not each.is_deciding, each.kind in ("word", "only")))


def raw_differences(evidence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The differences as stored, whatever else may be there."""
    stored = evidence.get("differences")
    return [item for item in stored if isinstance(item, dict)] if isinstance(stored, list) else []


def difference_kind(item: Mapping[str, Any]) -> str:
    """The class of a stored difference; what is not known is a word."""
    kind = item.get("kind")
    return kind if isinstance(kind, str) and kind in DIFFERENCE_LABELS else "word"


def more_text(count: int) -> str:
    """What a cell says of the differences that it has no room for; empty where there are none."""
    return ngettext("and %(count)d more", "and %(count)d more", count) % {"count": count} if count > 0 else ""


def stored_span(item: Mapping[str, Any], side: str) -> tuple[int, int] | None:
    """The place of a stored difference in the text of that side."""
    place = item.get(side)
    return parse_span(place.get("span")) if isinstance(place, dict) else None


def parse_span(span: Any) -> tuple[int, int] | None:
    """A place as it is stored, whatever else may be there."""
    if isinstance(span, list) and len(span) == 2 and all(type(each) is int and each >= 0 for each in span):
        return span[0], span[1]
    return None


def _side_words(item: Mapping[str, Any], side: str, texts: Mapping[str, str] | None) -> str:
    span = stored_span(item, side)
    if texts is not None and span is not None:
        raw = texts[side][span[0] : min(span[1], span[0] + 4 * MAX_WORDS_LENGTH)]
        return _truncate(" ".join(replace_control_characters(plain_text(raw).text).split()))
    value = item.get(side)
    return _truncate(str(value.get("text", ""))) if isinstance(value, dict) else ""


def _truncate(words: str) -> str:
    return words if len(words) <= MAX_WORDS_LENGTH else words[: MAX_WORDS_LENGTH - 1] + "…"

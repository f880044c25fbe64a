"""The formats of figures, verdicts and differences on pages for staff."""

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
from ..reports.labels import ComparisonLabels
from ..reports.segments import replace_control_characters
from ..search.object_comparison import translate_text
from ..text.normalization.plain_text import plain_text

LABELS = ComparisonLabels(translate_text)
"""Labels of a comparison in the active language."""

VERDICT_SIGNS = {Verdict.DUPLICATE: "=", Verdict.VARIANT: "≠", Verdict.CONTAINED: "⊃", Verdict.RELATED: "≈"}

DIFFERENCE_LABELS: dict[str, str | Promise] = {
    "code": pgettext_lazy("differences", "code"),
    "number": pgettext_lazy("differences", "number"),
    "measure": pgettext_lazy("differences", "measure"),
    "name": pgettext_lazy("differences", "word"),
    "latin": pgettext_lazy("differences", "word"),
    "sign": pgettext_lazy("differences", "sign"),
    "deal": pgettext_lazy("differences", "kind of deal"),
    "role": pgettext_lazy("differences", "role"),
    "opposite": pgettext_lazy("differences", "opposite"),
    "negation": pgettext_lazy("differences", "negation"),
    "price": pgettext_lazy("differences", "price"),
    "date": pgettext_lazy("differences", "date"),
    "contact": pgettext_lazy("differences", "contact"),
    "only": pgettext_lazy("differences", "only here"),
    "word": "",
}
ONE_SIDED_LABELS = {
    "A": pgettext_lazy("differences", "only in A"),
    "B": pgettext_lazy("differences", "only in B"),
}
CSS_CLASS_ALIASES = {"latin": "name", "date": "price"}
"""Difference classes that use the style of another class."""

ACTION_KEYS = {"leave": "n", "hide": "h", "merge": "m", "delete": "d"}
"""The shortcut key of each action."""

MAX_ROW_DIFFERENCES = 3
"""Maximum number of differences in a table row."""

MAX_WORDS_LENGTH = 80
"""Maximum number of characters of the words of each side."""


def format_percent(score: float, is_exact: bool = False) -> str:
    """Return a score (0..1) in percent, rounded down. Only exact copies get 100 %."""
    # 0.29 * 100 is 28.999…: without the 1e-9 it would be rounded down to 28.
    percent = 100 if is_exact else min(99, math.floor(score * 100 + 1e-9))
    return f"{max(percent, 0)}\N{NO-BREAK SPACE}%"


def format_object_number(key: Any) -> str:
    """Return an object's number as people write it."""
    return f"№\N{NO-BREAK SPACE}{key}"


def elapsed_text(since: datetime) -> str:
    """Return in words how much time has passed since then."""
    # Django's ``timesince`` returns "0 minutes" for seconds.
    if timezone.now() - since < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(since)


@dataclass(frozen=True)
class DisplayedDifference:
    """A difference in a table: the words of the left text and the words of the right text."""

    kind: str
    left_words: str
    right_words: str
    is_deciding: bool
    rule: str = ""

    @property
    def rule_text(self) -> str:
        """Return the reason of the rule that decided, with an example of it."""
        return LABELS.rule(self.rule)

    @property
    def label(self) -> str | Promise:
        return DIFFERENCE_LABELS[self.kind]

    @property
    def labelled_html(self) -> SafeString:
        """Return the difference as a mark with its heading."""
        return self.build_mark(self.words, self.heading)

    @property
    def mark_html(self) -> SafeString:
        """Return the difference as a mark without heading, for a table that shows the class next to it."""
        return self.build_mark(self.words)

    @property
    def row_heading(self) -> str | Promise:
        """Return the heading of its table row. It is never empty."""
        return self.heading or pgettext_lazy("differences", "other words")

    def build_mark(self, words: str, label: str | Promise = "") -> SafeString:
        """Return words of one side in a mark of this difference's class."""
        label_html = format_html("<small>{}</small>", label) if label else ""
        return format_html(
            '<mark class="{}">{}{}</mark>', css_class(self.kind, self.is_deciding), label_html, words
        )

    @property
    def heading(self) -> str | Promise:
        """Return the class of the words. If only one text has them, name this text too."""
        if not self.one_sided_label or self.kind in ("only", "word"):
            return self.one_sided_label or self.label
        return f"{self.label}, {self.one_sided_label}"

    @property
    def one_sided_label(self) -> str | Promise:
        """Return which text is the only one with words. Return an empty string if both have some."""
        if self.left_words and self.right_words:
            return ""
        return ONE_SIDED_LABELS["A" if self.left_words else "B"]

    @property
    def words(self) -> str:
        """Return the left and the right words, or the words of one side if the other has none."""
        return (
            f"{self.left_words}\N{NO-BREAK SPACE}→ {self.right_words}"
            if self.left_words and self.right_words
            else self.left_words or self.right_words
        )

    @property
    def labelled_text(self) -> str:
        """Return the difference as plain text: heading and words."""
        return f"{self.heading} {self.words}".strip()


def css_class(kind: str, is_deciding: bool) -> str:
    """Return the CSS classes of a mark.

    Only deciding differences are filled; the others get ``neardup-idle``.
    """
    name = f"neardup-{CSS_CLASS_ALIASES.get(kind, kind)}"
    return name if is_deciding else f"{name} neardup-idle"


def build_differences(
    evidence: Mapping[str, Any], left_side: str, texts: Mapping[str, str] | None = None
) -> list[DisplayedDifference]:
    """Return the differences of a pair's evidence, deciding ones first.

    ``left_side`` is the side shown on the left, "a" or "b". If ``texts`` (both texts as they were compared)
    is given, the words come from the texts, as their authors wrote them. Otherwise they come from the
    evidence.
    """
    right = "b" if left_side == "a" else "a"
    differences = [
        DisplayedDifference(
            difference_kind(item),
            _side_words(item, left_side, texts),
            _side_words(item, right, texts),
            bool(item.get("decides")),
            str(item.get("rule") or ""),
        )
        for item in raw_differences(evidence)
    ]
    return sorted(
        differences, key=lambda difference: (not difference.is_deciding, difference.kind in ("word", "only"))
    )


def raw_differences(evidence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stored differences.

    Skip entries of another type; return an empty list if there is no list.
    """
    stored = evidence.get("differences")
    return [item for item in stored if isinstance(item, dict)] if isinstance(stored, list) else []


def difference_kind(item: Mapping[str, Any]) -> str:
    """Return the class of a stored difference. Return "word" for an unknown class."""
    kind = item.get("kind")
    return kind if isinstance(kind, str) and kind in DIFFERENCE_LABELS else "word"


def more_text(count: int) -> str:
    """Return the text "and N more" for differences that do not fit a cell.

    Return an empty string if there are none.
    """
    return ngettext("and %(count)d more", "and %(count)d more", count) % {"count": count} if count > 0 else ""


def stored_span(item: Mapping[str, Any], side: str) -> tuple[int, int] | None:
    """Return the span of a stored difference in the text of the side. Return None if it has none."""
    side_data = item.get(side)
    return parse_span(side_data.get("span")) if isinstance(side_data, dict) else None


def parse_span(span: Any) -> tuple[int, int] | None:
    """Return a stored span as (start, end). Return None if the value is not a valid span."""
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(type(offset) is int and offset >= 0 for offset in span)
    ):
        return span[0], span[1]
    return None


def _side_words(item: Mapping[str, Any], side: str, texts: Mapping[str, str] | None) -> str:
    span = stored_span(item, side)
    if texts is not None and span is not None:
        raw = texts[side][span[0] : min(span[1], span[0] + 4 * MAX_WORDS_LENGTH)]
        # Characters that set the text direction would also turn round the words next to these.
        return _truncate(" ".join(replace_control_characters(plain_text(raw).text).split()))
    value = item.get(side)
    return _truncate(str(value.get("text", ""))) if isinstance(value, dict) else ""


def _truncate(words: str) -> str:
    return words if len(words) <= MAX_WORDS_LENGTH else words[: MAX_WORDS_LENGTH - 1] + "…"

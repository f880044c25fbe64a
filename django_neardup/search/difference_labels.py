"""Differences as a visitor sees them: their kinds and the posts' own words, never a score or a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from ..text.normalization.plain_text import plain_text
from .display_titles import shorten

MAX_DIFFERENCES = 4
"""Maximum number of differences shown."""
MAX_WORDS_LENGTH = 40
"""Maximum length of the words of one side, in letters."""

DIFFERENCE_LABELS: dict[str, Promise] = {
    "code": pgettext_lazy("differences", "model"),
    "measure": pgettext_lazy("differences", "size"),
    "number": pgettext_lazy("differences", "number"),
    "latin": pgettext_lazy("differences", "name"),
    "name": pgettext_lazy("differences", "word"),
    "sign": pgettext_lazy("differences", "sign"),
    "deal": pgettext_lazy("differences", "kind of deal"),
    "role": pgettext_lazy("differences", "role"),
    "opposite": pgettext_lazy("differences", "opposite"),
    "negation": pgettext_lazy("differences", "negation"),
    "price": pgettext_lazy("differences", "price"),
    "date": pgettext_lazy("differences", "date"),
    "contact": pgettext_lazy("differences", "contact"),
}
KINDS_WITHOUT_WORDS = ("contact",)
"""Kinds shown without their words: no entry shows the telephone number of another post."""


@dataclass(frozen=True)
class DifferenceLabel:
    """A difference.

    ``before`` has the words of the first post, ``after`` the words of the other. Either may be empty.
    """

    kind: str
    label: Promise
    before: str
    after: str

    @property
    def css(self) -> str:
        """The CSS class of its mark."""
        return "neardup-name" if self.kind == "latin" else f"neardup-{self.kind}"


def build_difference_labels(
    evidence: Mapping[str, Any], texts: Mapping[str, str], first_side: str = "a"
) -> list[DifferenceLabel]:
    """Return the differences to show, at most four. Differences that make two different items come first.

    A visitor never reads a doubt: differences that only may decide are left out.

    ``evidence``: the stored evidence of a pair. It may be incomplete. ``texts``: the compared versions of
    both texts, by side, "a" and "b". The words are cut out of them. ``first_side``: the side that the other
    one is compared with.
    """
    is_minor_by_label: dict[DifferenceLabel, bool] = {}
    is_doubtful = evidence.get("certainty") == "maybe"
    for label, is_decisive in _labelled_differences(evidence, texts, first_side):
        if is_decisive and is_doubtful:
            continue
        is_minor_by_label.setdefault(label, not is_decisive)
    kinds = list(DIFFERENCE_LABELS)
    ranked = sorted(is_minor_by_label, key=lambda label: (is_minor_by_label[label], kinds.index(label.kind)))
    return ranked[:MAX_DIFFERENCES]


def _labelled_differences(
    evidence: Mapping[str, Any], texts: Mapping[str, str], first_side: str
) -> Iterator[tuple[DifferenceLabel, bool]]:
    second_side = "b" if first_side == "a" else "a"
    for difference in _only_dicts(evidence.get("differences")):
        kind = difference.get("kind")
        if isinstance(kind, str) and kind in DIFFERENCE_LABELS:
            has_words = kind not in KINDS_WITHOUT_WORDS
            before, after = (
                _side_words(difference.get(side), texts[side]) if has_words else ""
                for side in (first_side, second_side)
            )
            yield (
                DifferenceLabel(kind, DIFFERENCE_LABELS[kind], before, after),
                bool(difference.get("decides")),
            )


def _side_words(side: Any, text: str) -> str:
    """Return the words of one side as its author wrote them, without markup."""
    span = side.get("span") if isinstance(side, dict) else None
    if not (isinstance(span, list) and len(span) == 2 and all(isinstance(offset, int) for offset in span)):
        return ""
    start, end = span
    return shorten(
        plain_text(text[max(start, 0) : max(end, 0)][: MAX_WORDS_LENGTH * 4]).text, MAX_WORDS_LENGTH
    )


def _only_dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

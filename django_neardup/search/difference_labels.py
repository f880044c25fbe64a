"""What differs, in a visitor's words: classes and the posts' own words, never a score or a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from ..text.normalization.plain_text import plain_text
from .display_titles import shorten

MAX_DIFFERENCES = 4
"""How many differences are named."""
MAX_WORDS_LENGTH = 40
"""Letters of the words shown of either side."""

DIFFERENCE_LABELS: dict[str, Promise] = {
    "code": pgettext_lazy("what differs", "model"),
    "measure": pgettext_lazy("what differs", "size"),
    "number": pgettext_lazy("what differs", "number"),
    "latin": pgettext_lazy("what differs", "name"),
    "name": pgettext_lazy("what differs", "word"),
    "negation": pgettext_lazy("what differs", "negation"),
    "price": pgettext_lazy("what differs", "price"),
    "date": pgettext_lazy("what differs", "date"),
    "contact": pgettext_lazy("what differs", "contact"),
}
KINDS_WITHOUT_WORDS = ("contact",)
"""Classes that are named without their words: nobody's telephone stands in another's entry."""


@dataclass(frozen=True)
class DifferenceLabel:
    """A difference: ``before`` is the first post's side, ``after`` the other's; either may be empty."""

    kind: str
    label: Promise
    before: str
    after: str

    @property
    def css(self) -> str:
        """The class of its mark."""
        return "neardup-name" if self.kind == "latin" else f"neardup-{self.kind}"


def build_difference_labels(
    evidence: Mapping[str, Any], texts: Mapping[str, str], first_side: str = "a"
) -> list[DifferenceLabel]:
    """The differences worth naming, those first that tell another item; at most four.

    ``evidence``: that of a pair, whatever there is. ``texts``: both texts as they were compared, by side, "a"
    and "b"; the words are cut out of them. ``first``: the side that the other one is compared with.
    """
    found: dict[DifferenceLabel, bool] = {}
    for hint, decides in _labelled_differences(evidence, texts, first_side):
        found.setdefault(hint, not decides)
    order = list(DIFFERENCE_LABELS)
    ranked = sorted(found, key=lambda hint: (found[hint], order.index(hint.kind)))
    return ranked[:MAX_DIFFERENCES]


def _labelled_differences(
    evidence: Mapping[str, Any], texts: Mapping[str, str], first_side: str
) -> Iterator[tuple[DifferenceLabel, bool]]:
    second = "b" if first_side == "a" else "a"
    for item in _only_dicts(evidence.get("differences")):
        kind = item.get("kind")
        if isinstance(kind, str) and kind in DIFFERENCE_LABELS:
            quoted = kind not in KINDS_WITHOUT_WORDS
            before, after = (
                _side_words(item.get(side), texts[side]) if quoted else "" for side in (first_side, second)
            )
            yield DifferenceLabel(kind, DIFFERENCE_LABELS[kind], before, after), bool(item.get("decides"))


def _side_words(side: Any, text: str) -> str:
    """The words of that side as its author wrote them, without markup."""
    span = side.get("span") if isinstance(side, dict) else None
    if not (isinstance(span, list) and len(span) == 2 and all(isinstance(place, int) for place in span)):
        return ""
    start, end = span
    return shorten(
        plain_text(text[max(start, 0) : max(end, 0)][: MAX_WORDS_LENGTH * 4]).text, MAX_WORDS_LENGTH
    )


def _only_dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

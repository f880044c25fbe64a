"""Two texts cut at what a pair's evidence names in them, and each with what is known of its post."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from ..adapters import Source
from ..models import Document
from ..reports.segments import Segment, SharedPassage, split_plain_text
from ..text.alignment.differences import Difference
from ..text.normalization.offsets import OffsetText
from ..text.normalization.plain_text import plain_text
from .evidence_spans import locate_differences, locate_passages
from .highlighting import MAX_TEXT_LENGTH, highlight_pieces, passage_numbers, truncate_pieces
from .visible_objects import DisplayedPost

MAX_LISTED_PASSAGES = 12
"""Numbers of passages that a cell lists."""


@dataclass(frozen=True)
class ComparisonSide:
    """One side. ``text`` is None where it is gone or not for this person; ``is_truncated`` where it is longer.

    ``earlier_text`` says by how much it was seen before the other, ``has_same_author`` whether both have one author.
    """

    post: DisplayedPost
    letter: str
    text: SafeString | None = None
    is_truncated: bool = False
    earlier_text: str = ""
    has_same_author: bool = False


class SideBySideTexts:
    """Both texts cut at what the evidence names in them."""

    def __init__(
        self,
        left: DisplayedPost,
        right: DisplayedPost,
        sources: Mapping[int, Source],
        evidence: Mapping[str, Any],
        side: str,
    ) -> None:
        self.displayed_posts = (left, right)
        self.texts = [_strip_markup(sources.get(each.document.pk)) for each in self.displayed_posts]
        self.differences: list[Difference] = []
        self.shared_passages: list[SharedPassage] = []
        if self.texts[0] is not None and self.texts[1] is not None and evidence:
            self.differences = locate_differences(evidence, side)
            self.shared_passages = locate_passages(evidence, side, (self.texts[0], self.texts[1]))

    @property
    def passage_order(self) -> str:
        """The passages as the right text has them, where that is another order."""
        numbers = [each.number for each in sorted(self.shared_passages, key=lambda each: each.b)]
        if numbers == sorted(numbers):
            return ""
        return ", ".join(map(str, numbers[:MAX_LISTED_PASSAGES])) + (
            " …" if len(numbers) > MAX_LISTED_PASSAGES else ""
        )

    def build_sides(self) -> list[ComparisonSide]:
        """Both sides."""
        pieces = [self._cut_pieces(place) for place in (0, 1)]
        twins = passage_numbers(pieces[0]) & passage_numbers(pieces[1])
        return [
            self._build_side(place, letter, pieces[place], twins)
            for place, letter in enumerate(("A", "B"))
        ]  # fmt: skip

    def _cut_pieces(self, index: int) -> list[Segment]:
        text = self.texts[index]
        return (
            []
            if text is None
            else truncate_pieces(split_plain_text(text, self.differences, self.shared_passages, "ab"[index]))
        )

    def _build_side(
        self, index: int, letter: str, pieces: Sequence[Segment], shared_numbers: set[int]
    ) -> ComparisonSide:
        shown, other, text = self.displayed_posts[index], self.displayed_posts[1 - index], self.texts[index]
        if text is None:
            return ComparisonSide(shown, letter)
        both = other.instance is not None
        authors = {shown.document.author, other.document.author}
        return ComparisonSide(
            shown,
            letter,
            highlight_pieces(pieces, letter, shared_numbers),
            len(text.text) > MAX_TEXT_LENGTH,
            earlier_by_text(shown.document, other.document) if both else "",
            both and len(authors) == 1 and authors != {""},
        )


def _strip_markup(source: Source | None) -> OffsetText | None:
    return None if source is None else plain_text(source.text)


def earlier_by_text(document: Document, other: Document) -> str:
    """By how much that one was seen before the other; empty for the later one."""
    if (document.first_seen, document.pk) > (other.first_seen, other.pk):
        return ""
    if other.created - document.created < timedelta(days=1):
        return _("earlier")
    return _("%(time)s earlier") % {"time": timesince(document.created, other.created, depth=1)}

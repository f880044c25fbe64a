"""Two texts, cut into segments at the passages and differences of a pair's evidence, with facts about their
posts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from ..adapters import Source
from ..db.timezones import to_local
from ..judge.differences import Difference
from ..models import Document
from ..reports.segments import Segment, SharedPassage, split_plain_text
from ..text.normalization.offsets import OffsetText
from ..text.normalization.plain_text import plain_text
from .evidence_spans import locate_differences, locate_passages
from .highlighting import MAX_TEXT_LENGTH, highlight_pieces, passage_numbers, truncate_pieces
from .visible_objects import DisplayedPost

MAX_LISTED_PASSAGES = 12
"""Maximum number of passage numbers in a cell."""


@dataclass(frozen=True)
class ComparisonSide:
    """One side of the comparison.

    - ``text`` is None if the post is gone or this person may not see it.
    - ``is_truncated``: the text is longer than what is shown.
    - ``age_text`` says in words how much older than the other this text is, or when it was edited.
    - ``has_same_author``: both posts have the same author.
    """

    post: DisplayedPost
    letter: str
    text: SafeString | None = None
    is_truncated: bool = False
    age_text: str = ""
    has_same_author: bool = False


class SideBySideTexts:
    """Both texts, cut at the passages and differences that the evidence names."""

    def __init__(
        self,
        left: DisplayedPost,
        right: DisplayedPost,
        sources: Mapping[int, Source],
        evidence: Mapping[str, Any],
        side: str,
    ) -> None:
        self.displayed_posts = (left, right)
        self.texts = [_strip_markup(post, sources.get(post.document.pk)) for post in self.displayed_posts]
        self.differences: list[Difference] = []
        self.shared_passages: list[SharedPassage] = []
        if self.texts[0] is not None and self.texts[1] is not None and evidence:
            self.differences = locate_differences(evidence, side)
            self.shared_passages = locate_passages(evidence, side, (self.texts[0], self.texts[1]))

    @property
    def passage_order(self) -> str:
        """Return the passage numbers in the order of the right text.

        Return an empty string if the order is the same.
        """
        numbers = [passage.number for passage in sorted(self.shared_passages, key=lambda passage: passage.b)]
        if numbers == sorted(numbers):
            return ""
        return ", ".join(map(str, numbers[:MAX_LISTED_PASSAGES])) + (
            " …" if len(numbers) > MAX_LISTED_PASSAGES else ""
        )

    def build_sides(self) -> list[ComparisonSide]:
        """Return the left and the right side."""
        pieces = [self._cut_pieces(index) for index in (0, 1)]
        shared_numbers = passage_numbers(pieces[0]) & passage_numbers(pieces[1])
        return [
            self._build_side(index, letter, pieces[index], shared_numbers)
            for index, letter in enumerate(("A", "B"))
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
        post, other, text = self.displayed_posts[index], self.displayed_posts[1 - index], self.texts[index]
        if text is None:
            return ComparisonSide(post, letter)
        both_visible = other.instance is not None
        authors = {post.document.author, other.document.author}
        return ComparisonSide(
            post,
            letter,
            highlight_pieces(pieces, letter, shared_numbers),
            len(text.text) > MAX_TEXT_LENGTH,
            age_text(post.document, other.document) if both_visible else "",
            both_visible and len(authors) == 1 and authors != {""},
        )


def _strip_markup(post: DisplayedPost, source: Source | None) -> OffsetText | None:
    return None if source is None else plain_text(source.text, markup=post.markup)


def _edit_text(document: Document) -> str:
    if document.edited_at is None:
        return ""
    return _("edited on %(date)s") % {"date": date_format(to_local(document.edited_at))}


def age_text(document: Document, other: Document) -> str:
    """Return in words how much older than the other's the text of the document is, or when it was edited.

    Return "" for the younger text, unless an edit made it so.
    """
    if document.text_age > other.text_age:
        return _edit_text(document)
    since, until = (row.edited_at or row.created for row in (document, other))
    if until - since < timedelta(days=1):
        return _("earlier")
    return _("%(time)s earlier") % {"time": timesince(since, until, depth=1)}

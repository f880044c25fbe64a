"""A text as its reader sees it, cut at the borders of differences and shared passages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from ..judge.differences import Difference, Passage, Span
from ..text.canonical_text import CanonicalText
from ..text.normalization.offsets import OffsetText

MAX_GAP_WORDS = 8
LOOK_BACK_GROUPS = 3
MIN_PASSAGE_WORDS = 4
CONTROL_CHARACTERS = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2061-\u206f\ufff9-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters, except the tab, the line break, visible characters, and characters that only
join letters or separate words."""
Item = TypeVar("Item")


class SharedPassage(NamedTuple):
    """A passage that both texts have, with little differences inside it.

    ``number``: 1 for the first one of a. ``word_count``: how many words are shared. ``a``, ``b``: offsets in the
    texts as written. ``is_boilerplate``: many other texts share it too.
    """

    number: int
    word_count: int
    a: Span
    b: Span
    is_boilerplate: bool = False


class Segment(NamedTuple):
    """A stretch of a text without its markup.

    ``difference``: the difference to which it belongs, or None. ``passage_number``: the number of the shared
    passage that contains it, or 0. ``is_boilerplate``: whether that passage is boilerplate.
    """

    text: str
    difference: Difference | None
    passage_number: int
    is_boilerplate: bool = False


def join_passages(runs: Sequence[Passage]) -> list[SharedPassage]:
    """Join runs of shared words, in the order of a, if at most 8 words are between them on either side.

    Return the passages of at least 4 shared words. Boilerplate is joined only to boilerplate.
    """
    groups: list[list[Passage]] = []
    for run in runs:
        for group in reversed(groups[-LOOK_BACK_GROUPS:]):
            if _continues(group[-1], run):
                group.append(run)
                break
            # A short group does not end a passage: the run may continue the group before it.
            if _is_long_enough(group):
                groups.append([run])
                break
        else:
            groups.append([run])
    long_groups = filter(_is_long_enough, groups)
    return [
        SharedPassage(
            number,
            _count_words(group),
            (group[0].span_a[0], group[-1].span_a[1]),
            (group[0].span_b[0], group[-1].span_b[1]),
            group[0].is_boilerplate,
        )
        for number, group in enumerate(long_groups, 1)
    ]


def _count_words(group: Sequence[Passage]) -> int:
    return sum(run.word_count for run in group)


def _is_long_enough(group: Sequence[Passage]) -> bool:
    """Return whether the runs, of at least one word each, are long enough together."""
    return len(group) >= MIN_PASSAGE_WORDS or _count_words(group) >= MIN_PASSAGE_WORDS


def _continues(before: Passage, after: Passage) -> bool:
    return (
        before.is_boilerplate == after.is_boilerplate
        and _is_near(before.token_range_a, after.token_range_a)
        and _is_near(before.token_range_b, after.token_range_b)
    )


def _is_near(before: Span, after: Span) -> bool:
    return 0 <= after[0] - before[1] <= MAX_GAP_WORDS


def split_text(
    text: CanonicalText, differences: Iterable[Difference], passages: Iterable[SharedPassage], side: str
) -> list[Segment]:
    """Return the segments of the whole text, in order. ``side`` is "a" or "b": which of the two texts it is."""
    return split_plain_text(text.traced_plain, differences, passages, side)


def split_plain_text(
    plain: OffsetText, differences: Iterable[Difference], passages: Iterable[SharedPassage], side: str
) -> list[Segment]:
    """Return the segments of a text that is already without its markup."""
    marks = _map_to_plain_text(
        plain, ((getattr(difference, f"span_{side}"), difference) for difference in differences)
    )
    blocks = _map_to_plain_text(plain, ((getattr(passage, side), passage) for passage in passages))
    cuts = {0, len(plain.text)}.union(*(span for span, _ in marks), *(span for span, _ in blocks))
    ends = sorted(cuts)
    differences_by_offset, passages_by_offset = _IntervalLookup(marks), _IntervalLookup(blocks)
    segments = []
    for start, end in pairwise(ends):
        text, passage = replace_control_characters(plain.text[start:end]), passages_by_offset.find(start)
        place = (passage.number, passage.is_boilerplate) if passage else (0, False)
        segments.append(Segment(text, differences_by_offset.find(start), *place))
    return segments


class _IntervalLookup(Generic[Item]):
    """A lookup of the interval that contains an offset.

    Intervals are in order and do not overlap. Offsets must be looked up in order.
    """

    def __init__(self, intervals: list[tuple[Span, Item]]) -> None:
        self.intervals, self.next_index = intervals, 0

    def find(self, offset: int) -> Item | None:
        while self.next_index < len(self.intervals) and self.intervals[self.next_index][0][1] <= offset:
            self.next_index += 1
        if self.next_index == len(self.intervals) or self.intervals[self.next_index][0][0] > offset:
            return None
        return self.intervals[self.next_index][1]


def _map_to_plain_text(plain: OffsetText, spans: Iterable[tuple[Span, Item]]) -> list[tuple[Span, Item]]:
    """Map spans of the text as written to the text without markup: in order, without overlaps or empty
    spans.
    """
    tables = plain.offset_tables()
    mapped: list[tuple[Span, Item]] = []
    for (start, end), item in sorted(spans, key=lambda pair: pair[0]):
        if tables is not None:
            start, end = bisect_left(tables[1], start + 1), bisect_left(tables[0], end)
        start = max(start, mapped[-1][0][1] if mapped else 0)
        end = min(end, len(plain.text))
        if start < end:
            mapped.append(((start, end), item))
    return mapped


def replace_control_characters(text: str) -> str:
    """Replace characters that could control a terminal or reverse the order of letters by "�"."""
    return CONTROL_CHARACTERS.sub("\ufffd", text)


def quote_span(text: CanonicalText, span: Span, max_length: int = 120) -> str:
    """Return the words of a span without markup, on one line, cut at ``max_length`` characters."""
    start, end = span
    # A span may be the whole text. A quote needs only its beginning, with room for markup.
    raw = text.raw[start : min(end, start + 4 * max_length)]
    words = " ".join(replace_control_characters(text.with_raw(raw).traced_plain.text).split())
    return words if len(words) <= max_length else words[: max_length - 1] + "…"

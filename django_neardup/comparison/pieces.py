"""A text as it is read, cut where a difference or a shared passage begins or ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from ..text.difference import Difference, Passage, Span
from ..text.document import Document
from ..text.plain import plain_text
from ..text.traced import Traced

STEP = 8
LOOK_BACK = 3
LEAST = 4
UNSHOWABLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2061-\u206f\ufff9-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters but for the tab, the line break, those that only join letters or part words, and
those that are seen."""
Item = TypeVar("Item")


class Shared(NamedTuple):
    """A passage that both texts hold, with what little differs within it.

    `number`: 1 for the first one of a; `words`: how many are shared; `a`, `b`: offsets in the texts as written.
    """

    number: int
    words: int
    a: Span
    b: Span


class Piece(NamedTuple):
    """A stretch of a text without its markup: the difference that it belongs to, or None, and the number of the
    shared passages that it stands in, or 0."""

    text: str
    difference: Difference | None
    number: int


def shared_passages(runs: Sequence[Passage]) -> list[Shared]:
    """Runs of shared words, in the order of a, joined where at most 8 words stand between them on either side; those
    of at least 4 words are told."""
    groups: list[list[Passage]] = []
    for run in runs:
        for group in reversed(groups[-LOOK_BACK:]):
            if _near(group[-1].a, run.a) and _near(group[-1].b, run.b):
                group.append(run)
                break
            if _is_told(group):
                groups.append([run])
                break
        else:
            groups.append([run])
    told = filter(_is_told, groups)
    return [
        Shared(
            number,
            _words(group),
            (group[0].span_a[0], group[-1].span_a[1]),
            (group[0].span_b[0], group[-1].span_b[1]),
        )
        for number, group in enumerate(told, 1)
    ]


def _words(group: Sequence[Passage]) -> int:
    return sum(run.words for run in group)


def _is_told(group: Sequence[Passage]) -> bool:
    """Whether the runs, a word or more each, are long enough together."""
    return len(group) >= LEAST or _words(group) >= LEAST


def _near(before: Span, after: Span) -> bool:
    return 0 <= after[0] - before[1] <= STEP


def pieces(
    document: Document, differences: Iterable[Difference], shared: Iterable[Shared], side: str
) -> list[Piece]:
    """The whole text, in order; `side`, "a" or "b", says which of the two it is."""
    return cut(plain_text(document.raw, document.quotes), differences, shared, side)


def cut(plain: Traced, differences: Iterable[Difference], shared: Iterable[Shared], side: str) -> list[Piece]:
    """The same of a text without its markup."""
    marks = _placed(plain, ((getattr(each, f"span_{side}"), each) for each in differences))
    blocks = _placed(plain, ((getattr(each, side), each.number) for each in shared))
    cuts = {0, len(plain.text)}.union(*(span for span, _ in marks), *(span for span, _ in blocks))
    ends = sorted(cuts)
    difference, number = _Covering(marks), _Covering(blocks)
    return [
        Piece(showable(plain.text[start:end]), difference.at(start), number.at(start) or 0)
        for start, end in pairwise(ends)
    ]


class _Covering(Generic[Item]):
    """Which of some intervals, in order and apart, holds a place; places are asked for in order."""

    def __init__(self, intervals: list[tuple[Span, Item]]) -> None:
        self.intervals, self.next = intervals, 0

    def at(self, place: int) -> Item | None:
        while self.next < len(self.intervals) and self.intervals[self.next][0][1] <= place:
            self.next += 1
        if self.next == len(self.intervals) or self.intervals[self.next][0][0] > place:
            return None
        return self.intervals[self.next][1]


def _placed(plain: Traced, found: Iterable[tuple[Span, Item]]) -> list[tuple[Span, Item]]:
    """Those places in the text without markup, in order, none over another, none empty."""
    tables = plain.tables()
    placed: list[tuple[Span, Item]] = []
    for (start, end), item in sorted(found, key=lambda each: each[0]):
        if tables is not None:
            start, end = bisect_left(tables[1], start + 1), bisect_left(tables[0], end)
        start = max(start, placed[-1][0][1] if placed else 0)
        end = min(end, len(plain.text))
        if start < end:
            placed.append(((start, end), item))
    return placed


def showable(text: str) -> str:
    """The text without what would steer a terminal or turn the order of letters round: those become "\ufffd"."""
    return UNSHOWABLE.sub("\ufffd", text)


def written(document: Document, span: Span, letters: int = 120) -> str:
    """The words at a place of the text as written, without markup, on one line, cut at so many letters."""
    start, end = span
    raw = document.raw[start : min(end, start + 4 * letters)]
    words = " ".join(showable(plain_text(raw, document.quotes).text).split())
    return words if len(words) <= letters else words[: letters - 1] + "…"

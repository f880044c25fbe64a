"""Spans in a pair's stored evidence: differences, and shared passages in the order of the left text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..judge.differences import Difference, Passage, Span
from ..reports.segments import SharedPassage, join_passages
from ..text.normalization.offsets import OffsetText
from .text_format import difference_kind, parse_span, raw_differences, stored_span

WORD_PATTERN = re.compile(r"\w+")
EMPTY_SPAN = (0, 0)


def locate_differences(evidence: Mapping[str, Any], left_side: str) -> list[Difference]:
    """Return the stored differences that have spans in both texts.

    ``left_side`` is the pair's side that is shown on the left: "a" or "b". In the result, a is the left text.
    """
    return list(_iterate_differences(evidence, left_side, _other_side(left_side)))


def locate_passages(
    evidence: Mapping[str, Any], left_side: str, texts: tuple[OffsetText, OffsetText]
) -> list[SharedPassage]:
    """Return the stored passages, joined if only few words are between them.

    ``texts`` are the left and the right text without markup. For exact copies, the passage is the whole text.
    """
    if evidence.get("exact") is True:
        whole_spans = [(0, len(text.raw)) for text in texts]
        return [SharedPassage(1, 0, whole_spans[0], whole_spans[1])]
    stored = sorted(_iterate_passages(evidence, left_side, _other_side(left_side)))
    word_ranges = [_build_word_range_finder(text) for text in texts]
    return join_passages(
        [
            Passage(word_ranges[0](a), word_ranges[1](b), a, b, is_boilerplate)
            for a, b, is_boilerplate in stored
        ]
    )


def _other_side(side: str) -> str:
    return "b" if side == "a" else "a"


def _iterate_differences(
    evidence: Mapping[str, Any], left_side: str, right_side: str
) -> Iterator[Difference]:
    for item in raw_differences(evidence):
        a, b = stored_span(item, left_side), stored_span(item, right_side)
        if a is not None and b is not None:
            yield Difference(
                difference_kind(item), EMPTY_SPAN, EMPTY_SPAN, bool(item.get("decides")), a, b, "", ""
            )


def _iterate_passages(
    evidence: Mapping[str, Any], left_side: str, right_side: str
) -> Iterator[tuple[Span, Span, bool]]:
    """Yield the spans of the stored passages in both texts, and whether they are boilerplate."""
    stored = evidence.get("passages")
    for item in stored if isinstance(stored, list) else ():
        a, b = (
            parse_span(item.get(side)) if isinstance(item, dict) else None for side in (left_side, right_side)
        )
        if a is not None and b is not None:
            yield a, b, bool(item.get("boilerplate"))


def _build_word_range_finder(text: OffsetText) -> Callable[[Span], Span]:
    """Return a function that maps a span of the raw text to the half-open range of the words in it."""
    tables = text.offset_tables()
    word_starts = [match.start() for match in WORD_PATTERN.finditer(text.text)]
    # Without tables, offsets in the text and in the raw text are the same.
    raw_starts: Sequence[int] = word_starts if tables is None else [tables[0][start] for start in word_starts]
    return lambda span: (bisect_left(raw_starts, span[0]), bisect_left(raw_starts, span[1]))

"""The places that a pair's stored evidence names: differences, and shared passages, numbered by the left text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..reports.segments import SharedPassage, join_passages
from ..text.alignment.differences import Difference, Passage, Span
from ..text.normalization.offsets import OffsetText
from .text_format import difference_kind, parse_span, raw_differences, stored_span

WORD_PATTERN = re.compile(r"\w+")
EMPTY_SPAN = (0, 0)


def locate_differences(evidence: Mapping[str, Any], left_side: str) -> list[Difference]:
    """The stored differences whose places are known; a is the text shown left, of side ``left_side``, "a" or "b"."""
    return list(_iterate_differences(evidence, left_side, _other_side(left_side)))


def locate_passages(
    evidence: Mapping[str, Any], left_side: str, texts: tuple[OffsetText, OffsetText]
) -> list[SharedPassage]:
    """The stored passages, joined where few words stand between them; those of exact copies are the whole texts.

    ``texts``: the left one and the right one without markup.
    """
    if evidence.get("exact") is True:
        whole = [(0, len(text.raw)) for text in texts]
        return [SharedPassage(1, 0, whole[0], whole[1])]
    stored = sorted(_iterate_passage_spans(evidence, left_side, _other_side(left_side)))
    places = [_build_word_range_finder(text) for text in texts]
    return join_passages([Passage(places[0](a), places[1](b), a, b) for a, b in stored])


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


def _iterate_passage_spans(
    evidence: Mapping[str, Any], left_side: str, right_side: str
) -> Iterator[tuple[Span, Span]]:
    stored = evidence.get("passages")
    for item in stored if isinstance(stored, list) else ():
        a, b = (
            parse_span(item.get(side)) if isinstance(item, dict) else None for side in (left_side, right_side)
        )
        if a is not None and b is not None:
            yield a, b


def _build_word_range_finder(text: OffsetText) -> Callable[[Span], Span]:
    """Which words a place in the raw text covers, as a half-open range."""
    tables = text.offset_tables()
    found = [match.start() for match in WORD_PATTERN.finditer(text.text)]
    starts: Sequence[int] = found if tables is None else [tables[0][start] for start in found]
    return lambda span: (bisect_left(starts, span[0]), bisect_left(starts, span[1]))

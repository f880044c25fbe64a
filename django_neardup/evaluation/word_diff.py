"""A plain diff of the words of two raw texts, independent of the judge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
WORD = re.compile(r"\w+")
PIECE = re.compile(r"\S+")
"""What stands between blanks: a word with its signs, such as ``+5`` or ``C#``."""


class WordDiff:
    """The units of two texts that a diff of the lower-case units does not align.

    ``unit`` matches one unit: a word, or a piece between blanks.
    """

    def __init__(self, a: str, b: str, unit: re.Pattern[str] = WORD) -> None:
        self._spans = [[match.span() for match in unit.finditer(text)] for text in (a, b)]
        units_a, units_b = (
            [text[slice(*span)].lower() for span in spans] for text, spans in self._sides(a, b)
        )
        self._changed: tuple[set[int], set[int]] = (set(), set())
        matcher = SequenceMatcher(None, units_a, units_b, autojunk=False)
        for tag, start_a, end_a, start_b, end_b in matcher.get_opcodes():
            if tag != "equal":
                self._changed[0].update(range(start_a, end_a))
                self._changed[1].update(range(start_b, end_b))

    def _sides(self, a: str, b: str) -> Iterator[tuple[str, list[Span]]]:
        return zip((a, b), self._spans, strict=True)

    def covers(self, span_a: Span, span_b: Span) -> bool:
        """Return whether all units of two ranges of characters are changed ones.

        Return False if there is no unit in either range.
        """
        touched_a, touched_b = self._touched(0, span_a), self._touched(1, span_b)
        if not touched_a and not touched_b:
            return False
        return touched_a <= self._changed[0] and touched_b <= self._changed[1]

    def _touched(self, side: int, span: Span) -> set[int]:
        first, last = span
        return {
            number for number, (start, end) in enumerate(self._spans[side]) if start < last and end > first
        }

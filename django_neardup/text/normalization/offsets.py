"""A text that stores, for each of its characters, the offsets in the raw text."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator

Replacement = str | Callable[[re.Match[str]], str]
TextPiece = tuple[int, int, str | None]

_CONSECUTIVE_NUMBERS = array("I", range(1 << 16))


def _extend_range(target: array[int], start: int, end: int) -> None:
    """Append start, start + 1, ... end - 1."""
    if end < len(_CONSECUTIVE_NUMBERS):
        target.extend(_CONSECUTIVE_NUMBERS[start:end])
    else:
        target.extend(range(start, end))


def _find_matches(
    text: str, pattern: re.Pattern[str], start_pattern: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Yield the matches of ``pattern.finditer``, tried only where ``start_pattern`` matches."""
    last_end = 0
    for candidate in start_pattern.finditer(text):
        match = pattern.match(text, candidate.start()) if candidate.start() >= last_end else None
        if match:
            yield match
            last_end = match.end()


class OffsetText:
    """``text`` derived from ``raw``. Every character of ``text`` belongs to a range of ``raw``.

    No table is kept until characters are added or removed: the offsets are those of the raw text.
    ``too_long``: the raw text is over the limit, and was not read.
    """

    __slots__ = ("_ends", "_starts", "raw", "text", "too_long")

    def __init__(
        self,
        raw: str,
        text: str | None = None,
        starts: array[int] | None = None,
        ends: array[int] | None = None,
        too_long: bool = False,
    ) -> None:
        self.raw = raw
        self.text = raw if text is None else text
        self.too_long = too_long
        self._starts = starts
        self._ends = ends

    def __repr__(self) -> str:
        return f"OffsetText({self.text[:60]!r})"

    def offset_tables(self) -> tuple[array[int], array[int]] | None:
        """Return the starts and ends in ``raw`` of every character. Return None if they are the identity."""
        if self._starts is None or self._ends is None:
            return None
        return self._starts, self._ends

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of ``raw`` for ``text[start:end]``.

        For an empty range, return its position twice.
        """
        if self._starts is None or self._ends is None:
            return start, end
        if start < end:
            return self._starts[start], self._ends[end - 1]
        position = self._starts[start] if start < len(self._starts) else len(self.raw)
        return position, position

    def with_text(self, text: str) -> OffsetText:
        """Return the same offsets with other characters. Raise ValueError if the length differs."""
        if len(text) != len(self.text):
            raise ValueError("a character-by-character replacement must keep the length")
        return OffsetText(self.raw, text, self._starts, self._ends, self.too_long)

    def rebuild(self, pieces: Iterable[TextPiece]) -> OffsetText:
        """Return a new text from pieces.

        A piece ``(start, end, None)`` is copied. In ``(start, end, new)``, ``new`` replaces
        ``text[start:end]``. Parts of the text that are in no piece are left out.
        """
        texts: list[str] = []
        starts, ends = array("I"), array("I")
        for start, end, new_text in pieces:
            if new_text is None or len(new_text) == end - start:
                texts.append(self.text[start:end] if new_text is None else new_text)
                self._copy_offsets(start, end, starts, ends)
            elif new_text:
                texts.append(new_text)
                raw_start, raw_end = self.raw_span(start, end)
                starts.extend([raw_start] * len(new_text))
                ends.extend([raw_end] * len(new_text))
        return OffsetText(self.raw, "".join(texts), starts, ends, self.too_long)

    def _copy_offsets(self, start: int, end: int, starts: array[int], ends: array[int]) -> None:
        if self._starts is None or self._ends is None:
            _extend_range(starts, start, end)
            _extend_range(ends, start + 1, end + 1)
        else:
            starts.extend(self._starts[start:end])
            ends.extend(self._ends[start:end])

    def sub(
        self, pattern: re.Pattern[str], replacement: Replacement, start_pattern: re.Pattern[str] | None = None
    ) -> OffsetText:
        """Replace like ``pattern.sub``, but take a ``str`` replacement literally.

        ``start_pattern``: a faster pattern of a character that begins every match.

        Return the same object if nothing changes. A replacement of equal length keeps the offsets of
        each character. Any other replacement belongs to the whole range that it replaces.
        """
        pieces: list[TextPiece] = []
        copied_end = 0
        for match in (
            _find_matches(self.text, pattern, start_pattern) if start_pattern else pattern.finditer(self.text)
        ):
            new_text = replacement if isinstance(replacement, str) else replacement(match)
            if new_text == match.group():
                continue
            start, end = match.span()
            if copied_end < start:
                pieces.append((copied_end, start, None))
            pieces.append((start, end, new_text))
            copied_end = end
        if not pieces:
            return self
        pieces.append((copied_end, len(self.text), None))
        return self.rebuild(pieces)


class PlainText(OffsetText):
    """A text without offsets, as fast as plain strings, for callers that need only the text."""

    __slots__ = ()

    def with_text(self, text: str) -> PlainText:
        return PlainText(text, too_long=self.too_long)

    def rebuild(self, pieces: Iterable[TextPiece]) -> PlainText:
        text = self.text
        return self.with_text(
            "".join([text[start:end] if new_text is None else new_text for start, end, new_text in pieces])
        )

    def sub(
        self, pattern: re.Pattern[str], replacement: Replacement, start_pattern: re.Pattern[str] | None = None
    ) -> OffsetText:
        if start_pattern:
            return super().sub(pattern, replacement, start_pattern)
        template = replacement.replace("\\", r"\\") if isinstance(replacement, str) else replacement
        return self.with_text(pattern.sub(template, self.text))

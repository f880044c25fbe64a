"""A text that remembers where each of its characters stood in the raw text."""

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
    """What ``pattern.finditer`` finds, looked for only where ``first`` is."""
    last = 0
    for begun in start_pattern.finditer(text):
        match = pattern.match(text, begun.start()) if begun.start() >= last else None
        if match:
            yield match
            last = match.end()


class OffsetText:
    """``text`` made from ``raw``; every character of ``text`` owns a range of ``raw``.

    As long as nothing was added or taken away no table is kept: offsets are those of the raw text.
    ``truncated`` says that the middle of a too long raw text was left out.
    """

    __slots__ = ("_ends", "_starts", "raw", "text", "truncated")

    def __init__(
        self,
        raw: str,
        text: str | None = None,
        starts: array[int] | None = None,
        ends: array[int] | None = None,
        truncated: bool = False,
    ) -> None:
        self.raw = raw
        self.text = raw if text is None else text
        self.truncated = truncated
        self._starts = starts
        self._ends = ends

    def __repr__(self) -> str:
        return f"Traced({self.text[:60]!r})"

    def offset_tables(self) -> tuple[array[int], array[int]] | None:
        """Starts and ends in ``raw`` of every character, or None when they are the identity."""
        if self._starts is None or self._ends is None:
            return None
        return self._starts, self._ends

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """The range of ``raw`` behind ``text[start:end]``; for an empty range the place before it."""
        if self._starts is None or self._ends is None:
            return start, end
        if start < end:
            return self._starts[start], self._ends[end - 1]
        place = self._starts[start] if start < len(self._starts) else len(self.raw)
        return place, place

    def with_text(self, text: str) -> OffsetText:
        """The same places with other characters; the length must not change."""
        if len(text) != len(self.text):
            raise ValueError("a character-by-character replacement must keep the length")
        return OffsetText(self.raw, text, self._starts, self._ends, self.truncated)

    def rebuild(self, pieces: Iterable[TextPiece]) -> OffsetText:
        """A new text from pieces ``(start, end, None)``, kept as they are, and ``(start, end, new)``,
        where ``new`` stands for ``text[start:end]``.  Pieces may leave parts of the text out."""
        texts: list[str] = []
        starts, ends = array("I"), array("I")
        for start, end, new in pieces:
            if new is None or len(new) == end - start:
                texts.append(self.text[start:end] if new is None else new)
                self._copy_offsets(start, end, starts, ends)
            elif new:
                texts.append(new)
                first, last = self.raw_span(start, end)
                starts.extend([first] * len(new))
                ends.extend([last] * len(new))
        return OffsetText(self.raw, "".join(texts), starts, ends, self.truncated)

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
        """Like ``pattern.sub``, except that a ``str`` replacement is taken literally.

        ``first``: a quicker pattern, of a character that every match begins with.

        Returns the same object when nothing changes.  A replacement of equal length keeps the place of
        each character, any other one belongs to the whole range that it replaces.
        """
        pieces: list[TextPiece] = []
        last = 0
        for match in (
            _find_matches(self.text, pattern, start_pattern) if start_pattern else pattern.finditer(self.text)
        ):
            new = replacement if isinstance(replacement, str) else replacement(match)
            if new == match.group():
                continue
            start, end = match.span()
            if last < start:
                pieces.append((last, start, None))
            pieces.append((start, end, new))
            last = end
        if not pieces:
            return self
        pieces.append((last, len(self.text), None))
        return self.rebuild(pieces)


class PlainText(OffsetText):
    """The same where nobody asks for places: a text alone, at the speed of plain strings."""

    __slots__ = ()

    def with_text(self, text: str) -> PlainText:
        return PlainText(text, truncated=self.truncated)

    def rebuild(self, pieces: Iterable[TextPiece]) -> PlainText:
        text = self.text
        return self.with_text(
            "".join([text[start:end] if new is None else new for start, end, new in pieces])
        )

    def sub(
        self, pattern: re.Pattern[str], replacement: Replacement, start_pattern: re.Pattern[str] | None = None
    ) -> OffsetText:
        if start_pattern:
            return super().sub(pattern, replacement, start_pattern)
        new = replacement.replace("\\", r"\\") if isinstance(replacement, str) else replacement
        return self.with_text(pattern.sub(new, self.text))

"""A text that remembers where each of its characters stood in the raw text."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator

Replacement = str | Callable[[re.Match[str]], str]
Piece = tuple[int, int, str | None]

_RAMP = array("I", range(1 << 16))


def _extend(target: array[int], start: int, end: int) -> None:
    """Append start, start + 1, ... end - 1."""
    if end < len(_RAMP):
        target.extend(_RAMP[start:end])
    else:
        target.extend(range(start, end))


def _matches(text: str, pattern: re.Pattern[str], first: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """What ``pattern.finditer`` finds, looked for only where ``first`` is."""
    last = 0
    for begun in first.finditer(text):
        match = pattern.match(text, begun.start()) if begun.start() >= last else None
        if match:
            yield match
            last = match.end()


class Traced:
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

    def tables(self) -> tuple[array[int], array[int]] | None:
        """Starts and ends in ``raw`` of every character, or None when they are the identity."""
        if self._starts is None or self._ends is None:
            return None
        return self._starts, self._ends

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of ``raw`` behind ``text[start:end]``; for an empty range the place before it."""
        if self._starts is None or self._ends is None:
            return start, end
        if start < end:
            return self._starts[start], self._ends[end - 1]
        place = self._starts[start] if start < len(self._starts) else len(self.raw)
        return place, place

    def with_text(self, text: str) -> Traced:
        """The same places with other characters; the length must not change."""
        if len(text) != len(self.text):
            raise ValueError("a character-by-character replacement must keep the length")
        return Traced(self.raw, text, self._starts, self._ends, self.truncated)

    def rebuilt(self, pieces: Iterable[Piece]) -> Traced:
        """A new text from pieces ``(start, end, None)``, kept as they are, and ``(start, end, new)``,
        where ``new`` stands for ``text[start:end]``.  Pieces may leave parts of the text out."""
        texts: list[str] = []
        starts, ends = array("I"), array("I")
        for start, end, new in pieces:
            if new is None or len(new) == end - start:
                texts.append(self.text[start:end] if new is None else new)
                self._keep(start, end, starts, ends)
            elif new:
                texts.append(new)
                first, last = self.span(start, end)
                starts.extend([first] * len(new))
                ends.extend([last] * len(new))
        return Traced(self.raw, "".join(texts), starts, ends, self.truncated)

    def _keep(self, start: int, end: int, starts: array[int], ends: array[int]) -> None:
        if self._starts is None or self._ends is None:
            _extend(starts, start, end)
            _extend(ends, start + 1, end + 1)
        else:
            starts.extend(self._starts[start:end])
            ends.extend(self._ends[start:end])

    def sub(
        self, pattern: re.Pattern[str], replacement: Replacement, first: re.Pattern[str] | None = None
    ) -> Traced:
        """Like ``pattern.sub``, except that a ``str`` replacement is taken literally.

        ``first``: a quicker pattern, of a character that every match begins with.

        Returns the same object when nothing changes.  A replacement of equal length keeps the place of
        each character, any other one belongs to the whole range that it replaces.
        """
        pieces: list[Piece] = []
        last = 0
        for match in _matches(self.text, pattern, first) if first else pattern.finditer(self.text):
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
        return self.rebuilt(pieces)


class Untraced(Traced):
    """The same where nobody asks for places: a text alone, at the speed of plain strings."""

    __slots__ = ()

    def with_text(self, text: str) -> Untraced:
        return Untraced(text, truncated=self.truncated)

    def rebuilt(self, pieces: Iterable[Piece]) -> Untraced:
        text = self.text
        return self.with_text(
            "".join([text[start:end] if new is None else new for start, end, new in pieces])
        )

    def sub(
        self, pattern: re.Pattern[str], replacement: Replacement, first: re.Pattern[str] | None = None
    ) -> Traced:
        if first:
            return super().sub(pattern, replacement, first)
        new = replacement.replace("\\", r"\\") if isinstance(replacement, str) else replacement
        return self.with_text(pattern.sub(new, self.text))

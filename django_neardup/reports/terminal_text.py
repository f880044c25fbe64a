"""Styled text for a terminal: its width in columns, its line breaks, and its colours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

ANSI_STYLES = {
    "strong": "1",
    "quiet": "2",
    "heading": "1;4",
    "decides": "1;35",
    "negation": "1;31",
    "idle": "36",
    "number": "34",
}
TEXT_RUNS = re.compile("\n+|[^\\S\n\N{NO-BREAK SPACE}]+|[\\S\N{NO-BREAK SPACE}]+")
WIDE_CLASSES = "WF"
ZERO_WIDTH_CATEGORIES = ("Mn", "Me", "Cf")


class Fragment(NamedTuple):
    """A stretch of text in one style. The style is a name in ``ANSI_STYLES``, or empty."""

    text: str
    style: str = ""


Line = list[Fragment]


def display_width(text: str) -> int:
    """Return how many columns a text takes: two for a wide letter, zero for a combining mark."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(char: str) -> int:
    if unicodedata.category(char) in ZERO_WIDTH_CATEGORIES:
        return 0
    return 2 if unicodedata.east_asian_width(char) in WIDE_CLASSES else 1


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - display_width(text))


def wrap_fragments(fragments: Iterable[Fragment], width: int) -> list[Line]:
    """Break fragments into lines of at most ``width`` columns, at line breaks and, if possible, at spaces."""
    # A wide letter needs two columns.
    lines = _LineBuilder(max(width, 2))
    for text, style in fragments:
        for run in TEXT_RUNS.findall(text):
            if "\n" in run:
                lines.end_line()
            elif run[0].isspace() and run[0] != "\N{NO-BREAK SPACE}":
                lines.end_word()
            else:
                lines.pending_word.append(Fragment(run, style))
    lines.end_line()
    return lines.finished_lines


class _LineBuilder:
    """Lines under construction: the current line, and the word that comes next. A word may have several
    styles.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.finished_lines: list[Line] = []
        self.current_line: Line = []
        self.pending_word: Line = []
        self.used_width = 0

    def end_word(self) -> None:
        """Add the pending word to the current line, or to a new line if it does not fit."""
        length = sum(display_width(text) for text, _ in self.pending_word)
        if self.current_line and self.used_width + 1 + length > self.width:
            self.start_line()
        if self.current_line and self.pending_word:
            self.append(Fragment(" "))
        for text, style in self.pending_word:
            for part in _split_word(text, self.width) if length > self.width else (text,):
                self.append(Fragment(part, style))
        self.pending_word = []

    def append(self, fragment: Fragment) -> None:
        length = display_width(fragment.text)
        if self.current_line and self.used_width + length > self.width:
            self.start_line()
        self.current_line.append(fragment)
        self.used_width += length

    def end_line(self) -> None:
        """Finish the current line with its last word."""
        self.end_word()
        self.start_line()

    def start_line(self) -> None:
        if self.current_line:
            self.finished_lines.append(self.current_line)
        self.current_line, self.used_width = [], 0


def _split_word(text: str, width: int) -> Iterator[str]:
    """Yield parts of a word that is too long for a line, each at most ``width`` columns wide."""
    part, used = "", 0
    for char in text:
        columns = _character_width(char)
        if part and used + columns > width:
            yield part
            part, used = "", 0
        part, used = part + char, used + columns
    if part:
        yield part


def render_line(line: Iterable[Fragment], use_colours: bool) -> str:
    """Return a line as a string, with ANSI escapes if ``use_colours``."""
    return "".join(
        f"\x1b[{ANSI_STYLES[style]}m{text}\x1b[0m" if use_colours and style else text for text, style in line
    ).rstrip()

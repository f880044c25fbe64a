"""Styled text on a terminal: as wide as it looks, broken into lines, coloured where that is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

STYLES = {
    "strong": "1",
    "quiet": "2",
    "heading": "1;4",
    "decides": "1;35",
    "negation": "1;31",
    "idle": "36",
    "number": "34",
}
RUNS = re.compile("\n+|[^\\S\n\N{NO-BREAK SPACE}]+|[\\S\N{NO-BREAK SPACE}]+")
WIDE = "WF"
UNSEEN = ("Mn", "Me", "Cf")


class Fragment(NamedTuple):
    """A stretch of text in one style, a name of `STYLES` or empty."""

    text: str
    style: str = ""


Line = list[Fragment]


def width_of(text: str) -> int:
    """How many columns a text takes: two a wide letter, none a combining mark."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in UNSEEN:
        return 0
    return 2 if unicodedata.east_asian_width(char) in WIDE else 1


def padded(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def wrapped(fragments: Iterable[Fragment], width: int) -> list[Line]:
    """Lines of at most `width` columns, broken between words where that can be, and at line breaks."""
    lines = _Lines(max(width, 2))
    for text, style in fragments:
        for run in RUNS.findall(text):
            if "\n" in run:
                lines.end()
            elif run[0].isspace() and run[0] != "\N{NO-BREAK SPACE}":
                lines.space()
            else:
                lines.word.append(Fragment(run, style))
    lines.end()
    return lines.done


class _Lines:
    """Lines in the making: the present one, and the word that is to stand in it, of several styles perhaps."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.done: list[Line] = []
        self.line: Line = []
        self.word: Line = []
        self.used = 0

    def space(self) -> None:
        """The word is over."""
        length = sum(width_of(text) for text, _ in self.word)
        if self.line and self.used + 1 + length > self.width:
            self.new_line()
        if self.line and self.word:
            self.put(Fragment(" "))
        for text, style in self.word:
            for part in _parts(text, self.width) if length > self.width else (text,):
                self.put(Fragment(part, style))
        self.word = []

    def put(self, fragment: Fragment) -> None:
        length = width_of(fragment.text)
        if self.line and self.used + length > self.width:
            self.new_line()
        self.line.append(fragment)
        self.used += length

    def end(self) -> None:
        """The line is over."""
        self.space()
        self.new_line()

    def new_line(self) -> None:
        if self.line:
            self.done.append(self.line)
        self.line, self.used = [], 0


def _parts(text: str, width: int) -> Iterator[str]:
    """A word too long for a line, cut into parts of at most that many letters' width."""
    part, used = "", 0
    for char in text:
        columns = _columns(char)
        if part and used + columns > width:
            yield part
            part, used = "", 0
        part, used = part + char, used + columns
    if part:
        yield part


def painted(line: Iterable[Fragment], colours: bool) -> str:
    """A line as it is written to the terminal."""
    return "".join(
        f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colours and style else text for text, style in line
    ).rstrip()

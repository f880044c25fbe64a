"""From what a command line names to texts, and from a comparison to what is written."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

from .compare import Comparison
from .data import as_json
from .html import as_html
from .terminal import as_text
from .words import Words

FORMATS = ("text", "json", "html")
STDIN = "-"


class Unreadable(Exception):
    """A file that cannot be read as text; the message says what to do."""


def read_text(name: str, encoding: str = "utf-8", stdin: TextIO | None = None) -> str:
    """The text of that file, or of standard input for "-".  Unreadable says why there is none."""
    try:
        data = _standard_input(stdin or sys.stdin) if name == STDIN else Path(name).read_bytes()
        text = data if isinstance(data, str) else data.decode(encoding)
    except LookupError:
        raise Unreadable(
            f"There is no encoding {encoding!r}: give --encoding utf-8, cp1251, koi8-r …"
        ) from None
    except UnicodeDecodeError:
        raise Unreadable(f"{name} is not {encoding} text: give --encoding, such as cp1251.") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Unreadable(f"{name} cannot be read: {why}.") from None
    return text.removeprefix("\ufeff")


def _standard_input(stdin: TextIO) -> bytes | str:
    buffer = getattr(stdin, "buffer", None)
    return stdin.read() if buffer is None else bytes(buffer.read())


def wants_colours(stream: Any, no_colour: bool) -> bool:
    """Whether a terminal is there that shows colours, and nobody has said no: https://no-color.org."""
    if no_colour or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(hasattr(stream, "isatty") and stream.isatty())


def rendered(
    comparison: Comparison, form: str, *, words: Words, language: str, colours: bool, stream: Any = None
) -> str:
    """The report in one of `FORMATS`, as wide as the terminal, in letters that the stream can take; JSON and HTML,
    which are read as UTF-8 wherever they come from, in ASCII on a stream that is not."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    ascii_only = codecs.lookup(encoding).name != "utf-8"
    if form == "json":
        return f"{as_json(comparison, ascii_only=ascii_only)}\n"
    if form == "html":
        page = as_html(comparison, words=words, language=language)
        return page.encode("ascii", "xmlcharrefreplace").decode("ascii") if ascii_only else page
    text = as_text(comparison, width=shutil.get_terminal_size().columns, colours=colours, words=words)
    return text.encode(encoding, "replace").decode(encoding)


def written_to(path: str, text: str) -> None:
    """Write a report; Unreadable says why it cannot be."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path} cannot be written: {error}.") from None

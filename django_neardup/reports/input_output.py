"""Input and output of the command line: texts by file name, and the report in a format."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
from pathlib import Path
from typing import Any, TextIO

from .html_report import as_html
from .json_report import as_json
from .messages import Translate
from .terminal_report import as_text
from .text_comparison import Comparison

REPORT_FORMATS = ("text", "json", "html")
STDIN = "-"


class UnreadableFile(Exception):
    """A file cannot be read as text, or not be written. The message says what to do."""


def read_text(name: str, encoding: str = "utf-8", stdin: TextIO | None = None) -> str:
    """Return the text of a file, or of standard input for "-".

    Raise UnreadableFile, with the reason, if there is none.
    """
    try:
        data = _read_standard_input(stdin or sys.stdin) if name == STDIN else Path(name).read_bytes()
        text = data if isinstance(data, str) else data.decode(encoding)
    except LookupError:
        raise UnreadableFile(
            f"There is no encoding {encoding!r}: give --encoding utf-8, cp1251, koi8-r …"
        ) from None
    except UnicodeDecodeError:
        raise UnreadableFile(f"{name} is not {encoding} text: give --encoding, such as cp1251.") from None
    # A null character in the name raises ValueError.
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableFile(f"{name} cannot be read: {reason}.") from None
    # A byte order mark is not part of the text.
    return text.removeprefix("\ufeff")


def _read_standard_input(stdin: TextIO) -> bytes | str:
    # A stream of text that replaces standard input may have no buffer.
    buffer = getattr(stdin, "buffer", None)
    return stdin.read() if buffer is None else bytes(buffer.read())


def should_use_colours(stream: Any, no_colour: bool) -> bool:
    """Return whether the stream is a terminal with colours and the user has not switched them off.

    See https://no-color.org.
    """
    if no_colour or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(hasattr(stream, "isatty") and stream.isatty())


def render_report(
    comparison: Comparison,
    report_format: str,
    *,
    translate: Translate,
    language: str,
    use_colours: bool,
    stream: Any = None,
) -> str:
    """Return the report in one of ``REPORT_FORMATS``, in characters that the stream can write.

    Text is as wide as the terminal. JSON and HTML are read as UTF-8 from any source, so they are in ASCII if
    the stream has another encoding.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    ascii_only = codecs.lookup(encoding).name != "utf-8"
    if report_format == "json":
        return f"{as_json(comparison, ascii_only=ascii_only)}\n"
    if report_format == "html":
        page = as_html(comparison, translate=translate, language=language)
        return page.encode("ascii", "xmlcharrefreplace").decode("ascii") if ascii_only else page
    text = as_text(
        comparison, width=shutil.get_terminal_size().columns, use_colours=use_colours, translate=translate
    )
    return text.encode(encoding, "replace").decode(encoding)


def write_report(path: str, text: str) -> None:
    """Write a report to a file. Raise UnreadableFile, with the reason, if that fails."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path} cannot be written: {error}.") from None

"""Texts for readers: docstrings, comments, documentation and the interface, by paragraph."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tools.sources import Source, bare_strings

PRAGMA = re.compile(r"#\s*(?:noqa|type:|fmt:|pragma|!|ruff:)")
PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+\.|\|)[ \t])")
"""A blank line, or the start of a list item or a table row."""
FENCE = re.compile(r"^([ \t]*)(```|~~~).*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
MARKDOWN_NOISE = re.compile(r"<!--.*?-->|(?<=\])\([^)\s]*\)|<[^>\n]*>", re.DOTALL)
TEMPLATE_NOISE = re.compile(
    r"""
    {%\s*blocktrans(?:late)?\b.*?{%\s*endblocktrans(?:late)?\s*%}  # its text is a msgid
    | {%\s*comment\b.*?{%\s*endcomment\s*%} | {\#.*?\#} | {%.*?%} | {{.*?}}
    | <!--.*?--> | <(?:script|style)\b.*?</(?:script|style)> | <[^>]*> | &\#?\w+;
    """,
    re.VERBOSE | re.DOTALL,
)
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Passage(NamedTuple):
    """One paragraph, message or comment, and the line on which it starts."""

    file: str
    line: int
    text: str


def paragraphs(file: str, text: str, first_line: int = 1) -> Iterator[Passage]:
    """Split a text at blank lines, list items and table rows."""
    start = 0
    for end in [*(match.span() for match in PARAGRAPH_END.finditer(text)), (len(text), len(text))]:
        part = text[start : end[0]]
        if part.strip():
            blank = len(part) - len(part.lstrip())
            yield Passage(file, first_line + text.count("\n", 0, start + blank), part.strip())
        start = end[1]


def docstring_passages(source: Source, folder: str = "") -> Iterator[Passage]:
    """Yield the paragraphs of docstrings. Attributes and constants may have docstrings too."""
    for node in bare_strings(source.tree):
        yield from paragraphs(f"{folder}{source.path}", str(node.value), node.lineno)


def comment_passages(source: Source, folder: str = "") -> Iterator[Passage]:
    """Yield comments without pragmas. Comments on adjacent lines in the same column make one passage."""
    last: tuple[int, int] | None = None
    passage: Passage | None = None
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type != tokenize.COMMENT or PRAGMA.match(token.string):
            continue
        line, column = token.start
        text = token.string.lstrip("# ")
        if passage and last == (line - 1, column):
            passage = passage._replace(text=f"{passage.text}\n{text}")
        else:
            if passage:
                yield passage
            passage = Passage(f"{folder}{source.path}", line, text)
        last = line, column
    if passage:
        yield passage


def markdown_passages(file: str, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a Markdown file without code blocks, link targets and HTML."""
    yield from paragraphs(file, _blank(MARKDOWN_NOISE, _blank(FENCE, text)))


def template_passages(file: str, text: str) -> Iterator[Passage]:
    """Yield the text of a template outside tags, except translated text: the catalogue has it."""
    yield from paragraphs(file, _blank(TEMPLATE_NOISE, text))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Remove what matches, and keep the line breaks so that line numbers stay right."""
    return pattern.sub(lambda match: " " + "\n" * match[0].count("\n"), text)


def message_passages(file: str, catalogue: str) -> Iterator[Passage]:
    """Yield the source texts (``msgid`` and ``msgid_plural``) of a gettext catalogue, except its header."""
    passage: Passage | None = None
    for number, line in enumerate([*catalogue.splitlines(), ""], 1):
        if line.startswith('"') and passage:
            passage = passage._replace(text=passage.text + _unquote(line))
            continue
        if passage and passage.text:
            yield passage
        starts = line.startswith(("msgid ", "msgid_plural "))
        passage = Passage(file, number, _unquote(line)) if starts else None


def _unquote(line: str) -> str:
    match = QUOTED.search(line)
    return match[1].replace(r"\n", "\n").replace(r"\"", '"') if match else ""


def unique(passages: Iterable[Passage]) -> list[Passage]:
    """Drop passages with repeated texts: the catalogues of all languages have the same source texts."""
    found: dict[str, Passage] = {}
    for passage in passages:
        found.setdefault(passage.text, passage)
    return list(found.values())


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")

"""Messages to HTML: [b], [i], [code], [url], nested [quote], lines that begin with «>»."""

from __future__ import annotations

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

_QUOTE = re.compile(r"\[(/?)quote(?:=(?:&quot;)?([^\]\n]{0,80}?)(?:&quot;)?)?\]", re.I)
_LINK = r'<a href="\1" rel="nofollow ugc">\2</a>'
# No pattern looks past the next mark like its own: many that are never closed would be looked through by each of them.
_PAIRS = [
    (re.compile(r"\[url=(https?://[^\[\]\s]+)\]((?:(?!\[url=).)*?)\[/url\]", re.I | re.S), _LINK),
    (re.compile(r"\[b\]((?:(?!\[b\]).)*?)\[/b\]", re.I | re.S), r"<b>\1</b>"),
    (re.compile(r"\[i\]((?:(?!\[i\]).)*?)\[/i\]", re.I | re.S), r"<i>\1</i>"),
    (re.compile(r"\[code\]((?:(?!\[code\]).)*?)\[/code\]", re.I | re.S), r"<code>\1</code>"),
]
_MARK = re.compile(r"\[/?(?:b|i|code|url)(?:=[^\[\]\n]*)?\]", re.I)
_BLANK_LINES = re.compile(r"\n\s*\n")


def to_html(text: str) -> SafeString:
    """Safe HTML of a message; marks that do not match are shown as they were written."""
    parts: list[str] = []
    depth = end = 0
    source = escape(_arrows_to_quotes(text))
    for mark in _QUOTE.finditer(source):
        closing = bool(mark[1])
        if closing and not depth:
            continue
        parts.append(_paragraphs(source[end : mark.start()]))
        parts.append("</blockquote>" if closing else _opening(mark[2]))
        depth += -1 if closing else 1
        end = mark.end()
    parts.append(_paragraphs(source[end:]))
    return mark_safe("".join(parts) + "</blockquote>" * depth)


def own_words(text: str) -> str:
    """A message without quotations and marks, on one line."""
    parts: list[str] = []
    depth = end = 0
    source = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    for mark in _QUOTE.finditer(source):
        if depth == 0:
            parts.append(source[end : mark.start()])
        depth = max(0, depth + (-1 if mark[1] else 1))
        end = mark.end()
    if depth == 0:
        parts.append(source[end:])
    return " ".join(_MARK.sub("", " ".join(parts)).split())


def quotation(author: str, text: str) -> str:
    return f'[quote="{author}"]\n{text.strip()}\n[/quote]\n'


def _opening(author: str | None) -> str:
    return "<blockquote>" + (f"<p><cite>{author}</cite></p>" if author else "")


def _paragraphs(source: str) -> str:
    blocks = (block.strip() for block in _BLANK_LINES.split(source))
    return "".join(f"<p>{_inline(block)}</p>" for block in blocks if block)


def _inline(block: str) -> str:
    for pattern, replacement in _PAIRS:
        block = pattern.sub(replacement, block)
    return block.replace("\n", "<br>")


def _arrows_to_quotes(text: str) -> str:
    lines: list[str] = []
    quoted = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith(">") != quoted:
            lines.append("[/quote]" if quoted else "[quote]")
            quoted = not quoted
        lines.append(line.lstrip("> ") if quoted else line)
    return "\n".join([*lines, "[/quote]"] if quoted else lines)

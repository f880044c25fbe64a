"""A text with its differences marked: escaped piece by piece first, marked after."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..text.plain import plain_text
from ..text.traced import Traced
from .words import LABELS, css_class, items, kind_of, span_of

LENGTH = 20_000
"""Characters of a text that a page shows."""


class Span(NamedTuple):
    """A place in a text, half open, and what is to be said of it."""

    start: int
    end: int
    kind: str
    decides: bool


class Marked(NamedTuple):
    """A text as it is shown; ``cut`` where it is longer."""

    html: SafeString
    cut: bool


def marked(raw: str, spans: Iterable[Span]) -> Marked:
    """The readable text of a post, with marks at those places, which are offsets in the raw one."""
    plain = plain_text(raw)
    shown = plain.text[:LENGTH]
    pieces = format_html_join("", "{}", ((piece,) for piece in _pieces(shown, _moved(plain, spans))))
    return Marked(pieces, len(plain.text) > LENGTH)


def spans_of(evidence: Mapping[str, Any], side: str) -> Iterator[Span]:
    """The places that a pair's evidence names in the text of that side, "a" or "b"."""
    for item in items(evidence):
        span = span_of(item, side)
        if span is not None:
            yield Span(*span, kind_of(item), bool(item.get("decides")))


def _moved(plain: Traced, spans: Iterable[Span]) -> list[Span]:
    """The same places in the text without markup, in order, none over another."""
    tables = plain.tables()
    found: list[Span] = []
    for span in sorted(spans):
        if tables is not None:
            starts, ends = tables
            span = span._replace(start=bisect_left(ends, span.start + 1), end=bisect_left(starts, span.end))
        start = max(span.start, found[-1].end if found else 0)
        if start < span.end:
            found.append(span._replace(start=start))
    return found


def _pieces(text: str, spans: Iterable[Span]) -> Iterator[str]:
    done = 0
    for span in spans:
        if span.start >= len(text):
            break
        yield text[done : span.start]
        yield _mark(text[span.start : span.end], span)
        done = min(span.end, len(text))
    yield text[done:]


def _mark(text: str, span: Span) -> SafeString:
    label = LABELS[span.kind]
    small = format_html("<small>{}</small>", label) if label else ""
    return format_html('<mark class="{}">{}{}</mark>', css_class(span.kind, span.decides), small, text)

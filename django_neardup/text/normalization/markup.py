"""HTML and BBCode out of a text.

A linear scanner, not a parser: nothing nests, nothing recurses, every search either moves forward or is
remembered as hopeless, so that crafted markup costs no more than honest text.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from ..word_lists import word_set
from .offsets import OffsetText, PlainText, TextPiece

LINE_BREAK = "\n"

# Elements that break a line; those that are seen as a thing between words; every other one is inline.
_BLOCK_TAGS = word_set(
    """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li main menu nav
    noscript object ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead
    title tr ul
    """
)
_OBJECT_TAGS = word_set("audio canvas embed img input map math meter picture progress svg video")
_SKIPPED_TAGS = word_set("script style template")

_BB_BLOCK_TAGS = word_set(
    "center hide hr indent left list li p quote right spoiler table td th tr h1 h2 h3 h4 h5 h6"
)
_BB_INLINE_TAGS = word_set(
    """
    b i u s strong em color size font url email user post topic thread sub sup code php tt mono mark highlight bgcolor
    acronym abbr video youtube media attach attachment anchor align just justify
    """
)
_BB_SKIPPED_TAGS = word_set("img")
_BB_VOID_TAGS = word_set("hr br")

_MARKUP_START = re.compile(r"<(?=[a-zA-Z/!?])|\[(?=[a-zA-Z*/])|&(?=[#a-zA-Z])")
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9\-]{0,40}(?::[a-zA-Z][a-zA-Z0-9\-]{0,40})?)(?=[\s/>])")
_TAG_DELIMITER = re.compile(r"=\s*[\"']|[<>]")
_DECLARATION = re.compile(r"<[!?/]")
ENTITY = re.compile(r"&(?:amp;){0,3}(?:#\d{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[a-zA-Z][a-zA-Z0-9]{1,31};)")
_BB_TAG = re.compile(r"\[(/?)([a-zA-Z]{1,10}[1-6]?)(?:[= ][^\]\[\n]{0,500})?\]")
_BB_LIST_ITEM = re.compile(r"\[\*\]")
_BB_CLOSING_TAG = re.compile(r"\[/([a-zA-Z]{1,10}[1-6]?)\]")
_CLOSING_TAG_BY_NAME = {name: re.compile(rf"</{name}(?=[\s/>])[^<>]*>", re.I) for name in _SKIPPED_TAGS}
_BB_IMAGE_END = re.compile(r"\[/img\]", re.I)
# What stands between < and > in a tag that nothing is odd about.
_ORDINARY_TAG = re.compile(
    r"/?([a-zA-Z][a-zA-Z0-9\-]{0,40})"
    r"(?:[\s/][^<>=\"']*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=])[^<>=\"']*)*)?"
)
_MAY_BE_TAG = re.compile("[a-zA-Z/!?]")
_MAY_BE_BBCODE = re.compile(r"\[[a-zA-Z*/]")
MAX_CACHED_TAGS = 10_000
MAX_CACHED_TAG_LENGTH = 200
"""A longer tag, which may hold a picture, is read anew each time."""


def strip_markup(offset_text: OffsetText, drop_quotes: bool) -> OffsetText:
    """Tags, comments, scripts and BBCode out, entities resolved; with ``drop_quotes`` quotations too."""
    if isinstance(offset_text, PlainText) and not drop_quotes:
        plain = _strip_ordinary_markup(offset_text.text)
        if plain is not None:
            return offset_text.with_text(plain)
    return _MarkupScanner(offset_text, drop_quotes).run()


class _TagReplacements(dict[str, str | None]):
    """What is written in a tag to what stands for it; None for what is no ordinary tag or begins something unread."""

    def __missing__(self, tag_content: str) -> str | None:
        tag = _ORDINARY_TAG.fullmatch(tag_content)
        if tag is None:
            return None
        name = tag[1].lower()
        found = None if name in _SKIPPED_TAGS and tag_content[0] != "/" else _tag_replacement(name)
        if len(tag_content) <= MAX_CACHED_TAG_LENGTH:
            if len(self) >= MAX_CACHED_TAGS:
                self.clear()
            self[tag_content] = found
        return found


_TAG_REPLACEMENTS = _TagReplacements()


def _strip_ordinary_markup(text: str) -> str | None:
    """The text without its markup, if all of that is ordinary: what the scanner would find, several times faster."""
    head, *pieces = text.split("<")
    parts = [head]
    for piece in pieces:
        written, closed, behind = piece.partition(">")
        stands = _TAG_REPLACEMENTS[written] if closed else None
        if stands is not None:
            parts.append(stands + behind)
        elif _MAY_BE_TAG.match(piece):
            return None
        else:
            parts += "<", piece
    if "[" in text and any(map(_MAY_BE_BBCODE.search, parts)):
        return None
    if "&" in text:
        parts = [ENTITY.sub(_resolve_match, part) if "&" in part else part for part in parts]
    return "".join(parts)


def _resolve_match(match: re.Match[str]) -> str:
    return _resolve_entity(match.group())


def _tag_replacement(tag_name: str) -> str:
    """What stands for a tag."""
    return LINE_BREAK if tag_name in _BLOCK_TAGS else " " if tag_name in _OBJECT_TAGS else ""


@lru_cache(maxsize=1_000)
def _resolve_entity(entity: str) -> str:
    return html.unescape(entity.replace("&amp;", "&", 3))


class _MarkupScanner:
    """One pass over ``<``, ``[`` and ``&``; collects the pieces of the new text."""

    def __init__(self, offset_text: OffsetText, drop_quotes: bool) -> None:
        self.offset_text = offset_text
        self.text = offset_text.text
        self.drop_quotes = drop_quotes
        self.pieces: list[TextPiece] = []
        self.quote_starts: dict[str, list[int]] = {"<": [], "[": []}
        self.missing_closers: set[str] = set()
        self.no_tag_before = 0
        self._closed_names: frozenset[str] | None = None

    def run(self) -> OffsetText:
        done = 0
        match = _MARKUP_START.search(self.text)
        while match is not None:
            start = match.start()
            found = self._read_construct(match.group(), start)
            if found is None:
                match = _MARKUP_START.search(self.text, start + 1)
                continue
            end, new = found
            if done < start:
                self.pieces.append((done, start, None))
            self._update_quotes(start, end)
            if new:
                self.pieces.append((start, end, new))
            done = end
            match = _MARKUP_START.search(self.text, done)
        if not done:
            return self.offset_text
        self.pieces.append((done, len(self.text), None))
        return self.offset_text.rebuild(self.pieces)

    def _read_construct(self, opening_mark: str, start: int) -> tuple[int, str] | None:
        """End of the construct at ``start`` and what stands for it; None: it is plain text."""
        if opening_mark == "&":
            return self._read_entity(start)
        return self._read_tag(start) if opening_mark == "<" else self._read_bbcode(start)

    def _read_entity(self, start: int) -> tuple[int, str] | None:
        match = ENTITY.match(self.text, start)
        if match is None:
            return None
        new = _resolve_entity(match.group())
        return None if new == match.group() else (match.end(), new)

    def _read_tag(self, start: int) -> tuple[int, str] | None:
        if self.text.startswith("<!--", start):
            return self._find_closer("-->", start + 4) or (start + 4, "")
        if self.text.startswith("<![CDATA[", start):
            return start + 9, ""
        if start < self.no_tag_before:
            return None
        name = _TAG_NAME.match(self.text, start)
        if name is None:
            return self._find_closer(">", start + 2) if _DECLARATION.match(self.text, start) else None
        end = self._find_tag_end(name.end())
        if end is None:
            return None
        tag = name[1].lower()
        if tag in _SKIPPED_TAGS and self.text[start + 1] != "/":
            return self._skip_content(_CLOSING_TAG_BY_NAME[tag], end) or (end, "")
        return end, _tag_replacement(tag)

    def _find_tag_end(self, position: int) -> int | None:
        """Behind the ``>`` that ends a tag; a ``>`` in a quoted value does not.  Where the tag is never
        ended, no tag is looked for in what was read: that keeps the scanner linear."""
        while True:
            step = _TAG_DELIMITER.search(self.text, position)
            if step is None or step.group() == "<":
                self.no_tag_before = len(self.text) if step is None else step.start()
                return None
            if step.group() == ">":
                return step.end()
            closing = self._find_closer(step.group()[-1], step.end())
            position = closing[0] if closing else step.end()

    def _find_closer(self, closer: str, position: int) -> tuple[int, str] | None:
        """Behind the next ``closer``; what is missing once is missing for every later place."""
        found = -1 if closer in self.missing_closers else self.text.find(closer, position)
        if found < 0:
            self.missing_closers.add(closer)
            return None
        return found + len(closer), ""

    def _skip_content(self, closer: re.Pattern[str], position: int) -> tuple[int, str] | None:
        match = None if closer.pattern in self.missing_closers else closer.search(self.text, position)
        if match is None:
            self.missing_closers.add(closer.pattern)
            return None
        return match.end(), " "

    def _read_bbcode(self, start: int) -> tuple[int, str] | None:
        item = _BB_LIST_ITEM.match(self.text, start)
        if item is not None:
            return item.end(), LINE_BREAK
        match = _BB_TAG.match(self.text, start)
        if match is None:
            return None
        name = match[2].lower()
        if name not in self.closed_names and name not in _BB_VOID_TAGS:
            return None
        if name in _BB_SKIPPED_TAGS and not match[1]:
            return self._skip_content(_BB_IMAGE_END, match.end()) or (match.end(), "")
        if name in _BB_BLOCK_TAGS or name in _BB_VOID_TAGS:
            return match.end(), LINE_BREAK
        return (match.end(), "") if name in _BB_INLINE_TAGS or name in _BB_SKIPPED_TAGS else None

    @property
    def closed_names(self) -> frozenset[str]:
        """Names that are closed somewhere: without ``[/i]``, ``a[i]`` is no BBCode."""
        if self._closed_names is None:
            self._closed_names = frozenset(name.lower() for name in _BB_CLOSING_TAG.findall(self.text))
        return self._closed_names

    def _update_quotes(self, start: int, end: int) -> None:
        """At the end of a quotation forget what was collected since its beginning."""
        if not self.drop_quotes:
            return
        mark = self.text[start]
        head = self.text[start : start + 13].lower()
        if head.startswith(("<blockquote", "[quote")):
            self.quote_starts[mark].append(len(self.pieces))
        elif head.startswith(("</blockquote", "[/quote")) and self.quote_starts[mark]:
            del self.pieces[self.quote_starts[mark].pop() :]
            self.pieces.append((start, end, LINE_BREAK))

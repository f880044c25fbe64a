"""Removal of HTML and BBCode from a text.

A linear scanner, not a parser: there is no nesting and no recursion. A search that fails is not
repeated, so crafted markup costs no more than ordinary text.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from ..word_lists import word_set
from .offsets import OffsetText, PlainText, TextPiece

LINE_BREAK = "\n"

# Elements that break a line. Objects, which count as a thing between words. Every other element is inline.
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
# The content between < and > of a tag without irregularities.
_ORDINARY_TAG = re.compile(
    r"/?([a-zA-Z][a-zA-Z0-9\-]{0,40})"
    r"(?:[\s/][^<>=\"']*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=])[^<>=\"']*)*)?"
)
_MAY_BE_TAG = re.compile("[a-zA-Z/!?]")
_MAY_BE_BBCODE = re.compile(r"\[[a-zA-Z*/]")
MAX_CACHED_TAGS = 10_000
MAX_CACHED_TAG_LENGTH = 200
"""Maximum length of a cached tag. A longer tag, which may hold a picture, is read again each time."""


def strip_markup(offset_text: OffsetText, drop_quotes: bool) -> OffsetText:
    """Remove tags, comments, scripts and BBCode, and resolve entities.

    ``drop_quotes``: remove quotations too.
    """
    if isinstance(offset_text, PlainText) and not drop_quotes:
        plain_text = _strip_ordinary_markup(offset_text.text)
        if plain_text is not None:
            return offset_text.with_text(plain_text)
    return _MarkupScanner(offset_text, drop_quotes).run()


class _TagReplacements(dict[str, str | None]):
    """The content of a tag mapped to its replacement.

    The value is None if the tag is irregular or if it begins an element with skipped content.
    """

    def __missing__(self, tag_content: str) -> str | None:
        tag = _ORDINARY_TAG.fullmatch(tag_content)
        if tag is None:
            return None
        name = tag[1].lower()
        replacement = None if name in _SKIPPED_TAGS and tag_content[0] != "/" else _tag_replacement(name)
        if len(tag_content) <= MAX_CACHED_TAG_LENGTH:
            if len(self) >= MAX_CACHED_TAGS:
                self.clear()
            self[tag_content] = replacement
        return replacement


_TAG_REPLACEMENTS = _TagReplacements()


def _strip_ordinary_markup(text: str) -> str | None:
    """Remove the markup of a text if all of it is regular. Otherwise return None.

    The result is the scanner's, several times faster.
    """
    head, *pieces = text.split("<")
    parts = [head]
    for piece in pieces:
        tag_content, closing_mark, rest = piece.partition(">")
        replacement = _TAG_REPLACEMENTS[tag_content] if closing_mark else None
        if replacement is not None:
            parts.append(replacement + rest)
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
    """Return the replacement of a tag: a line break, a blank or nothing."""
    return LINE_BREAK if tag_name in _BLOCK_TAGS else " " if tag_name in _OBJECT_TAGS else ""


@lru_cache(maxsize=1_000)
def _resolve_entity(entity: str) -> str:
    return html.unescape(entity.replace("&amp;", "&", 3))


class _MarkupScanner:
    """One pass over ``<``, ``[`` and ``&`` that collects the pieces of the new text."""

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
        copied_end = 0
        match = _MARKUP_START.search(self.text)
        while match is not None:
            start = match.start()
            construct = self._read_construct(match.group(), start)
            if construct is None:
                match = _MARKUP_START.search(self.text, start + 1)
                continue
            end, replacement = construct
            if copied_end < start:
                self.pieces.append((copied_end, start, None))
            self._update_quotes(start, end)
            if replacement:
                self.pieces.append((start, end, replacement))
            copied_end = end
            match = _MARKUP_START.search(self.text, copied_end)
        if not copied_end:
            return self.offset_text
        self.pieces.append((copied_end, len(self.text), None))
        return self.offset_text.rebuild(self.pieces)

    def _read_construct(self, opening_mark: str, start: int) -> tuple[int, str] | None:
        """Return the end of the construct at ``start`` and its replacement.

        Return None if it is plain text.
        """
        if opening_mark == "&":
            return self._read_entity(start)
        return self._read_tag(start) if opening_mark == "<" else self._read_bbcode(start)

    def _read_entity(self, start: int) -> tuple[int, str] | None:
        match = ENTITY.match(self.text, start)
        if match is None:
            return None
        replacement = _resolve_entity(match.group())
        return None if replacement == match.group() else (match.end(), replacement)

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
        """Return the position behind the ``>`` that ends a tag. A ``>`` in a quoted value does not end it.

        Return None if the tag has no end.
        """
        while True:
            delimiter = _TAG_DELIMITER.search(self.text, position)
            if delimiter is None or delimiter.group() == "<":
                # No tag is searched again in the text read so far: that keeps the scanner linear.
                self.no_tag_before = len(self.text) if delimiter is None else delimiter.start()
                return None
            if delimiter.group() == ">":
                return delimiter.end()
            closing = self._find_closer(delimiter.group()[-1], delimiter.end())
            position = closing[0] if closing else delimiter.end()

    def _find_closer(self, closer: str, position: int) -> tuple[int, str] | None:
        """Return the position behind the next ``closer``, or None."""
        start = -1 if closer in self.missing_closers else self.text.find(closer, position)
        # A closer that is missing once is missing at every later position.
        if start < 0:
            self.missing_closers.add(closer)
            return None
        return start + len(closer), ""

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
        """Names that have a closing tag: ``a[i]`` is no BBCode without ``[/i]``."""
        if self._closed_names is None:
            self._closed_names = frozenset(name.lower() for name in _BB_CLOSING_TAG.findall(self.text))
        return self._closed_names

    def _update_quotes(self, start: int, end: int) -> None:
        """At the end of a quotation, drop the pieces collected since its beginning."""
        if not self.drop_quotes:
            return
        mark = self.text[start]
        head = self.text[start : start + 13].lower()
        if head.startswith(("<blockquote", "[quote")):
            self.quote_starts[mark].append(len(self.pieces))
        elif head.startswith(("</blockquote", "[/quote")) and self.quote_starts[mark]:
            del self.pieces[self.quote_starts[mark].pop() :]
            self.pieces.append((start, end, LINE_BREAK))

"""Removal of HTML and BBCode from a text.

A linear scanner, not a parser: there is no nesting and no recursion. A search that fails is not
repeated, so crafted markup costs no more than ordinary text.

If the site has not declared that it renders HTML, a page may show what the scanner leaves out: comments,
styles, attributes, addresses of pictures. If that has ``MIN_UNREAD_WORDS`` words or more, the text is scanned
again, and these words are read.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..word_lists import word_set
from .hidden_elements import OpenElements, Tag, may_hide
from .offsets import OffsetText, PlainText, TextPiece
from .unread_text import MIN_UNREAD_WORDS, words_for_readers

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
_CODE_TAGS, _CODE = word_set("script style"), re.compile("[{}=;]")
_LITERAL_TAGS = word_set("iframe noembed noframes plaintext textarea title xmp")
"""Elements with content in which a browser finds no tags and no comments."""

_TECHNICAL_ATTRIBUTES = word_set("class data-src face for href id name rel src srcset style target type")
_CAPTION_ATTRIBUTES = word_set("alt title")
"""Attributes with a caption. Ordinary ones are short, so each counts only if it is long enough."""

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

_HTML_START, _BB_START = r"<(?=[a-zA-Z/!?])|&(?=[#a-zA-Z])", r"\[(?=[a-zA-Z*/])|&(?=[#a-zA-Z])"
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9\-]{0,40}(?::[a-zA-Z][a-zA-Z0-9\-]{0,40})?)(?=[\s/>])")
_TAG_DELIMITER = re.compile(r"=\s*[\"']|[<>]")
_DECLARATION = re.compile(r"<[!?/]")
ENTITY = re.compile(r"&(?:amp;){0,3}(?:#\d{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[a-zA-Z][a-zA-Z0-9]{1,31};)")
_BB_TAG = re.compile(r"\[(/?)([a-zA-Z]{1,10}[1-6]?)(?:[= ]([^\]\[\n]{0,500}))?\]")
_BB_LIST_ITEM = re.compile(r"\[\*\]")
_BB_CLOSING_TAG = re.compile(r"\[/([a-zA-Z]{1,10}[1-6]?)\]")
_CLOSING_TAG_BY_NAME = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.I) for name in _SKIPPED_TAGS | _LITERAL_TAGS
}
_COMMENT_END = re.compile("--!?>")
_PART_OF_ATTRIBUTES = re.compile("[^\"'=<>]+")
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


class Syntax(NamedTuple):
    """The markup that a site renders.

    ``reads_unread``: a page may show what a browser would leave out, so that is read if it is long enough.
    """

    html: bool = False
    bbcode: bool = False
    markdown: bool = False
    reads_unread: bool = True

    @property
    def start_pattern(self) -> re.Pattern[str]:
        """Pattern of a character that may begin a construct."""
        return _START_PATTERNS[self.html, self.bbcode]

    @property
    def tag_replacements(self) -> _TagReplacements:
        return _TAG_REPLACEMENTS if self.reads_unread else _CERTAIN_TAG_REPLACEMENTS


SYNTAXES: dict[str | None, Syntax] = {
    None: Syntax(html=True, bbcode=True, markdown=True),
    "html": Syntax(html=True, reads_unread=False),
    "bbcode": Syntax(bbcode=True),
    "markdown": Syntax(html=True, markdown=True),
    "none": Syntax(),
}
"""Syntax by ``Adapter.markup``. None means that it is not known which of them a text has."""

MARKUPS = tuple(name for name in SYNTAXES if name is not None)
_START_PATTERNS = {
    (True, True): re.compile(f"{_HTML_START}|{_BB_START}"),
    (True, False): re.compile(_HTML_START),
    (False, True): re.compile(_BB_START),
}


def strip_markup(offset_text: OffsetText, drop_quotes: bool, syntax: Syntax = SYNTAXES[None]) -> OffsetText:
    """Remove tags, comments, scripts and BBCode, and resolve entities.

    ``drop_quotes``: remove quotations too.
    """
    if not (syntax.html or syntax.bbcode):
        return offset_text
    if isinstance(offset_text, PlainText) and not drop_quotes and syntax.html:
        plain_text = _strip_ordinary_markup(offset_text.text, syntax)
        if plain_text is not None:
            return offset_text.with_text(plain_text)
    scanner = _MarkupScanner(offset_text, drop_quotes, syntax)
    stripped = scanner.run()
    if len(scanner.unread_words) < MIN_UNREAD_WORDS:
        return stripped
    return _MarkupScanner(offset_text, drop_quotes, syntax, reads_all=True).run()


class _TagReplacements(dict[str, str | None]):
    """The content of a tag mapped to its replacement.

    The value is None if the scanner must read the tag: it is irregular, it begins an element with skipped
    content, or it has an attribute that may hide the element or that has words for readers.
    """

    def __init__(self, *, reads_unread: bool) -> None:
        super().__init__()
        self.reads_unread = reads_unread

    def __missing__(self, tag_content: str) -> str | None:
        tag = _ORDINARY_TAG.fullmatch(tag_content)
        if tag is None:
            return None
        name = tag[1].lower()
        replacement = None if self._must_be_read(name, tag_content) else _tag_replacement(name)
        if len(tag_content) <= MAX_CACHED_TAG_LENGTH:
            if len(self) >= MAX_CACHED_TAGS:
                self.clear()
            self[tag_content] = replacement
        return replacement

    def _must_be_read(self, name: str, tag_content: str) -> bool:
        if self.reads_unread:
            begins_skipped = name in _SKIPPED_TAGS and tag_content[0] != "/"
            return begins_skipped or any(_parts_for_readers(tag_content, len(name), len(tag_content)))
        return name in _SKIPPED_TAGS or name in _LITERAL_TAGS or may_hide(tag_content)


_TAG_REPLACEMENTS = _TagReplacements(reads_unread=True)
_CERTAIN_TAG_REPLACEMENTS = _TagReplacements(reads_unread=False)


def _strip_ordinary_markup(text: str, syntax: Syntax) -> str | None:
    """Remove the markup of a text if all of it is regular. Otherwise return None.

    The result is the scanner's, several times faster.
    """
    replacements = syntax.tag_replacements
    head, *pieces = text.split("<")
    parts = [head]
    for piece in pieces:
        tag_content, closing_mark, rest = piece.partition(">")
        replacement = replacements[tag_content] if closing_mark else None
        if replacement is not None:
            parts.append(replacement + rest)
        elif _MAY_BE_TAG.match(piece):
            return None
        else:
            parts += "<", piece
    if syntax.bbcode and "[" in text and any(map(_MAY_BE_BBCODE.search, parts)):
        return None
    if "&" in text:
        parts = [ENTITY.sub(_resolve_match, part) if "&" in part else part for part in parts]
    return "".join(parts)


def _parts_for_readers(text: str, start: int, end: int) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yield the parts of a tag's attributes that have words for readers, and these words."""
    name = ""
    for part in _PART_OF_ATTRIBUTES.finditer(text, start, end):
        passage = part.group()
        last_word = passage.split()[-1:] or [""]
        words = words_for_readers(passage, is_technical=name in _TECHNICAL_ATTRIBUTES)
        if words and (name not in _CAPTION_ATTRIBUTES or len(words) >= MIN_UNREAD_WORDS):
            yield part.start(), part.end(), words
        if text[part.end() : part.end() + 1] == "=":
            name = last_word[0].lower()
        elif passage.strip():
            name = ""


def _resolve_match(match: re.Match[str]) -> str:
    return _resolve_entity(match.group())


def _tag_replacement(tag_name: str) -> str:
    """Return the replacement of a tag: a line break, a blank or nothing."""
    return LINE_BREAK if tag_name in _BLOCK_TAGS else " " if tag_name in _OBJECT_TAGS else ""


@lru_cache(maxsize=1_000)
def _resolve_entity(entity: str) -> str:
    return html.unescape(entity.replace("&amp;", "&", 3))


class _MarkupScanner:
    """One pass over ``<``, ``[`` and ``&`` that collects the pieces of the new text.

    ``reads_all``: what a page may show is read, and not only counted.
    """

    def __init__(
        self, offset_text: OffsetText, drop_quotes: bool, syntax: Syntax, *, reads_all: bool = False
    ) -> None:
        self.offset_text = offset_text
        self.text = offset_text.text
        self.drop_quotes = drop_quotes
        self.syntax = syntax
        self.reads_all = reads_all
        self.pieces: list[TextPiece] = []
        self.unread_words: set[str] = set()
        self.quote_starts: dict[str, list[int]] = {"<": [], "[": []}
        self.missing_closers: set[str] = set()
        self.no_tag_before = 0
        self.literal_end = 0
        self.opened_end = 0
        self._tag: Tag | None = None
        self._parts: list[tuple[int, int]] = []
        self._open_elements = OpenElements() if not syntax.reads_unread else None
        self._hidden_start = 0
        self._closed_names: frozenset[str] | None = None

    def run(self) -> OffsetText:
        copied_end = 0
        start_pattern = self.syntax.start_pattern
        match = start_pattern.search(self.text)
        while match is not None:
            start = match.start()
            construct = self._read_construct(match.group(), start)
            if construct is None:
                match = start_pattern.search(self.text, start + 1)
                continue
            end, replacement = construct
            if copied_end < start:
                self.pieces.append((copied_end, start, None))
            self._update_quotes(start, end)
            self._update_hidden()
            if replacement:
                self.pieces.append((start, end, replacement))
            self._append_parts()
            copied_end = end
            match = start_pattern.search(self.text, max(copied_end, self.literal_end))
        if not copied_end:
            return self.offset_text
        self.pieces.append((copied_end, len(self.text), None))
        if self._open_elements is not None and self._open_elements.is_hidden:
            del self.pieces[self._hidden_start :]
        return self.offset_text.rebuild(self.pieces)

    def _append_parts(self) -> None:
        """Append the parts of the construct that are read, each between blanks."""
        for start, end in self._parts:
            self.pieces += (start - 1, start, " "), (start, end, None), (end, end + 1, " ")
        self._parts.clear()

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
            return self._read_comment(start)
        if self.text.startswith("<![CDATA[", start):
            return start + 9, ""
        if start < self.no_tag_before:
            return None
        name = _TAG_NAME.match(self.text, start)
        if name is None:
            return self._read_declaration(start) if _DECLARATION.match(self.text, start) else None
        end = self._find_tag_end(name.end())
        if end is None:
            return None
        tag, is_closing = name[1].lower(), self.text[start + 1] == "/"
        if self._open_elements is not None:
            self._tag = Tag(tag, self.text[name.end() : end - 1], is_closing)
        else:
            self._read_attributes(name.end(), end - 1)
        if is_closing:
            return end, _tag_replacement(tag)
        if tag in _SKIPPED_TAGS:
            self._tag = None
            if start < self.opened_end:
                return end, " "
            closer = self._find_end_tag(_CLOSING_TAG_BY_NAME[tag], end)
            return self._leave_out(end, closer, " ", may_be_code=tag in _CODE_TAGS) or (end, "")
        if tag in _LITERAL_TAGS and self._open_elements is not None:
            closing_tag = _CLOSING_TAG_BY_NAME[tag].search(self.text, end)
            self.literal_end = closing_tag.start() if closing_tag else len(self.text)
        return end, _tag_replacement(tag)

    def _read_comment(self, start: int) -> tuple[int, str]:
        if self.text.startswith((">", "->"), start + 4):  # an empty comment
            return self.text.index(">", start + 4) + 1, ""
        if start < self.opened_end:
            return start + 4, " "
        return self._leave_out(start + 4, self._find_pattern(_COMMENT_END, start + 4), "") or (start + 4, "")

    def _read_declaration(self, start: int) -> tuple[int, str] | None:
        if start < self.opened_end:
            return start + 2, " "
        closer = self._find_closer(">", start + 2)
        return self._leave_out(start + 2, (closer - 1, closer) if closer else None, "")

    def _read_attributes(self, start: int, end: int) -> None:
        """Count the words for readers in the attributes of a tag, or read them."""
        for part_start, part_end, words in _parts_for_readers(self.text, start, end):
            self.unread_words |= words
            if self.reads_all:
                self._parts.append((part_start, part_end))

    def _leave_out(
        self,
        content_start: int,
        closer: tuple[int, int] | None,
        replacement: str,
        *,
        may_be_code: bool = False,
    ) -> tuple[int, str] | None:
        """Return the end behind the closer of a content that no browser shows.

        If a page may show it and has to be read, return its beginning. Return None without a closer.
        """
        if closer is None:
            return None
        content_end, end = closer
        if not self.syntax.reads_unread:
            return end, replacement
        content = self.text[content_start:content_end]
        is_code = may_be_code and bool(_CODE.search(content))
        words = words_for_readers(content, is_technical=is_code)
        self.unread_words |= words
        if not (words and self.reads_all):
            return end, replacement
        # Inside it no closer is searched and nothing is counted again: that keeps the scanner linear.
        self.opened_end = end
        return content_start, " "

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
            # A browser takes an equals sign without a name before it for a name, and the quote for its letter.
            has_name = self.text[position : delimiter.start()].rstrip()[-1:] not in ("", "/", "=", '"', "'")
            closer = self._find_closer(delimiter.group()[-1], delimiter.end()) if has_name else None
            position = closer or delimiter.end()

    def _find_closer(self, closer: str, position: int) -> int | None:
        """Return the position behind the next ``closer``, or None."""
        start = -1 if closer in self.missing_closers else self.text.find(closer, position)
        # A closer that is missing once is missing at every later position.
        if start < 0:
            self.missing_closers.add(closer)
            return None
        return start + len(closer)

    def _find_pattern(self, closer: re.Pattern[str], position: int) -> tuple[int, int] | None:
        """Return the range of the next match of ``closer``, or None."""
        match = None if closer.pattern in self.missing_closers else closer.search(self.text, position)
        if match is None:
            self.missing_closers.add(closer.pattern)
            return None
        return match.span()

    def _find_end_tag(self, end_tag: re.Pattern[str], position: int) -> tuple[int, int] | None:
        """Return the range of the next end tag, or None."""
        match = self._find_pattern(end_tag, position)
        end = self._find_closer(">", match[1]) if match else None
        return (match[0], end) if match and end else None

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
            if start < self.opened_end:
                return match.end(), " "
            self._read_argument(name, match)
            closer = self._find_pattern(_BB_IMAGE_END, match.end())
            return self._leave_out(match.end(), closer, " ") or (match.end(), "")
        if not (
            name in _BB_BLOCK_TAGS or name in _BB_INLINE_TAGS or name in _BB_SKIPPED_TAGS | _BB_VOID_TAGS
        ):
            return None
        self._read_argument(name, match)
        return match.end(), LINE_BREAK if name in _BB_BLOCK_TAGS or name in _BB_VOID_TAGS else ""

    def _read_argument(self, name: str, tag: re.Match[str]) -> None:
        """Count the words for readers in the argument of a BBCode tag, or read them."""
        words = words_for_readers(tag[3] or "")
        # An ordinary quotation names its author.
        if not words or (name == "quote" and len(words) < MIN_UNREAD_WORDS):
            return
        self.unread_words |= words
        if self.reads_all:
            self._parts.append(tag.span(3))

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

    def _update_hidden(self) -> None:
        """At the end of a hidden element, drop the pieces collected since its beginning."""
        tag, self._tag = self._tag, None
        if tag is None or self._open_elements is None:
            return
        was_hidden = self._open_elements.is_hidden
        if self._open_elements.feed(tag):
            del self.pieces[self._hidden_start :]
            was_hidden = False
        if not was_hidden:
            self._hidden_start = len(self.pieces)

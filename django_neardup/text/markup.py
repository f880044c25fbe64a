"""HTML and BBCode out of a text.

A linear scanner, not a parser: nothing nests, nothing recurses, every search either moves forward or is
remembered as hopeless, so that crafted markup costs no more than honest text.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from .lists import words
from .traced import Piece, Traced, Untraced

BREAK = "\n"

# Elements that break a line; those that are seen as a thing between words; every other one is inline.
_BLOCKS = words(
    """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li main menu nav
    noscript object ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead
    title tr ul
    """
)
_THINGS = words("audio canvas embed img input map math meter picture progress svg video")
_UNREAD = words("script style template")

_BB_BLOCKS = words(
    "center hide hr indent left list li p quote right spoiler table td th tr h1 h2 h3 h4 h5 h6"
)
_BB_INLINE = words(
    """
    b i u s strong em color size font url email user post topic thread sub sup code php tt mono mark highlight bgcolor
    acronym abbr video youtube media attach attachment anchor align just justify
    """
)
_BB_UNREAD = words("img")
_BB_ALONE = words("hr br")

_MARK = re.compile(r"<(?=[a-zA-Z/!?])|\[(?=[a-zA-Z*/])|&(?=[#a-zA-Z])")
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9\-]{0,40}(?::[a-zA-Z][a-zA-Z0-9\-]{0,40})?)(?=[\s/>])")
_TAG_STEP = re.compile(r"=\s*[\"']|[<>]")
_DECLARATION = re.compile(r"<[!?/]")
ENTITY = re.compile(r"&(?:amp;){0,3}(?:#\d{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[a-zA-Z][a-zA-Z0-9]{1,31};)")
_BB_TAG = re.compile(r"\[(/?)([a-zA-Z]{1,10}[1-6]?)(?:[= ][^\]\[\n]{0,500})?\]")
_BB_ITEM = re.compile(r"\[\*\]")
_BB_CLOSER = re.compile(r"\[/([a-zA-Z]{1,10}[1-6]?)\]")
_CLOSER = {name: re.compile(rf"</{name}(?=[\s/>])[^<>]*>", re.I) for name in _UNREAD}
_BB_IMAGE_END = re.compile(r"\[/img\]", re.I)
# What stands between < and > in a tag that nothing is odd about.
_ORDINARY = re.compile(
    r"/?([a-zA-Z][a-zA-Z0-9\-]{0,40})"
    r"(?:[\s/][^<>=\"']*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=])[^<>=\"']*)*)?"
)
_MAY_BE_TAG = re.compile("[a-zA-Z/!?]")
_MAY_BE_BBCODE = re.compile(r"\[[a-zA-Z*/]")
MOST_STANDINGS = 10_000
LONGEST_STANDING = 200
"""A longer tag, which may hold a picture, is read anew each time."""


def without_markup(traced: Traced, drop_quotes: bool) -> Traced:
    """Tags, comments, scripts and BBCode out, entities resolved; with ``drop_quotes`` quotations too."""
    if isinstance(traced, Untraced) and not drop_quotes:
        plain = _without_ordinary(traced.text)
        if plain is not None:
            return traced.with_text(plain)
    return _Scanner(traced, drop_quotes).run()


class _Standings(dict[str, str | None]):
    """What is written in a tag to what stands for it; None for what is no ordinary tag or begins something unread."""

    def __missing__(self, written: str) -> str | None:
        tag = _ORDINARY.fullmatch(written)
        if tag is None:
            return None
        name = tag[1].lower()
        found = None if name in _UNREAD and written[0] != "/" else _standing(name)
        if len(written) <= LONGEST_STANDING:
            if len(self) >= MOST_STANDINGS:
                self.clear()
            self[written] = found
        return found


_STANDINGS = _Standings()


def _without_ordinary(text: str) -> str | None:
    """The text without its markup, if all of that is ordinary: what the scanner would find, several times faster."""
    head, *pieces = text.split("<")
    parts = [head]
    for piece in pieces:
        written, closed, behind = piece.partition(">")
        stands = _STANDINGS[written] if closed else None
        if stands is not None:
            parts.append(stands + behind)
        elif _MAY_BE_TAG.match(piece):
            return None
        else:
            parts += "<", piece
    if "[" in text and any(map(_MAY_BE_BBCODE.search, parts)):
        return None
    if "&" in text:
        parts = [ENTITY.sub(_resolved_match, part) if "&" in part else part for part in parts]
    return "".join(parts)


def _resolved_match(match: re.Match[str]) -> str:
    return _resolved(match.group())


def _standing(name: str) -> str:
    """What stands for a tag."""
    return BREAK if name in _BLOCKS else " " if name in _THINGS else ""


@lru_cache(maxsize=1_000)
def _resolved(entity: str) -> str:
    return html.unescape(entity.replace("&amp;", "&", 3))


class _Scanner:
    """One pass over ``<``, ``[`` and ``&``; collects the pieces of the new text."""

    def __init__(self, traced: Traced, drop_quotes: bool) -> None:
        self.traced = traced
        self.text = traced.text
        self.drop_quotes = drop_quotes
        self.pieces: list[Piece] = []
        self.quotes: dict[str, list[int]] = {"<": [], "[": []}
        self.missing: set[str] = set()
        self.no_tag_before = 0
        self._closers: frozenset[str] | None = None

    def run(self) -> Traced:
        done = 0
        match = _MARK.search(self.text)
        while match is not None:
            start = match.start()
            found = self._read(match.group(), start)
            if found is None:
                match = _MARK.search(self.text, start + 1)
                continue
            end, new = found
            if done < start:
                self.pieces.append((done, start, None))
            self._turn_quote(start, end)
            if new:
                self.pieces.append((start, end, new))
            done = end
            match = _MARK.search(self.text, done)
        if not done:
            return self.traced
        self.pieces.append((done, len(self.text), None))
        return self.traced.rebuilt(self.pieces)

    def _read(self, mark: str, start: int) -> tuple[int, str] | None:
        """End of the construct at ``start`` and what stands for it; None: it is plain text."""
        if mark == "&":
            return self._entity(start)
        return self._tag(start) if mark == "<" else self._bbcode(start)

    def _entity(self, start: int) -> tuple[int, str] | None:
        match = ENTITY.match(self.text, start)
        if match is None:
            return None
        new = _resolved(match.group())
        return None if new == match.group() else (match.end(), new)

    def _tag(self, start: int) -> tuple[int, str] | None:
        if self.text.startswith("<!--", start):
            return self._until("-->", start + 4) or (start + 4, "")
        if self.text.startswith("<![CDATA[", start):
            return start + 9, ""
        if start < self.no_tag_before:
            return None
        name = _TAG_NAME.match(self.text, start)
        if name is None:
            return self._until(">", start + 2) if _DECLARATION.match(self.text, start) else None
        end = self._tag_end(name.end())
        if end is None:
            return None
        tag = name[1].lower()
        if tag in _UNREAD and self.text[start + 1] != "/":
            return self._skip(_CLOSER[tag], end) or (end, "")
        return end, _standing(tag)

    def _tag_end(self, place: int) -> int | None:
        """Behind the ``>`` that ends a tag; a ``>`` in a quoted value does not.  Where the tag is never
        ended, no tag is looked for in what was read: that keeps the scanner linear."""
        while True:
            step = _TAG_STEP.search(self.text, place)
            if step is None or step.group() == "<":
                self.no_tag_before = len(self.text) if step is None else step.start()
                return None
            if step.group() == ">":
                return step.end()
            closing = self._until(step.group()[-1], step.end())
            place = closing[0] if closing else step.end()

    def _until(self, closer: str, place: int) -> tuple[int, str] | None:
        """Behind the next ``closer``; what is missing once is missing for every later place."""
        found = -1 if closer in self.missing else self.text.find(closer, place)
        if found < 0:
            self.missing.add(closer)
            return None
        return found + len(closer), ""

    def _skip(self, closer: re.Pattern[str], place: int) -> tuple[int, str] | None:
        match = None if closer.pattern in self.missing else closer.search(self.text, place)
        if match is None:
            self.missing.add(closer.pattern)
            return None
        return match.end(), " "

    def _bbcode(self, start: int) -> tuple[int, str] | None:
        item = _BB_ITEM.match(self.text, start)
        if item is not None:
            return item.end(), BREAK
        match = _BB_TAG.match(self.text, start)
        if match is None:
            return None
        name = match[2].lower()
        if name not in self.closers and name not in _BB_ALONE:
            return None
        if name in _BB_UNREAD and not match[1]:
            return self._skip(_BB_IMAGE_END, match.end()) or (match.end(), "")
        if name in _BB_BLOCKS or name in _BB_ALONE:
            return match.end(), BREAK
        return (match.end(), "") if name in _BB_INLINE or name in _BB_UNREAD else None

    @property
    def closers(self) -> frozenset[str]:
        """Names that are closed somewhere: without ``[/i]``, ``a[i]`` is no BBCode."""
        if self._closers is None:
            self._closers = frozenset(name.lower() for name in _BB_CLOSER.findall(self.text))
        return self._closers

    def _turn_quote(self, start: int, end: int) -> None:
        """At the end of a quotation forget what was collected since its beginning."""
        if not self.drop_quotes:
            return
        mark = self.text[start]
        head = self.text[start : start + 13].lower()
        if head.startswith(("<blockquote", "[quote")):
            self.quotes[mark].append(len(self.pieces))
        elif head.startswith(("</blockquote", "[/quote")) and self.quotes[mark]:
            del self.pieces[self.quotes[mark].pop() :]
            self.pieces.append((start, end, BREAK))

"""Elements that a browser does not display: ``hidden``, ``display:none`` and ``font-size:0``.

If it is in doubt whether an element is hidden, or whether it has ended, its text is read. A visible text that
is left out lets a copy pass. A hidden text that is read is only noise.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from ..word_lists import word_set

_VOID_TAGS = word_set("area base br col embed hr img input link meta param source track wbr")
# A browser moves the text of a hidden table out of it. Other elements have other rules.
_HIDING_TAGS = word_set(
    """
    a abbr address article aside b big blockquote center cite code dd del dfn div dl dt em figure figcaption font footer
    h header i ins kbd label li main mark nav ol p pre q s samp section small span strike strong sub sup tt u ul var
    """
)
_RESIZABLE_TAGS = word_set(
    "a b big br center div em font h i li ol p s small span strike strong sub sup u ul wbr"
)
"""Tags that leave the font size 0, unless they set another one."""

_CLOSES_PARAGRAPH = word_set(
    """
    address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h
    header hgroup hr li main menu nav ol p pre search section summary table ul
    """
)
_CLOSED_BY_SIBLING = {
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "a": ("a",),
    "button": ("button",),
}
_CLOSED_BY_SIBLING["nobr"] = ("nobr",)
_TABLE_PARTS = word_set("tr td th tbody thead tfoot caption colgroup")
_SCOPES = word_set("ul ol dl table button object template")
_SCOPES_OF_PARAGRAPHS = word_set("table button object td th caption template")
MAX_STEPS = 100
"""Number of open elements that are searched for the one that a tag ends."""

_MAY_HIDE = re.compile("hidden|style", re.I)
# The blanks of HTML. A tag with another one has another name.
_ATTRIBUTE = re.compile(
    r"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*)"
    r"(?:[ \t\n\f\r]*=[ \t\n\f\r]*(?:\"([^\"]*)\"|'([^']*)'|([^ \t\n\f\r\"'>][^ \t\n\f\r>]*)))?"
)
_CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_INTRICATE_STYLE = re.compile(r"[\"'(){}\\@]")
_ZERO_SIZE = re.compile(r"[+-]?0*\.?0+(?:[a-z]{1,4}|%)?")


class Tag(NamedTuple):
    """A tag as the scanner has read it. ``attributes`` is the text behind its name."""

    name: str
    attributes: str
    is_closing: bool


def may_hide(tag_content: str) -> bool:
    """Return whether the content between < and > may hide an element."""
    return bool(_MAY_HIDE.search(tag_content))


def hiding_property(tag: Tag) -> str:
    """Return "display" or "font-size" if the tag hides its element by this property, otherwise ""."""
    if tag.is_closing or _group_name(tag.name) not in _HIDING_TAGS or not may_hide(tag.attributes):
        return ""
    attributes = _attributes(tag.attributes)
    style = _CSS_COMMENT.sub("", attributes.get("style", "")).lower()
    # A semicolon inside a string or an address ends no declaration.
    if _INTRICATE_STYLE.search(style):
        return ""
    values = _declarations(style)
    if values.get("display", "none" if "hidden" in attributes else "") == "none":
        return "display"
    return "font-size" if _ZERO_SIZE.fullmatch(values.get("font-size", "")) and "font" not in values else ""


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag. The first of several equal ones holds, as in a browser."""
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match[2] or match[3] or match[4] or ""
        attributes.setdefault(match[1].lower(), html.unescape(value))
    return attributes


def _declarations(style: str) -> dict[str, str]:
    """Return the last value of each property. A value with ``!important`` holds against later ones."""
    values: dict[str, str] = {}
    important = set[str]()
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        bare_value = value.removesuffix("important").rstrip().removesuffix("!").rstrip()
        if bare_value == value and name in important:
            continue
        if bare_value != value:
            important.add(name)
        values[name] = bare_value
    return values


def _group_name(name: str) -> str:
    # Any closing tag of a heading closes a heading of any level.
    return "h" if len(name) == 2 and name[0] == "h" and name[1] in "123456" else name


class OpenElements:
    """The elements that are open at a place of a text, roughly as a browser counts them."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._counts: Counter[str] = Counter()
        self._hidden_depth = 0
        self._is_hidden_by_size = False
        self._has_ended = False

    @property
    def is_hidden(self) -> bool:
        """Whether the text at this place is not displayed."""
        return self._hidden_depth > 0

    def feed(self, tag: Tag) -> bool:
        """Take the next tag of the text. Return whether a hidden element ends there.

        A hidden element with a part that may be displayed stops being hidden, and does not end.
        """
        self._has_ended = False
        name = _group_name(tag.name)
        if tag.is_closing:
            self._close((name,))
        else:
            self._close_implied(name)
            self._open(name, tag)
        return self._has_ended

    def _open(self, name: str, tag: Tag) -> None:
        if name in _VOID_TAGS or (name in _TABLE_PARTS and not self._counts["table"]):
            return
        self._names.append(name)
        self._counts[name] += 1
        if not self._hidden_depth:
            hiding = hiding_property(tag)
            self._hidden_depth = len(self._names) if hiding else 0
            self._is_hidden_by_size = hiding == "font-size"
        elif self._is_hidden_by_size and _may_resize(name, tag.attributes):
            self._hidden_depth = 0

    def _close_implied(self, name: str) -> None:
        """Close the elements that an opening tag ends: a paragraph before a block, a list item before the next."""
        if name in _CLOSES_PARAGRAPH:
            self._close(("p",), _SCOPES_OF_PARAGRAPHS)
        if name in _CLOSED_BY_SIBLING:
            self._close(_CLOSED_BY_SIBLING[name], _SCOPES)
        elif name in _TABLE_PARTS:
            self._close(("table",), stays_open=True)

    def _close(
        self, names: tuple[str, ...], scopes: Collection[str] = (), *, stays_open: bool = False
    ) -> None:
        """Close the innermost open element of these names, and all elements in it.

        Close nothing if a scope stands between. ``stays_open``: close only the elements in it.
        """
        if not any(self._counts[name] for name in names):
            return
        for depth in range(len(self._names), max(len(self._names) - MAX_STEPS, 0), -1):
            name = self._names[depth - 1]
            if name in names:
                self._truncate(depth if stays_open else depth - 1)
                return
            if name in scopes:
                return
        self._hidden_depth = 0

    def _truncate(self, length: int) -> None:
        self._counts.subtract(self._names[length:])
        del self._names[length:]
        if length < self._hidden_depth:
            self._hidden_depth, self._has_ended = 0, True


def _may_resize(name: str, attributes: str) -> bool:
    """Return whether an element inside one with font size 0 may have another size."""
    if name not in _RESIZABLE_TAGS:
        return True
    named = _attributes(attributes)
    return "size" in named or "class" in named or "font" in named.get("style", "").lower()

"""Raw post to plain text: the head and the tail of what is too long, without markup, without quotations."""

from __future__ import annotations

import re

from .markup import LINE_BREAK, strip_markup
from .offsets import OffsetText

MAX_BYTES = 1 << 20

_QUOTED_LINE = re.compile(r"^[ \t]*>.*\n?", re.M)
_LINK_TARGET = re.compile(
    r"(?<=\])\((?:[^()\s:]{1,16}:|[/#.]|[\w\-]{1,60}[./])[^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_STARRED_WORD_PART = re.compile(
    r"(?<![\w*])(?P<a>\*{1,3})(?P<head>[^\W_]{1,60})(?P=a)(?=[^\W_])"
    r"|(?<=[^\W\d_])(?P<b>\*(?=[^\W_]{2})|\*{2,3}|~~)(?P<tail>[^\W_]{1,60})(?P=b)(?![*~])"
)
_MARK_BEFORE_APOSTROPHE = re.compile(r"(?<=[^\W_])(?:\*{1,3}|_{1,3}|~~)(?=['’])")
# What any match of the two needs, and what is looked for many times faster.
_STAR_IN_WORD = re.compile(r"\*(?<=[^\W_]\*)\*{0,2}[^\W_]|~~(?<=[^\W_]~~)[^\W_]")
MARKED_APOSTROPHE_SEARCHES = {mark: re.compile(rf"\{mark}['’]").search for mark in "*_~"}
_STAR, _STAR_OR_TILDE = re.compile(r"\*"), re.compile("[*~]")
_STRUCK_WORD_PART = re.compile(r"(?<![\w~])(~~)([^\W_]{1,60})\1(?=[^\W_])")


def plain_text(raw: str, quotes: str = "keep", text_class: type[OffsetText] = OffsetText) -> OffsetText:
    """The text that a reader sees, with the place of each character in ``raw``.

    Inline tags join (``<b>с</b>вая`` is one word), block tags break the line, scripts, styles and comments
    go, entities are resolved, BBCode and Markdown marks go.  ``quotes="drop"`` leaves out ``<blockquote>``,
    ``[quote]`` (nested ones too) and lines that begin with ``>``.  Of a raw text over ``MAX_BYTES`` in UTF-8
    only the head and the tail are read.  ``form``: ``Untraced`` where the text alone is wanted.  Accepts any ``str``.
    """
    if quotes not in ("keep", "drop"):
        raise ValueError("quotes is 'keep' or 'drop'")
    traced = _head_and_tail(raw, text_class)
    if "<" in traced.text or "&" in traced.text or "[" in traced.text:
        traced = strip_markup(traced, quotes == "drop")
    if "](" in traced.text:
        traced = traced.sub(_LINK_TARGET, "")
    if quotes == "drop" and ">" in traced.text:
        traced = traced.sub(_QUOTED_LINE, "")
    if _has_mark_before_apostrophe(traced.text):
        traced = traced.sub(_MARK_BEFORE_APOSTROPHE, "")
    if "*" in traced.text and _STAR_IN_WORD.search(traced.text):
        traced = traced.sub(
            _STARRED_WORD_PART, _strip_stars, _STAR if "~~" not in traced.text else _STAR_OR_TILDE
        )
    if "~~" in traced.text:
        traced = traced.sub(_STRUCK_WORD_PART, lambda match: match[2])
    return traced


def _strip_stars(match: re.Match[str]) -> str:
    return str(match["head"] or match["tail"])


def _has_mark_before_apostrophe(text: str) -> bool:
    return any(mark in text and begun(text) for mark, begun in MARKED_APOSTROPHE_SEARCHES.items())


def _head_and_tail(raw: str, text_class: type[OffsetText]) -> OffsetText:
    """The head and the tail of a text that is too long, else the text itself."""
    if len(raw) * 4 <= MAX_BYTES or (len(raw) <= MAX_BYTES and _utf8_size(raw) <= MAX_BYTES):
        return text_class(raw)
    half = MAX_BYTES // 2
    head = len(_cut_bytes(raw[:half].encode("utf-8", "replace"), half, from_end=False))
    tail = len(raw) - len(_cut_bytes(raw[-half:].encode("utf-8", "replace"), half, from_end=True))
    whole = text_class(raw, truncated=True)
    return whole.rebuild([(0, head, None), (head, tail, LINE_BREAK + LINE_BREAK), (tail, len(raw), None)])


def _utf8_size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _cut_bytes(data: bytes, size: int, from_end: bool) -> str:
    return (data[-size:] if from_end else data[:size]).decode("utf-8", "ignore")

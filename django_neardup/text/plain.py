"""Raw post to plain text: the head and the tail of what is too long, without markup, without quotations."""

from __future__ import annotations

import re

from .markup import BREAK, without_markup
from .traced import Traced

MAX_BYTES = 1 << 20

_QUOTED_LINE = re.compile(r"^[ \t]*>.*\n?", re.M)
_LINK_TARGET = re.compile(
    r"(?<=\])\((?:[^()\s:]{1,16}:|[/#.]|[\w\-]{1,60}[./])[^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_PART_OF_WORD = re.compile(
    r"(?<![\w*])(?P<a>\*{1,3})(?P<head>[^\W_]{1,60})(?P=a)(?=[^\W_])"
    r"|(?<=[^\W\d_])(?P<b>\*(?=[^\W_]{2})|\*{2,3}|~~)(?P<tail>[^\W_]{1,60})(?P=b)(?![*~])"
)
_BEFORE_APOSTROPHE = re.compile(r"(?<=[^\W_])(?:\*{1,3}|_{1,3}|~~)(?=['’])")
# What any match of the two needs, and what is looked for many times faster.
_STAR_IN_WORD = re.compile(r"\*(?<=[^\W_]\*)\*{0,2}[^\W_]|~~(?<=[^\W_]~~)[^\W_]")
MARKED_APOSTROPHES = {mark: re.compile(rf"\{mark}['’]").search for mark in "*_~"}
_STAR, _STAR_OR_TILDE = re.compile(r"\*"), re.compile("[*~]")
_WORD_STRUCK = re.compile(r"(?<![\w~])(~~)([^\W_]{1,60})\1(?=[^\W_])")


def plain_text(raw: str, quotes: str = "keep", form: type[Traced] = Traced) -> Traced:
    """The text that a reader sees, with the place of each character in ``raw``.

    Inline tags join (``<b>с</b>вая`` is one word), block tags break the line, scripts, styles and comments
    go, entities are resolved, BBCode and Markdown marks go.  ``quotes="drop"`` leaves out ``<blockquote>``,
    ``[quote]`` (nested ones too) and lines that begin with ``>``.  Of a raw text over ``MAX_BYTES`` in UTF-8
    only the head and the tail are read.  ``form``: ``Untraced`` where the text alone is wanted.  Accepts any ``str``.
    """
    if quotes not in ("keep", "drop"):
        raise ValueError("quotes is 'keep' or 'drop'")
    traced = _windows(raw, form)
    if "<" in traced.text or "&" in traced.text or "[" in traced.text:
        traced = without_markup(traced, quotes == "drop")
    if "](" in traced.text:
        traced = traced.sub(_LINK_TARGET, "")
    if quotes == "drop" and ">" in traced.text:
        traced = traced.sub(_QUOTED_LINE, "")
    if _ends_before_apostrophe(traced.text):
        traced = traced.sub(_BEFORE_APOSTROPHE, "")
    if "*" in traced.text and _STAR_IN_WORD.search(traced.text):
        traced = traced.sub(_PART_OF_WORD, _unstarred, _STAR if "~~" not in traced.text else _STAR_OR_TILDE)
    if "~~" in traced.text:
        traced = traced.sub(_WORD_STRUCK, lambda match: match[2])
    return traced


def _unstarred(match: re.Match[str]) -> str:
    return str(match["head"] or match["tail"])


def _ends_before_apostrophe(text: str) -> bool:
    return any(mark in text and begun(text) for mark, begun in MARKED_APOSTROPHES.items())


def _windows(raw: str, form: type[Traced]) -> Traced:
    """The head and the tail of a text that is too long, else the text itself."""
    if len(raw) * 4 <= MAX_BYTES or (len(raw) <= MAX_BYTES and _size(raw) <= MAX_BYTES):
        return form(raw)
    half = MAX_BYTES // 2
    head = len(_cut(raw[:half].encode("utf-8", "replace"), half, tail=False))
    tail = len(raw) - len(_cut(raw[-half:].encode("utf-8", "replace"), half, tail=True))
    whole = form(raw, truncated=True)
    return whole.rebuilt([(0, head, None), (head, tail, BREAK + BREAK), (tail, len(raw), None)])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _cut(data: bytes, size: int, tail: bool) -> str:
    return (data[-size:] if tail else data[:size]).decode("utf-8", "ignore")

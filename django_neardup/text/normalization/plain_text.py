"""A raw post as plain text: without markup and, on request, without quotations."""

from __future__ import annotations

import re

from .markup import SYNTAXES, Syntax, strip_markup
from .offsets import OffsetText, PlainText
from .unread_text import MIN_UNREAD_WORDS, words_for_readers

MAX_BYTES = 1 << 20

MIN_OWN_WORDS = 5

# The mail convention: two dashes and a blank on a separate line. The text before it must not be empty.
_SIGNATURE = re.compile(r"(?<=\w)(?P<end>[^\w\n]*)\n-- ?\n[\s\S]*\Z")
_WORD = re.compile(r"\w+")
_QUOTED_LINE = re.compile(r"^[ \t]*>.*\n?", re.M)
_LINK_TARGET = re.compile(
    r"(?<=\])\((?:[^()\s:]{1,16}:|[/#.]|[\w\-]{1,60}[./])[^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_STARRED_WORD_PART = re.compile(
    r"(?<![\w*])(?P<a>\*{1,3})(?P<head>[^\W_]{1,60})(?P=a)(?=[^\W_])"
    r"|(?<=[^\W\d_])(?P<b>\*(?=[^\W_]{2})|\*{2,3}|~~)(?P<tail>[^\W_]{1,60})(?P=b)(?![*~])"
)
_MARK_BEFORE_APOSTROPHE = re.compile(r"(?<=[^\W_])(?:\*{1,3}|_{1,3}|~~)(?=['’])")
# A part of every match of the two patterns, which is found many times faster.
_STAR_IN_WORD = re.compile(r"\*(?<=[^\W_]\*)\*{0,2}[^\W_]|~~(?<=[^\W_]~~)[^\W_]")
MARKED_APOSTROPHE_SEARCHES = {mark: re.compile(rf"\{mark}['’]").search for mark in "*_~"}
_STAR, _STAR_OR_TILDE = re.compile(r"\*"), re.compile("[*~]")
_STRUCK_WORD_PART = re.compile(r"(?<![\w~])(~~)([^\W_]{1,60})\1(?=[^\W_])")


def plain_text(
    raw: str, quotes: str = "keep", text_class: type[OffsetText] = OffsetText, markup: str | None = None
) -> OffsetText:
    """Return the text that a reader sees, with the offsets of each character in ``raw``.

    Accepts any ``str``.

    Inline tags join (``<b>с</b>вая`` is one word), block tags break the line. Scripts, styles, comments,
    BBCode and Markdown marks are removed, entities are resolved.
    ``quotes="drop"`` leaves out ``<blockquote>``, ``[quote]`` (nested ones too) and lines that begin
    with ``>``. If a raw text has over ``MAX_BYTES`` in UTF-8, the result is empty and ``too_long`` is set.
    ``text_class``: ``PlainText`` if only the text is needed.
    ``markup``: what the site renders, one of ``MARKUPS``. None means any of them. Then, and with "bbcode" and
    "markdown", words that a browser would leave out are read if there are ``MIN_UNREAD_WORDS`` or more.
    Raise ValueError for another value of ``quotes`` or ``markup``.
    """
    if quotes not in ("keep", "drop"):
        raise ValueError("quotes is 'keep' or 'drop'")
    syntax = _syntax_of(markup)
    plain = _strip_marks(_unless_too_long(raw, text_class), quotes, syntax)
    # A post that is almost only a quotation is compared with it: it may contain spam.
    if quotes == "drop" and len(plain.text.split()) < MIN_OWN_WORDS:
        return plain_text(raw, "keep", text_class, markup)
    return plain


def own_text(raw: str, markup: str | None = None) -> str:
    """Return the text without markup, quotations and signature, however short it is."""
    return _strip_marks(_unless_too_long(raw, PlainText), "drop", _syntax_of(markup)).text


def _syntax_of(markup: str | None) -> Syntax:
    syntax = SYNTAXES.get(markup)
    if syntax is None:
        raise ValueError(f"markup is None or one of {', '.join(filter(None, SYNTAXES))}")
    return syntax


def _strip_marks(offset_text: OffsetText, quotes: str, syntax: Syntax) -> OffsetText:
    """Remove markup, the signature and, on request, quotations."""
    if "<" in offset_text.text or "&" in offset_text.text or "[" in offset_text.text:
        offset_text = strip_markup(offset_text, quotes == "drop", syntax)
    if syntax.markdown and "](" in offset_text.text:
        offset_text = offset_text.sub(_LINK_TARGET, _strip_link_target)
    if quotes == "drop" and ">" in offset_text.text:
        offset_text = offset_text.sub(_QUOTED_LINE, "")
    if "--" in offset_text.text:
        offset_text = offset_text.sub(_SIGNATURE, _strip_signature)
    if _has_mark_before_apostrophe(offset_text.text):
        offset_text = offset_text.sub(_MARK_BEFORE_APOSTROPHE, "")
    if "*" in offset_text.text and _STAR_IN_WORD.search(offset_text.text):
        offset_text = offset_text.sub(
            _STARRED_WORD_PART, _strip_stars, _STAR if "~~" not in offset_text.text else _STAR_OR_TILDE
        )
    if "~~" in offset_text.text:
        offset_text = offset_text.sub(_STRUCK_WORD_PART, lambda match: match[2])
    return offset_text


def _strip_link_target(match: re.Match[str]) -> str:
    """Return nothing. If the target or the title has enough words for readers, return all of it."""
    target = match.group()
    return target if len(words_for_readers(target[1:-1])) >= MIN_UNREAD_WORDS else ""


def _strip_signature(match: re.Match[str]) -> str:
    """Return the text without its signature. A signature with enough words for a text of its own is text."""
    signature = match.group()[len(match["end"]) :]
    return match["end"] if len(_WORD.findall(signature)) < MIN_UNREAD_WORDS else match.group()


def _strip_stars(match: re.Match[str]) -> str:
    return str(match["head"] or match["tail"])


def _has_mark_before_apostrophe(text: str) -> bool:
    return any(mark in text and search(text) for mark, search in MARKED_APOSTROPHE_SEARCHES.items())


def exceeds_limit(raw: str) -> bool:
    """Return whether a raw text is longer than ``MAX_BYTES`` in UTF-8."""
    if len(raw) * 4 <= MAX_BYTES:
        return False
    return len(raw) > MAX_BYTES or len(raw.encode("utf-8", "replace")) > MAX_BYTES


def _unless_too_long(raw: str, text_class: type[OffsetText]) -> OffsetText:
    """Return the raw text. Return an empty text if it is too long: it is never read in part."""
    return text_class(raw, too_long=True).rebuild([]) if exceeds_limit(raw) else text_class(raw)

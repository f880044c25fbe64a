"""HTML of a text with its shared passages bracketed and its differences marked.

Each piece of text is escaped on its own before the marks are put around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..judge.differences import Difference
from ..reports.segments import Segment
from .text_format import DIFFERENCE_LABELS, ONE_SIDED_LABELS, css_class

MAX_TEXT_LENGTH = 20_000
"""Maximum number of characters of a text on a page."""

MIN_FOLDED_WORDS, VISIBLE_EDGE_WORDS = 120, 25
"""A run of more equal words than the first number is folded; the second is how many words stay visible at
each end.
"""

WORD_PATTERN = re.compile(r"\S+")


def truncate_pieces(pieces: Iterable[Segment], max_length: int = MAX_TEXT_LENGTH) -> list[Segment]:
    """Return the first pieces, cut off after ``max_length`` characters in total."""
    shown, remaining = [], max_length
    for piece in pieces:
        if remaining <= 0:
            break
        shown.append(piece._replace(text=piece.text[:remaining]))
        remaining -= len(piece.text)
    return shown


def passage_numbers(pieces: Iterable[Segment]) -> set[int]:
    """Return the numbers of the passages that occur in the pieces."""
    return {piece.passage_number for piece in pieces if piece.passage_number}


def highlight_pieces(
    pieces: Sequence[Segment], side_letter: str, shared_numbers: Collection[int] = ()
) -> SafeString:
    """Return the pieces of one text as HTML.

    ``side_letter`` is "A" or "B". ``shared_numbers`` are the passages that the page shows in the other text
    too: only their numbers become links.
    """
    return _join_html(_passage_blocks(pieces, side_letter, shared_numbers))


def _passage_blocks(
    pieces: Iterable[Segment], side_letter: str, shared_numbers: Collection[int]
) -> Iterator[str]:
    for (number, is_boilerplate), group in groupby(
        pieces, key=lambda piece: (piece.passage_number, piece.is_boilerplate)
    ):
        content = _join_html(_piece_html(piece, side_letter) for piece in group)
        if not number:
            yield content
        else:
            yield _passage_html(number, content, side_letter, number in shared_numbers, is_boilerplate)


def _passage_html(
    number: int, content: SafeString, side_letter: str, has_counterpart: bool, is_boilerplate: bool
) -> SafeString:
    own_letter, other_letter = side_letter.lower(), "B" if side_letter == "A" else "A"
    number_html = format_html('<span class="neardup-num">{}</span>', number)
    if has_counterpart:
        label = _("Passage %(number)d, show it in %(side)s") % {"number": number, "side": other_letter}
        number_html = format_html(
            '<a class="neardup-num" href="#neardup-{}{}" aria-label="{}">{}</a>',
            other_letter.lower(),
            number,
            label,
            number,
        )
    if is_boilerplate:
        number_html = format_html("{} <small>{}</small>", number_html, _("boilerplate"))
    return format_html(
        '<div class="neardup-shared{}" id="neardup-{}{}">{} {}</div>',
        " neardup-boilerplate" if is_boilerplate else "",
        own_letter,
        number,
        number_html,
        content,
    )


def _piece_html(piece: Segment, side_letter: str) -> str:
    if piece.difference is not None:
        return _difference_html(piece.text, piece.difference, side_letter)
    return _fold_equal_words(piece.text) if piece.passage_number else piece.text


def _fold_equal_words(text: str) -> str:
    """Return the equal words. If there are many, put the middle ones into a ``<details>`` element."""
    words = list(WORD_PATTERN.finditer(text))
    if len(words) <= MIN_FOLDED_WORDS:
        return text
    start, end = words[VISIBLE_EDGE_WORDS - 1].end(), words[-VISIBLE_EDGE_WORDS].start()
    count = len(words) - 2 * VISIBLE_EDGE_WORDS
    summary = ngettext("%(count)d equal word", "%(count)d equal words", count) % {"count": count}
    return format_html(
        "{}<details><summary>{}</summary>{}</details>{}", text[:start], summary, text[start:end], text[end:]
    )


def _difference_html(text: str, difference: Difference, side_letter: str) -> SafeString:
    label = _difference_label(difference, side_letter)
    label_html = format_html("<small>{}</small>", label) if label else ""
    return format_html(
        '<mark class="{}">{}{}</mark>', css_class(difference.kind, difference.is_decisive), label_html, text
    )


def _difference_label(difference: Difference, side_letter: str) -> str | Promise:
    """Return the label of a difference: its class in words.

    If the class says nothing ("word" or "only") and only this text has the words, return "only in A" or "only
    in B".
    """
    start, end = difference.span_b if side_letter == "A" else difference.span_a
    is_one_sided = start == end and difference.kind in ("word", "only")
    return (
        ONE_SIDED_LABELS[side_letter]
        if is_one_sided
        else ""
        if difference.kind == "only"
        else DIFFERENCE_LABELS[difference.kind]
    )


def _join_html(parts: Iterable[str]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))

"""A text with its passages bracketed and its differences marked: escaped piece by piece first, marked after."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..reports.segments import Segment
from ..text.alignment.differences import Difference
from .text_format import DIFFERENCE_LABELS, ONE_SIDED_LABELS, css_class

MAX_TEXT_LENGTH = 20_000
"""Characters of a text that a page shows."""

MIN_FOLDED_WORDS, VISIBLE_EDGE_WORDS = 120, 25
"""Equal words in a row that are folded, and how many of them stay in sight at either end."""

WORD_PATTERN = re.compile(r"\S+")


def truncate_pieces(pieces: Iterable[Segment], max_length: int = MAX_TEXT_LENGTH) -> list[Segment]:
    """As many of the pieces as so many characters hold."""
    shown, left = [], max_length
    for piece in pieces:
        if left <= 0:
            break
        shown.append(piece._replace(text=piece.text[:left]))
        left -= len(piece.text)
    return shown


def passage_numbers(pieces: Iterable[Segment]) -> set[int]:
    """The passages of which something is shown."""
    return {piece.passage_number for piece in pieces if piece.passage_number}


def highlight_pieces(
    pieces: Sequence[Segment], side_letter: str, shared_numbers: Collection[int] = ()
) -> SafeString:
    """Those pieces of the text "A" or "B" as HTML; ``shared_numbers``: passages that the other text shows too."""
    return _join_html(_passage_blocks(pieces, side_letter, shared_numbers))


def _passage_blocks(
    pieces: Iterable[Segment], side_letter: str, shared_numbers: Collection[int]
) -> Iterator[str]:
    for number, group in groupby(pieces, key=lambda piece: piece.passage_number):
        told = _join_html(_piece_html(piece, side_letter) for piece in group)
        yield _passage_html(number, told, side_letter, number in shared_numbers) if number else told


def _passage_html(number: int, content: SafeString, side_letter: str, has_counterpart: bool) -> SafeString:
    here, other = side_letter.lower(), "B" if side_letter == "A" else "A"
    head = format_html('<span class="neardup-num">{}</span>', number)
    if has_counterpart:
        words = _("Passage %(number)d, show it in %(side)s") % {"number": number, "side": other}
        head = format_html(
            '<a class="neardup-num" href="#neardup-{}{}" aria-label="{}">{}</a>',
            other.lower(),
            number,
            words,
            number,
        )
    return format_html(
        '<div class="neardup-shared" id="neardup-{}{}">{} {}</div>', here, number, head, content
    )


def _piece_html(piece: Segment, side_letter: str) -> str:
    if piece.difference is not None:
        return _difference_html(piece.text, piece.difference, side_letter)
    return _fold_equal_words(piece.text) if piece.passage_number else piece.text


def _fold_equal_words(text: str) -> str:
    """Equal words, the middle of many of them in a fold."""
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
    small = format_html("<small>{}</small>", label) if label else ""
    return format_html(
        '<mark class="{}">{}{}</mark>', css_class(difference.kind, difference.is_decisive), small, text
    )


def _difference_label(difference: Difference, side_letter: str) -> str | Promise:
    """The class, in words; of one that says nothing, which text alone has the words."""
    start, end = difference.span_b if side_letter == "A" else difference.span_a
    alone = start == end and difference.kind in ("word", "only")
    return (
        ONE_SIDED_LABELS[side_letter]
        if alone
        else ""
        if difference.kind == "only"
        else DIFFERENCE_LABELS[difference.kind]
    )


def _join_html(parts: Iterable[str]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))

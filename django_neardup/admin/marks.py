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

from ..comparison.pieces import Piece
from ..text.difference import Difference
from .words import LABELS, ONLY, css_class

LENGTH = 20_000
"""Characters of a text that a page shows."""

FOLDED, KEPT = 120, 25
"""Equal words in a row that are folded, and how many of them stay in sight at either end."""

WORD = re.compile(r"\S+")


def beginning(pieces: Iterable[Piece], length: int = LENGTH) -> list[Piece]:
    """As many of the pieces as so many characters hold."""
    shown, left = [], length
    for piece in pieces:
        if left <= 0:
            break
        shown.append(piece._replace(text=piece.text[:left]))
        left -= len(piece.text)
    return shown


def numbers_in(pieces: Iterable[Piece]) -> set[int]:
    """The passages of which something is shown."""
    return {piece.number for piece in pieces if piece.number}


def marked(pieces: Sequence[Piece], letter: str, twins: Collection[int] = ()) -> SafeString:
    """Those pieces of the text "A" or "B" as HTML; ``twins``: passages that the other text shows too."""
    return _joined(_blocks(pieces, letter, twins))


def _blocks(pieces: Iterable[Piece], letter: str, twins: Collection[int]) -> Iterator[str]:
    for number, group in groupby(pieces, key=lambda piece: piece.number):
        told = _joined(_piece(piece, letter) for piece in group)
        yield _passage(number, told, letter, number in twins) if number else told


def _passage(number: int, told: SafeString, letter: str, twin: bool) -> SafeString:
    here, other = letter.lower(), "B" if letter == "A" else "A"
    head = format_html('<span class="neardup-num">{}</span>', number)
    if twin:
        words = _("Passage %(number)d, show it in %(side)s") % {"number": number, "side": other}
        head = format_html(
            '<a class="neardup-num" href="#neardup-{}{}" aria-label="{}">{}</a>',
            other.lower(),
            number,
            words,
            number,
        )
    return format_html('<div class="neardup-shared" id="neardup-{}{}">{} {}</div>', here, number, head, told)


def _piece(piece: Piece, letter: str) -> str:
    if piece.difference is not None:
        return _mark(piece.text, piece.difference, letter)
    return _folded(piece.text) if piece.number else piece.text


def _folded(text: str) -> str:
    """Equal words, the middle of many of them in a fold."""
    words = list(WORD.finditer(text))
    if len(words) <= FOLDED:
        return text
    start, end = words[KEPT - 1].end(), words[-KEPT].start()
    count = len(words) - 2 * KEPT
    summary = ngettext("%(count)d equal word", "%(count)d equal words", count) % {"count": count}
    return format_html(
        "{}<details><summary>{}</summary>{}</details>{}", text[:start], summary, text[start:end], text[end:]
    )


def _mark(text: str, difference: Difference, letter: str) -> SafeString:
    label = _label(difference, letter)
    small = format_html("<small>{}</small>", label) if label else ""
    return format_html(
        '<mark class="{}">{}{}</mark>', css_class(difference.kind, difference.decides), small, text
    )


def _label(difference: Difference, letter: str) -> str | Promise:
    """The class, in words; of one that says nothing, which text alone has the words."""
    start, end = difference.span_b if letter == "A" else difference.span_a
    alone = start == end and difference.kind in ("word", "only")
    return ONLY[letter] if alone else "" if difference.kind == "only" else LABELS[difference.kind]


def _joined(parts: Iterable[str]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))

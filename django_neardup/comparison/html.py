"""A comparison as one page: nothing is loaded, nothing runs, all that the texts hold is escaped before it is marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from pathlib import Path

from ..text.difference import Difference
from .compare import Comparison, Held, Row, Side
from .labels import Labels, figure
from .pieces import Piece, pieces, showable, written
from .words import SIGNS, Words, english

LOOKS = Path(__file__).with_name("page.css")
LENGTH = 100_000
"""Characters of a text that are shown."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
EXAMPLES = {
    "code": "С140.35",
    "number": "240",
    "measure": "14 м",
    "name": "…",
    "negation": "",
    "price": "9 450 ₽",
    "date": "12.03",
    "contact": "mail@example.ru",
    "word": "",
}


def as_html(comparison: Comparison, *, words: Words = english, language: str = "en") -> str:
    """A self-contained page: both texts side by side, shared passages numbered, differences marked by their class.

    `language` is that of `words`.  It has no script and asks for a policy under which none would run; of texts over
    100,000 characters the beginning is shown.  Its size is linear in that of the texts.
    """
    return "\n".join(_Page(comparison, words).parts(language)) + "\n"


class _Page:
    def __init__(self, comparison: Comparison, words: Words) -> None:
        self.it, self.labels = comparison, Labels(words)

    def parts(self, language: str) -> Iterator[str]:
        title = self.labels.heading("title", a=showable(self.it.a.title), b=showable(self.it.b.title))
        yield f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="robots" content="noindex">'
        yield f"<title>{escape(title)}</title>\n<style>\n{LOOKS.read_text('utf-8')}</style>\n</head>\n<body>"
        yield from self._head(title)
        yield from self._texts()
        yield '<div class="pair"><div>'
        yield from self._differences()
        yield from self._found()
        yield from self._known()
        yield from self._legend()
        yield "</div><div>"
        yield from self._algorithms()
        yield "</div></div>\n</body>\n</html>"

    def _head(self, title: str) -> Iterator[str]:
        judgement = self.it.judgement
        share = self.labels.inside(judgement.containment_a, judgement.containment_b)
        decided = [self.labels.kind(kind) for kind in judgement.classes]
        reasons = "; ".join([self.labels.heading("by", name=self.it.algorithm), *decided, share])
        yield f'<header class="head"><h1>{escape(title)}</h1>'
        yield (
            f'<p class="verdict"><i aria-hidden="true">{SIGNS[judgement.verdict]}</i>'
            f"<b>{escape(self.labels.verdict(judgement.verdict))}, {figure(self.it.percent)}</b>: "
            f"{escape(self.labels.sentence(judgement))}</p>"
        )
        yield f'<p class="quiet">{escape(reasons)}</p>'
        yield from (f'<p class="note">{escape(self.labels.note(note))}</p>' for note in self.it.notes)
        yield "</header>"

    def _texts(self) -> Iterator[str]:
        yield '<main class="texts">'
        for letter, side in self.it.sides:
            yield from self._text(letter, side)
        yield "</main>"

    def _text(self, letter: str, side: Side) -> Iterator[str]:
        count = escape(self.labels.heading("words", count=side.document.words))
        yield f'<article><h2><span class="letter">{letter}</span>{escape(showable(side.title))} '
        yield f'<span class="quiet">{count}</span></h2>'
        shown = pieces(side.document, self.it.judgement.differences, self.it.shared, letter.lower())
        told = "".join(self._marked(_beginning(shown), letter))
        more = "…" if sum(len(piece.text) for piece in shown) > LENGTH else ""
        yield f'<div class="text" dir="auto">{told}{more}</div></article>'

    def _marked(self, shown: Iterable[Piece], letter: str) -> Iterator[str]:
        other = "B" if letter == "A" else "A"
        for number, group in groupby(shown, key=lambda piece: piece.number):
            told = marked(group, self.labels)
            if not number:
                yield told
                continue
            go = escape(self.labels.heading("go", number=number, side=other))
            yield f'<span class="shared" id="{letter}{number}">'
            yield f'<a href="#{other}{number}" aria-label="{go}">{number}</a>{told}</span>'

    def _differences(self) -> Iterator[str]:
        found = self.it.judgement.differences
        yield f"<section><h2>{self._escaped('differs')}</h2><table><tbody>"
        if not found:
            yield f"<tr><td>{escape(self.labels.alike(self.it))}</td></tr>"
        for decides in (True, False):
            rows = Counter(self._row_of(each) for each in found if each.decides is decides)
            if rows:
                name = "decides" if decides else "idle"
                yield f'<tr class="split"><th colspan="2" scope="colgroup">{self._escaped(name)}</th></tr>'
            style = ' class="deciding"' if decides else ""
            for (label, told), times in rows.items():
                again = f' <span class="quiet">×{times}</span>' if times > 1 else ""
                yield f'<tr{style}><th scope="row">{label}</th><td>{told}{again}</td></tr>'
        yield "</tbody></table></section>"

    def _row_of(self, difference: Difference) -> tuple[str, str]:
        return escape(self.labels.of(difference)), replaced(self.it, difference, self.labels)

    def _legend(self) -> Iterator[str]:
        yield f'<section class="legend"><h2>{self._escaped("legend")}</h2><dl>'
        idle = {*self.it.idle, "word"}
        for name, kinds in (("decides", EXAMPLES.keys() - idle), ("idle", idle)):
            marks = "".join(self._example(kind, name) for kind in EXAMPLES if kind in kinds)
            yield f"<dt>{self._escaped(name)}</dt><dd>{marks}</dd>" if marks else ""
        yield f'<dt>{self._escaped("shared")}</dt><dd><span><span class="shared"><b>1</b>…</span> '
        yield f"{self._escaped('passage')}</span></dd></dl></section>"

    def _example(self, kind: str, name: str) -> str:
        label, text = escape(self.labels.kind(kind)), EXAMPLES[kind]
        told = f"<small>{label}</small>{text}" if text else label
        style = f"decides {kind}" if name == "decides" else kind
        return f'<span><mark class="{style}">{told}</mark></span>'

    def _algorithms(self) -> Iterator[str]:
        yield f"<section><h2>{self._escaped('algorithms')}</h2><table><thead><tr>"
        yield from (
            f'<th scope="col"{span}>{self._escaped(name)}</th>'
            for name, span in (("algorithm", ""), ("score", ' colspan="2"'), ("verdict", ""), ("keys", ""))
        )
        yield "</tr></thead><tbody>"
        for place, row in enumerate(self.it.rows):
            yield f'<tr class="{"" if place else "first"}"><th scope="row">{escape(row.name)}</th>{self._row(row)}</tr>'
        yield "</tbody></table></section>"

    def _row(self, row: Row) -> str:
        if row.percent is None:
            return f'<td colspan="4" class="quiet">{escape(self.labels.missing(row))}</td>'
        return (
            f'<td><meter max="100" value="{row.percent}">{row.percent}</meter></td>'
            f'<td class="number">{figure(row.percent)}</td>'
            f'<td class="verdict-word">{escape(self.labels.verdict(row.verdict))}</td>'
            f"<td>{escape(self.labels.met(row))}</td>"
        )

    def _found(self) -> Iterator[str]:
        yield f"<section><h2>{self._escaped('held')}</h2><table><tbody>"
        for name, held in self.it.held.items():
            yield f'<tr><th scope="row">{self._escaped(name)}</th><td>{self._held(name, held)}</td></tr>'
        told = "<br>".join(escape(self.labels.zipf(letter, side.zipf)) for letter, side in self.it.sides)
        yield f'<tr><th scope="row">{self._escaped("zipf")}</th><td>{told}</td></tr>'
        yield "</tbody></table></section>"

    def _known(self) -> Iterator[str]:
        if self.it.known is None:
            return
        yield f"<section><h2>{self._escaped('known')}</h2><table><tbody>"
        for name, told in self.it.known.rows(self.labels):
            yield f'<tr><th scope="row">{escape(name)}</th><td>{escape(told)}</td></tr>'
        yield "</tbody></table></section>"

    def _held(self, name: str, held: Held) -> str:
        return "<br>".join(
            f'<span class="quiet">{escape(where)}:</span> {escape(", ".join(items))}'
            for where, items in self.labels.held(name, held)
        ) or self._escaped("nothing")

    def _escaped(self, name: str) -> str:
        return escape(self.labels.heading(name))


def marked(shown: Iterable[Piece], labels: Labels) -> str:
    """Those pieces of a text, escaped, what differs marked for the styles of ``LOOKS``."""
    return "".join(
        _mark(piece.difference, piece.text, labels) if piece.difference else escape(piece.text)
        for piece in shown
    )


def replaced(comparison: Comparison, difference: Difference, labels: Labels) -> str:
    """The words of both texts at a difference, escaped and marked: "С140.35 → С90.30"."""
    spans = difference.span_a, difference.span_b
    sides = [written(side.document, span) for (_, side), span in zip(comparison.sides, spans)]
    told = "\N{NO-BREAK SPACE}→ ".join(filter(None, sides))
    return _mark(difference, told, labels, labelled=False)


def _mark(difference: Difference, text: str, labels: Labels, labelled: bool = True) -> str:
    label = labels.of(difference) if difference.kind != "word" or not _paired(difference) else ""
    small = f"<small>{escape(label)}</small>" if label and labelled else ""
    return f'<mark class="{_class(difference)}">{small}{escape(text)}</mark>'


def _paired(difference: Difference) -> bool:
    """Whether both texts have words there."""
    return all(start < end for start, end in (difference.a, difference.b))


def _class(difference: Difference) -> str:
    return f"decides {difference.kind}" if difference.decides else difference.kind


def _beginning(shown: Iterable[Piece]) -> Iterator[Piece]:
    left = LENGTH
    for piece in shown:
        if left <= 0:
            return
        yield piece._replace(text=piece.text[:left])
        left -= len(piece.text)

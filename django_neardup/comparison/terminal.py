"""A comparison as it is read on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from ..text.difference import Difference
from .compare import Comparison, Held
from .labels import Labels, figure
from .lines import Fragment, Line, padded, painted, width_of, wrapped
from .pieces import Piece, pieces, showable, written
from .table import Table
from .words import SIGNS, Words, english

WHOLE = 1500
"""Characters of a text that is shown whole; of longer ones equal and one-sided stretches are shortened."""
STRETCH = 400
ENDS = 120
LINES = 60
"""Lines that a text takes at most."""
DIFFERENCES = 40
NARROWEST, WIDEST = 40, 120


def as_text(comparison: Comparison, *, width: int = 80, colours: bool = False, words: Words = english) -> str:
    """Plain text of lines of `width` columns, 40..120; `colours`: with ANSI escapes.

    What the texts hold cannot steer the terminal: control characters are replaced.
    """
    lines = _Report(comparison, max(NARROWEST, min(width, WIDEST)), words).lines()
    return "".join(f"{painted(line, colours)}\n" for line in lines)


class _Report:
    def __init__(self, comparison: Comparison, width: int, words: Words) -> None:
        self.it, self.width, self.words = comparison, width, words
        self.labels = Labels(words)

    def lines(self) -> Iterator[Line]:
        yield from self._head()
        yield from self._differences()
        yield from self._texts()
        yield from self._passages()
        yield from self._found()
        yield from self._known()
        yield from self._rows()

    def _head(self) -> Iterator[Line]:
        for letter, side in self.it.sides:
            count = self.labels.heading("words", count=side.document.words)
            yield from self._hung(f"{letter}  ", Fragment(f"{showable(side.title)}, {count}"), style="strong")
        yield []
        judgement = self.it.judgement
        verdict = self.labels.verdict(judgement.verdict)
        yield from self._hung(
            f"{SIGNS[judgement.verdict]}  ",
            Fragment(f"{verdict}, {figure(self.it.percent)}: ", "strong"),
            Fragment(self.labels.sentence(judgement)),
            style="strong",
        )
        share = self.labels.inside(judgement.containment_a, judgement.containment_b)
        name = self.labels.heading("by", name=self.it.algorithm)
        decided = [self.labels.kind(kind) for kind in judgement.classes]
        yield from self._hung("   ", Fragment("; ".join([name, *decided, share]), "quiet"))
        for note in self.it.notes:
            yield from self._hung("!  ", Fragment(self.labels.note(note), "strong"), style="strong")

    def _differences(self) -> Iterator[Line]:
        yield from self._heading("differs")
        found = self.it.judgement.differences
        if not found:
            yield [Fragment(f"  {self.labels.alike(self.it)}")]
        shown = sorted(found, key=lambda each: not each.decides)[:DIFFERENCES]
        for decides, group in groupby(shown, key=lambda each: each.decides):
            yield [Fragment(f"  {self.labels.heading('decides' if decides else 'idle')}", "quiet")]
            yield from self._listed(list(group))
        yield from self._rest(len(found) - DIFFERENCES)

    def _listed(self, group: list[Difference]) -> Iterator[Line]:
        told = Counter((self.labels.of(each), self._told(each), _style(each)) for each in group)
        column = max(width_of(name) for name, _, _ in told)
        for (name, text, style), times in told.items():
            again = [Fragment(f" ×{times}", "quiet")] if times > 1 else []
            yield from self._hung(f"    {padded(name, column)}  ", Fragment(text, style), *again)

    def _told(self, difference: Difference) -> str:
        spans = difference.span_a, difference.span_b
        sides = [written(side.document, span) for (_, side), span in zip(self.it.sides, spans)]
        return "\N{NO-BREAK SPACE}→ ".join(filter(None, sides))

    def _texts(self) -> Iterator[Line]:
        yield from self._heading("texts")
        marks = {"‹1 …›": "shared", "[≠ …]": "decides", "[…]": "idle"}
        legend = ", ".join(f"{mark} {self.labels.heading(name)}" for mark, name in marks.items())
        yield from self._hung("  ", Fragment(legend, "quiet"))
        for letter, side in self.it.sides:
            yield [Fragment(f"  {letter}", "strong")]
            shown = pieces(side.document, self.it.judgement.differences, self.it.shared, letter.lower())
            whole = sum(len(piece.text) for piece in shown) <= WHOLE
            lines = wrapped(_marked(shown, whole, self.labels), self.width - 4)
            yield from ([Fragment("    "), *line] for line in lines[:LINES])
            if len(lines) > LINES:
                yield [Fragment("    …", "quiet")]

    def _passages(self) -> Iterator[Line]:
        if not self.it.shared:
            return
        yield from self._heading("passages")
        longest = sorted(self.it.shared, key=lambda each: -each.words)[:DIFFERENCES]
        for each in sorted(longest):
            text = written(self.it.a.document, each.a, ENDS)
            count = self.labels.heading("words", count=each.words)
            told = [Fragment(f"{text} "), Fragment(f"({count})", "quiet")]
            yield from self._hung(f"  {each.number:>2}  ", *told, style="number")
        yield from self._rest(len(self.it.shared) - DIFFERENCES)

    def _found(self) -> Iterator[Line]:
        yield from self._heading("held")
        for name, held in self.it.held.items():
            if held:
                yield from self._hung(f"  {self.labels.heading(name)}: ", Fragment(self._held(name, held)))
        told = "; ".join(self.labels.zipf(letter, side.zipf) for letter, side in self.it.sides)
        yield from self._hung(f"  {self.labels.heading('zipf')}: ", Fragment(told))

    def _known(self) -> Iterator[Line]:
        if self.it.known is None:
            return
        yield from self._heading("known")
        for name, told in self.it.known.rows(self.labels):
            yield from self._hung(f"  {name}: ", Fragment(told))

    def _held(self, name: str, held: Held) -> str:
        return "; ".join(f"{where}: {', '.join(items)}" for where, items in self.labels.held(name, held))

    def _rows(self) -> Iterator[Line]:
        yield from self._heading("algorithms")
        for place, (head, rest) in enumerate(Table(self.it.rows, self.labels).lines()):
            style = "strong" if place == 1 else "" if place else "quiet"
            yield from self._hung(head, *rest, style=style)

    def _heading(self, name: str) -> Iterator[Line]:
        yield []
        yield [Fragment(self.labels.heading(name), "heading")]

    def _rest(self, count: int) -> Iterator[Line]:
        if count > 0:
            yield [Fragment(f"    {self.labels.heading('rest', count=count)}", "quiet")]

    def _hung(self, head: str, *rest: Fragment, style: str = "") -> Iterator[Line]:
        """A head as it is, and beside it what follows, in lines."""
        column = width_of(head)
        for place, line in enumerate(wrapped(rest, self.width - column) or [[]]):
            yield [Fragment(" " * column) if place else Fragment(head, style), *line]


def _style(difference: Difference) -> str:
    if not difference.decides:
        return "idle"
    return "negation" if difference.kind == "negation" else "decides"


def _marked(shown: Iterable[Piece], whole: bool, labels: Labels) -> Iterator[Fragment]:
    for number, group in groupby(shown, key=lambda piece: piece.number):
        if number:
            yield Fragment(f"‹{number}\N{NO-BREAK SPACE}", "number")
        for piece in group:
            text = piece.text if whole else shortened(piece.text)
            yield from _piece(text, piece.difference, labels)
        if number:
            yield Fragment("›", "number")


def _piece(text: str, difference: Difference | None, labels: Labels) -> Iterator[Fragment]:
    if difference is None:
        yield Fragment(text)
    elif difference.decides:
        yield Fragment(f"[≠\N{NO-BREAK SPACE}{labels.kind(difference.kind)}: {text}]", _style(difference))
    else:
        yield Fragment(f"[{text}]", "idle")


def shortened(text: str) -> str:
    """The beginning and the end of a long stretch."""
    if len(text) <= STRETCH:
        return text
    head, tail = text[:ENDS], text[-ENDS:]
    head, tail = head.rsplit(" ", 1)[0], tail.split(" ", 1)[-1]
    return f"{head} …… {tail}"

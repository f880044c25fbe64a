"""The words of a comparison, put together in one language."""

from __future__ import annotations

from collections.abc import Iterator

from ..signatures import Judgement
from ..text.difference import Difference
from ..text.zipf import ZipfReport
from .compare import Comparison, Held, Note, Row, percent
from .known import Said
from .meeting import Met
from .pieces import showable
from .words import (
    DECIMAL,
    DIFFERS,
    EXACT,
    HEADINGS,
    IDENTITY,
    KEYS,
    LABELS,
    NOTES,
    ONLY,
    REPORT,
    SENTENCES,
    VERDICTS,
    Words,
)

ITEMS = 40
"""Contacts, names or codes that are listed."""


def figure(whole: int, width: int = 0) -> str:
    """A percentage: "71 %"."""
    return f"{whole:>{width}}\N{NO-BREAK SPACE}%".replace(" ", "\N{NO-BREAK SPACE}")


class Labels:
    """Words for what a comparison says."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def heading(self, name: str, /, **values: object) -> str:
        """The text of that name in `words.HEADINGS`, filled in."""
        text = self.words(HEADINGS[name])
        return text % values if values else text

    def verdict(self, name: str) -> str:
        return self.words(VERDICTS[name], REPORT if name == "none" else "")

    def sentence(self, judgement: Judgement) -> str:
        return self.words(EXACT if judgement.exact else SENTENCES[judgement.verdict])

    def kind(self, name: str) -> str:
        """The class of a difference."""
        return self.words(IDENTITY if name == "identity" else LABELS.get(name, LABELS["word"]), DIFFERS)

    def of(self, difference: Difference) -> str:
        """The class of a difference, and which text alone has the words."""
        (i, j), (p, q) = difference.span_a, difference.span_b
        only = "A" if p == q else "B" if i == j else ""
        if not only:
            return self.kind(difference.kind)
        side = self.words(ONLY[only], DIFFERS)
        return side if difference.kind in ("only", "word") else f"{self.kind(difference.kind)}, {side}"

    def note(self, note: Note) -> str:
        return self.words(NOTES[note.kind]) % {"side": note.side}

    def inside(self, a: float, b: float) -> str:
        """Both containments."""
        return self.heading("inside", a=figure(percent(a)), b=figure(percent(b)))

    def met(self, row: Row) -> str:
        """How many keys met, and how many have to, if more than one."""
        met = self.heading("met", shared=row.shared, a=row.keys_a, b=row.keys_b)
        return f"{met}, {self.heading('needed', count=row.needed)}" if row.needed > 1 else met

    def keys(self, met: Met) -> str:
        """How many keys met, how many have to, and what those that met stand for."""
        told = [
            self.heading("met", shared=met.shared, a=met.keys_a, b=met.keys_b),
            self.heading("needed", count=met.needed),
            *(self.words(KEYS[kind]) % {"count": count} for kind, count in met.kinds if kind in KEYS),
        ]
        return ", ".join(told)

    def said(self, said: Said) -> str:
        """What a person decided."""
        told = [self.heading(said.kind), showable(said.by) or self.heading("nobody"), said.when]
        if said.note:
            told.append(f"«{' '.join(showable(said.note).split())}»")
        return ", ".join([*told, *([self.heading("withdrawn")] if said.withdrawn else [])])

    def missing(self, row: Row) -> str:
        """Why an algorithm has no score of the two."""
        return self.heading("gather", command=row.hint) if row.hint else self.heading(row.missing)

    def alike(self, it: Comparison) -> str:
        """What is said where every word of the one has its like in the other."""
        return self.heading("nothing" if it.a.document.exact == it.b.document.exact else "order")

    def decimal(self, value: float) -> str:
        """A number with two decimals, and no sign before 0."""
        return f"{round(value, 2) + 0.0:.2f}".replace(".", self.words(DECIMAL, REPORT))

    def zipf(self, letter: str, report: ZipfReport | None) -> str:
        """Whether a text's words fall out of Zipf's law."""
        if report is None:
            return self.heading("brief", side=letter)
        figures = {"slope": self.decimal(report.slope), "distance": self.decimal(report.distance)}
        return self.heading("unusual" if report.anomalous else "usual", side=letter, **figures)

    def held(self, name: str, held: Held) -> Iterator[tuple[str, list[str]]]:
        """Where, and what of that kind is held there; the first 40 of each."""
        for where, items in (
            (self.heading("both"), held.equal),
            (self.words(ONLY["A"], DIFFERS), held.only_a),
            (self.words(ONLY["B"], DIFFERS), held.only_b),
        ):
            if items:
                more = [self.heading("rest", count=len(items) - ITEMS)] if len(items) > ITEMS else []
                yield where, [*(_as_read(name, item) for item in items[:ITEMS]), *more]


def _as_read(name: str, item: str) -> str:
    """A canonical contact, name or code as people write it."""
    if name == "names":
        return showable(item.title())
    return showable(item.upper() if name == "codes" else item.removeprefix("tel:").removeprefix("mailto:"))

"""What differs between two aligned texts, and what they share, with the places in the texts as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .alignment import Alignment
from .contrast import CLASSES
from .document import Document
from .gaps import Gap, free_runs
from .guard import Contradiction
from .tokenize import Token

Span = tuple[int, int]
SURFACE = 120
PASSAGE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of a (`a`, a half-open range of tokens) that stand where b has those of `b`; either may be empty.

    `kind`: code, number, measure, name, negation, price, date, contact, word, or only (one side has nothing).
    `decides`: whether this difference tells that the texts are about two things.
    `span_a`, `span_b`: the same places as offsets in the texts as written; `text_a`, `text_b`: the words.
    """

    kind: str
    a: Span
    b: Span
    decides: bool
    span_a: Span
    span_b: Span
    text_a: str
    text_b: str

    def swapped(self) -> Difference:
        """The same seen from b."""
        return Difference(
            self.kind, self.b, self.a, self.decides, self.span_b, self.span_a, self.text_b, self.text_a
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: kind, decides, and for each side the words and their offsets."""
        return {
            "kind": self.kind,
            "decides": self.decides,
            "a": {"text": self.text_a, "span": list(self.span_a)},
            "b": {"text": self.text_b, "span": list(self.span_b)},
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words that both texts hold in the same order: ranges of tokens, and offsets in the texts as written."""

    a: Span
    b: Span
    span_a: Span
    span_b: Span

    @property
    def words(self) -> int:
        return self.a[1] - self.a[0]

    def swapped(self) -> Passage:
        return Passage(self.b, self.a, self.span_b, self.span_a)

    def as_dict(self) -> dict[str, Any]:
        return {"words": self.words, "a": list(self.span_a), "b": list(self.span_b)}


def differences(
    a: Document, b: Document, alignment: Alignment, decisive: Iterable[Contradiction] = ()
) -> list[Difference]:
    """Every unaligned word of both texts, once, in the order of a; words of one place stand beside each other."""
    kinds = {item.gap: item.kind for item in decisive}
    found = [_difference(a, b, gap, kinds.get(gap)) for gap in _disjoint(alignment, kinds)]
    return sorted(found, key=lambda item: (item.a, item.b))


def passages(a: Document, b: Document, alignment: Alignment, least: int = PASSAGE_WORDS) -> list[Passage]:
    """Shared passages of at least `least` words, in the order of a."""
    found = []
    for run in alignment.runs:
        if run.length >= least:
            end = alignment.forward[run.a + run.length - 1] + 1
            here, there = (run.a, run.a + run.length), (run.b, end)
            found.append(Passage(here, there, offsets(a, here), offsets(b, there)))
    return found


def offsets(document: Document, tokens: Span) -> Span:
    """Offsets, in the text as written, of a half-open range of tokens; for an empty one, of the place it stands at."""
    start, end = tokens
    words = document.tokens
    if start < end:
        return words[start].start, words[end - 1].end
    place = words[start - 1].end if start else (words[0].start if words else 0)
    return place, place


def _disjoint(alignment: Alignment, decisive: Iterable[Gap]) -> Iterator[Gap]:
    """The gaps, decisive ones first, then those held on both sides, each word in one; then what they leave."""
    others = sorted(alignment.gaps, key=lambda gap: -(gap.left + gap.right))
    used_a, used_b = set[int](), set[int]()
    for gap in dict.fromkeys((*decisive, *others)):
        here, there = range(gap.i, gap.j), range(gap.p, gap.q)
        if used_a.isdisjoint(here) and used_b.isdisjoint(there):
            used_a.update(here)
            used_b.update(there)
            yield gap
    for start, end in _stretches(alignment.forward, used_a):
        place = alignment.forward[start - 1] + 1 if start else 0
        yield Gap(start, end, place, place, False, False)
    for start, end in _stretches(alignment.backward, used_b):
        place = alignment.backward[start - 1] + 1 if start else 0
        yield Gap(place, place, start, end, False, False)


def _stretches(places: Sequence[int], used: set[int]) -> Iterator[Span]:
    """Runs of unaligned words of which none is used."""
    for start, end in free_runs(places):
        taken = sorted(used.intersection(range(start, end)))
        for before, after in pairwise([start - 1, *taken, end]):
            if before + 1 < after:
                yield before + 1, after


def _difference(a: Document, b: Document, gap: Gap, kind: str | None) -> Difference:
    here, there = (gap.i, gap.j), (gap.p, gap.q)
    ours, theirs = a.tokens[gap.i : gap.j], b.tokens[gap.p : gap.q]
    return Difference(
        kind or plain_kind(ours, theirs),
        here,
        there,
        kind is not None,
        offsets(a, here),
        offsets(b, there),
        surface(ours),
        surface(theirs),
    )


def plain_kind(ours: Sequence[Token], theirs: Sequence[Token]) -> str:
    """The class of a difference that decides nothing: one that every token of both sides has, `only`, or `word`."""
    kinds = {CLASSES.get(token.kind, "word") for token in (*ours, *theirs)}
    if len(kinds) == 1 and not kinds <= {"word"}:
        return kinds.pop()
    return "word" if ours and theirs else "only"


def surface(tokens: Sequence[Token]) -> str:
    """The words, space-separated, cut at 120 letters."""
    text = " ".join(token.surface for token in tokens)
    return text if len(text) <= SURFACE else text[: SURFACE - 1] + "…"

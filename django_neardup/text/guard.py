"""The variant guard: does what differs say that the texts are about two things?

Two adverts of one wording that differ in С140.35 and С90.30 are of two things; two that differ in price, date or
telephone are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .alignment import Alignment
from .contrast import EXCUSED, NAMES, SHARP, contrast, foremost
from .deals import deals
from .document import Document
from .figures import FigureGaps, figures
from .gaps import Gap, free_runs
from .tokenize import Token

NARROW = 3
WIDEST = 8
TITLE_WORDS = 8
TITLED_WORDS = 20
CONTEXT = 3
EDGE = 2


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A gap whose two sides name two things: the class of what differs.

    `sure`: it decides by itself, being in a title or another deal (selling and letting).
    """

    gap: Gap
    kind: str
    sure: bool


def contradictions(
    a: Document, b: Document, alignment: Alignment, *, words: bool, excused: Iterable[str] = EXCUSED
) -> list[Contradiction]:
    """Gaps within an aligned context where another word of one class stands.

    `words`: whether nouns, adjectives and names count everywhere; in titles they do anyway.
    """
    return _Guard(a, b, alignment, words, frozenset(excused)).run()


def title_end(document: Document) -> int:
    """Number of words of a first line or sentence that is short enough to be a title; 0 without one."""
    if not document.sentences or len(document) <= TITLED_WORDS:
        return 0
    end = document.sentences[0][1]
    return end if end <= TITLE_WORDS else 0


@dataclass(frozen=True)
class _Side:
    """One of the two texts: its words, where they are in the other, its title's end."""

    document: Document
    tokens: Sequence[Token]
    places: Sequence[int]
    title: int

    @classmethod
    def of(cls, document: Document, places: Sequence[int]) -> _Side:
        return cls(document, document.tokens, places, title_end(document))

    @cached_property
    def edges(self) -> frozenset[int]:
        """Where sentences begin and end."""
        return frozenset({0} | {end for _, end in self.document.sentences})

    @cached_property
    def free(self) -> frozenset[str]:
        """Keys of the words that have no place in the other text."""
        return frozenset([self.tokens[i].key for run in free_runs(self.places) for i in range(*run)])

    def is_sentence(self, start: int, end: int) -> bool:
        """Whether the words are whole sentences, one at least."""
        return start < end and start in self.edges and end in self.edges

    def crosses(self, start: int, end: int) -> bool:
        """Whether a sentence ends inside."""
        return not self.edges.isdisjoint(range(start + 1, end))

    def is_letter(self, start: int, end: int) -> bool:
        """Whether the words are one capital letter alone: a size, a category."""
        if end - start != 1 or len(self.tokens[start].surface) != 1:
            return False
        return self.document.raw[self.tokens[start].start].isupper()

    def unaligned(self, start: int, end: int) -> list[Token]:
        """Those of the words that have no place in the other text."""
        return [self.tokens[i] for i in range(start, end) if self.places[i] < 0]


class _Guard:
    def __init__(
        self, a: Document, b: Document, alignment: Alignment, words: bool, excused: frozenset[str]
    ) -> None:
        self.a, self.b = _Side.of(a, alignment.forward), _Side.of(b, alignment.backward)
        self.words, self.excused = words, excused
        self.gaps = alignment.gaps

    def run(self) -> list[Contradiction]:
        widen = FigureGaps(self.a.tokens, self.b.tokens, self.a.places, self.b.places).widened
        found = map(self._contradiction, dict.fromkeys(map(widen, self.gaps)))
        return [item for item in found if item]

    @cached_property
    def _same_figures(self) -> bool:
        return figures(self.a.tokens) == figures(self.b.tokens)

    def _contradiction(self, gap: Gap) -> Contradiction | None:
        widest = max(gap.j - gap.i, gap.q - gap.p)
        title = gap.j <= self.a.title and gap.q <= self.b.title
        if widest > (WIDEST if gap.left and gap.right else NARROW) or not self._held(gap, title):
            return None
        words = self.words or title
        named = words and "name" not in self.excused
        if named and widest <= NARROW and self._other_deals(gap):
            return Contradiction(gap, "name", True)
        if named and self.a.is_letter(gap.i, gap.j) and self.b.is_letter(gap.p, gap.q):
            return Contradiction(gap, "name", title)
        kind = self._kind(gap, widest, title, words)
        return Contradiction(gap, kind, title) if kind else None

    def _other_deals(self, gap: Gap) -> bool:
        ours, theirs = deals(self.a.unaligned(gap.i, gap.j)), deals(self.b.unaligned(gap.p, gap.q))
        return bool(ours and theirs) and ours.isdisjoint(theirs)

    def _kind(self, gap: Gap, widest: int, title: bool, words: bool) -> str | None:
        ours = self._classes(self.a.unaligned(gap.i, gap.j), words, self.b.free)
        theirs = self._classes(self.b.unaligned(gap.p, gap.q), words, self.a.free)
        if ("negation" in ours) != ("negation" in theirs):
            if found := self._negation(gap, ours | theirs):
                return found
            ours, theirs = ours & SHARP, theirs & SHARP
        if not ours or not theirs:
            return None
        whole = not title and widest > 1 and self._replaces_sentences(gap)
        sharp = ours & SHARP and theirs & SHARP and not (whole and widest > 2) and not self._same_figures
        named = words and not whole and (widest <= NARROW or self._one_place(gap))
        kind = foremost(ours | theirs)
        return kind if (sharp or named) and kind not in self.excused else None

    def _classes(self, tokens: Iterable[Token], words: bool, elsewhere: frozenset[str]) -> set[str]:
        """Classes of the words at one side; a name that the other text has too, elsewhere, tells nothing."""
        found = set()
        for token in tokens:
            kind = contrast(token, words)
            if kind and kind not in self.excused and not (kind in NAMES and token.key in elsewhere):
                found.add(kind)
        return found

    def _negation(self, gap: Gap, kinds: set[str]) -> str | None:
        """A "not" alone, inside a sentence."""
        narrow = gap.j - gap.i <= 2 and gap.q - gap.p <= 2 and gap.left and gap.right
        sentence = self.a.is_sentence(gap.i, gap.j) or self.b.is_sentence(gap.p, gap.q)
        return "negation" if narrow and not sentence and kinds == {"negation"} else None

    def _one_place(self, gap: Gap) -> bool:
        """Whether a wide gap inside a sentence begins with an identifying word on both sides."""
        if not (gap.left and gap.right) or self.a.crosses(gap.i, gap.j) or self.b.crosses(gap.p, gap.q):
            return False
        return bool(contrast(self.a.tokens[gap.i], True) and contrast(self.b.tokens[gap.p], True))

    def _replaces_sentences(self, gap: Gap) -> bool:
        return self.a.is_sentence(gap.i, gap.j) and self.b.is_sentence(gap.p, gap.q)

    def _held(self, gap: Gap, title: bool) -> bool:
        """Whether aligned words stand on both sides, in step, three at least; an end of text counts as two."""
        left, right = self._left(gap.i), self._right(gap.j)
        if title and (gap.j, gap.q) == (self.a.title, self.b.title):
            right += EDGE
        return min(left, right) >= 1 and left + right >= CONTEXT

    def _left(self, i: int) -> int:
        places, count = self.a.places, 0
        while count < CONTEXT and i > count and places[i - count - 1] >= 0:
            if count and places[i - count] != places[i - count - 1] + 1:
                break
            count += 1
        return count + (EDGE if i == count else 0)

    def _right(self, j: int) -> int:
        places, count = self.a.places, 0
        while count < CONTEXT and j + count < len(places) and places[j + count] >= 0:
            if count and places[j + count - 1] + 1 != places[j + count]:
                break
            count += 1
        return count + (EDGE if j + count == len(places) else 0)

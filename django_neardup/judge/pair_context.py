"""Two aligned texts as the rules of the judge see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..text.alignment.align import Alignment
from ..text.alignment.figures import count_figures
from ..text.alignment.gaps import Gap
from ..text.canonical_text import CanonicalText
from ..text.tokens.stopwords import STOP_WORDS
from .figure_gaps import FigureGapWidener
from .judged_text import JudgedText
from .word_classes import CLASS_BY_KIND

MIN_CONTEXT_WORDS = 3
TEXT_EDGE_WORDS = 2


@dataclass(frozen=True)
class PairContext:
    """Two texts, their alignment, and the options of the judge.

    - ``guard_words``: whether other nouns, adjectives and names may make another item.
    - ``ignored_classes``: classes of differences that never decide.
    """

    a: JudgedText
    b: JudgedText
    alignment: Alignment
    guard_words: bool
    ignored_classes: frozenset[str]

    @classmethod
    def build(
        cls,
        a: CanonicalText,
        b: CanonicalText,
        alignment: Alignment,
        guard_words: bool,
        ignored_classes: Iterable[str],
    ) -> PairContext:
        return cls(
            JudgedText(a, alignment.forward),
            JudgedText(b, alignment.backward),
            alignment,
            guard_words,
            frozenset(ignored_classes),
        )

    @cached_property
    def shorter_length(self) -> int:
        """The number of tokens of the shorter text."""
        return min(len(self.a), len(self.b))

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps of the alignment. A gap at a figure is widened over adjacent figures."""
        widen = FigureGapWidener(self.a.tokens, self.b.tokens, self.a.positions, self.b.positions).widen
        return tuple(dict.fromkeys(map(widen, self.alignment.gaps)))

    @cached_property
    def has_same_figures(self) -> bool:
        """Whether both texts have the same numbers, codes and measures."""
        return count_figures(self.a.tokens) == count_figures(self.b.tokens)

    @cached_property
    def ignored_positions(self) -> tuple[frozenset[int], frozenset[int]]:
        """Positions of unaligned words of both texts that never decide: terms, ignored classes, stop words."""
        return self._ignored_positions(self.a), self._ignored_positions(self.b)

    def _ignored_positions(self, side: JudgedText) -> frozenset[int]:
        return frozenset(
            position
            for position in side.unaligned_positions
            if position in side.term_positions
            or side.tokens[position].key in STOP_WORDS
            or CLASS_BY_KIND.get(side.tokens[position].kind, "word") in self.ignored_classes
        )

    def is_in_terms(self, gap: Gap) -> bool:
        """Return whether all unaligned words of a gap are in terms of the deal."""
        unaligned_a = [x for x in range(gap.start_a, gap.end_a) if self.a.positions[x] < 0]
        unaligned_b = [x for x in range(gap.start_b, gap.end_b) if self.b.positions[x] < 0]
        return self.a.term_positions.issuperset(unaligned_a) and self.b.term_positions.issuperset(unaligned_b)

    def is_in_title(self, gap: Gap) -> bool:
        return gap.end_a <= self.a.title_end and gap.end_b <= self.b.title_end

    @property
    def judged_gaps(self) -> Iterator[Gap]:
        """The gaps inside an aligned context. Only they may decide."""
        return filter(self._has_context, self.gaps)

    def _has_context(self, gap: Gap) -> bool:
        """Return whether enough aligned words, in step, stand around the gap: three, and one on each side.

        An end of the text counts as two words.
        """
        left, right = self._context_before(gap.start_a), self._context_after(gap.end_a)
        if self.is_in_title(gap) and (gap.end_a, gap.end_b) == (self.a.title_end, self.b.title_end):
            right += TEXT_EDGE_WORDS
        return min(left, right) >= 1 and left + right >= MIN_CONTEXT_WORDS

    def _context_before(self, start: int) -> int:
        positions, count = self.a.positions, 0
        while count < MIN_CONTEXT_WORDS and start > count and positions[start - count - 1] >= 0:
            if count and positions[start - count] != positions[start - count - 1] + 1:
                break
            count += 1
        return count + (TEXT_EDGE_WORDS if start == count else 0)

    def _context_after(self, end: int) -> int:
        positions, count = self.a.positions, 0
        while count < MIN_CONTEXT_WORDS and end + count < len(positions) and positions[end + count] >= 0:
            if count and positions[end + count - 1] + 1 != positions[end + count]:
                break
            count += 1
        return count + (TEXT_EDGE_WORDS if end + count == len(positions) else 0)

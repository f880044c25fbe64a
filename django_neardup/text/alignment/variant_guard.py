"""The variant guard: does what differs say that the texts are about two things?

Two adverts of one wording that differ in С140.35 and С90.30 are of two things; two that differ in price, date or
telephone are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..canonical_text import CanonicalText
from ..tokens.tokenize import Token
from .align import Alignment
from .gaps import Gap, unaligned_runs
from .numeric_gaps import FigureGapWidener, count_figures
from .offer_type import find_deals
from .word_classes import (
    IGNORED_CLASSES,
    NAME_CLASSES,
    PRECISE_CLASSES,
    difference_class,
    most_decisive_class,
)

NARROW_GAP_WORDS = 3
MAX_GAP_WORDS = 8
MAX_TITLE_WORDS = 8
MAX_UNTITLED_WORDS = 20
MIN_CONTEXT_WORDS = 3
TEXT_EDGE_WORDS = 2


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A gap whose two sides name two things: the class of what differs.

    `sure`: it decides by itself, being in a title or another deal (selling and letting).
    """

    gap: Gap
    kind: str
    is_sure: bool


def find_contradictions(
    a: CanonicalText,
    b: CanonicalText,
    alignment: Alignment,
    *,
    guard_words: bool,
    ignored_classes: Iterable[str] = IGNORED_CLASSES,
) -> list[Contradiction]:
    """Gaps within an aligned context where another word of one class stands.

    `words`: whether nouns, adjectives and names count everywhere; in titles they do anyway.
    """
    return _VariantGuard(a, b, alignment, guard_words, frozenset(ignored_classes)).find_contradictions()


def title_end(text: CanonicalText) -> int:
    """Number of words of a first line or sentence that is short enough to be a title; 0 without one."""
    if not text.sentences or len(text) <= MAX_UNTITLED_WORDS:
        return 0
    end = text.sentences[0][1]
    return end if end <= MAX_TITLE_WORDS else 0


@dataclass(frozen=True)
class _GuardedText:
    """One of the two texts: its words, where they are in the other, its title's end."""

    text: CanonicalText
    tokens: Sequence[Token]
    positions: Sequence[int]
    title_end: int

    @classmethod
    def build(cls, text: CanonicalText, positions: Sequence[int]) -> _GuardedText:
        return cls(text, text.tokens, positions, title_end(text))

    @cached_property
    def sentence_edges(self) -> frozenset[int]:
        """Where sentences begin and end."""
        return frozenset({0} | {end for _, end in self.text.sentences})

    @cached_property
    def unaligned_keys(self) -> frozenset[str]:
        """Keys of the words that have no place in the other text."""
        return frozenset([self.tokens[i].key for run in unaligned_runs(self.positions) for i in range(*run)])

    def are_whole_sentences(self, start: int, end: int) -> bool:
        """Whether the words are whole sentences, one at least."""
        return start < end and start in self.sentence_edges and end in self.sentence_edges

    def has_sentence_end_inside(self, start: int, end: int) -> bool:
        """Whether a sentence ends inside."""
        return not self.sentence_edges.isdisjoint(range(start + 1, end))

    def is_capital_letter(self, start: int, end: int) -> bool:
        """Whether the words are one capital letter alone: a size, a category."""
        if end - start != 1 or len(self.tokens[start].surface) != 1:
            return False
        return self.text.raw[self.tokens[start].start].isupper()

    def unaligned_tokens(self, start: int, end: int) -> list[Token]:
        """Those of the words that have no place in the other text."""
        return [self.tokens[i] for i in range(start, end) if self.positions[i] < 0]


class _VariantGuard:
    def __init__(
        self,
        a: CanonicalText,
        b: CanonicalText,
        alignment: Alignment,
        guard_words: bool,
        ignored_classes: frozenset[str],
    ) -> None:
        self.a, self.b = _GuardedText.build(a, alignment.forward), _GuardedText.build(b, alignment.backward)
        self.guard_words, self.ignored_classes = guard_words, ignored_classes
        self.gaps = alignment.gaps

    def find_contradictions(self) -> list[Contradiction]:
        widen = FigureGapWidener(self.a.tokens, self.b.tokens, self.a.positions, self.b.positions).widen
        found = map(self._find_contradiction, dict.fromkeys(map(widen, self.gaps)))
        return [item for item in found if item]

    @cached_property
    def _has_same_figures(self) -> bool:
        return count_figures(self.a.tokens) == count_figures(self.b.tokens)

    def _find_contradiction(self, gap: Gap) -> Contradiction | None:
        widest = max(gap.end_a - gap.start_a, gap.end_b - gap.start_b)
        title = gap.end_a <= self.a.title_end and gap.end_b <= self.b.title_end
        if widest > (
            MAX_GAP_WORDS if gap.is_left_aligned and gap.is_right_aligned else NARROW_GAP_WORDS
        ) or not self._has_context(gap, title):
            return None
        words = self.guard_words or title
        named = words and "name" not in self.ignored_classes
        if named and widest <= NARROW_GAP_WORDS and self._has_different_deals(gap):
            return Contradiction(gap, "name", True)
        if (
            named
            and self.a.is_capital_letter(gap.start_a, gap.end_a)
            and self.b.is_capital_letter(gap.start_b, gap.end_b)
        ):
            return Contradiction(gap, "name", title)
        kind = self._contradiction_class(gap, widest, title, words)
        return Contradiction(gap, kind, title) if kind else None

    def _has_different_deals(self, gap: Gap) -> bool:
        ours, theirs = (
            find_deals(self.a.unaligned_tokens(gap.start_a, gap.end_a)),
            find_deals(self.b.unaligned_tokens(gap.start_b, gap.end_b)),
        )
        return bool(ours and theirs) and ours.isdisjoint(theirs)

    def _contradiction_class(
        self, gap: Gap, wider_side_words: int, in_title: bool, guard_words: bool
    ) -> str | None:
        ours = self._token_classes(
            self.a.unaligned_tokens(gap.start_a, gap.end_a), guard_words, self.b.unaligned_keys
        )
        theirs = self._token_classes(
            self.b.unaligned_tokens(gap.start_b, gap.end_b), guard_words, self.a.unaligned_keys
        )
        if ("negation" in ours) != ("negation" in theirs):
            if found := self._negation_class(gap, ours | theirs):
                return found
            ours, theirs = ours & PRECISE_CLASSES, theirs & PRECISE_CLASSES
        if not ours or not theirs:
            return None
        whole = not in_title and wider_side_words > 1 and self._is_sentence_replacement(gap)
        sharp = (
            ours & PRECISE_CLASSES
            and theirs & PRECISE_CLASSES
            and not (whole and wider_side_words > 2)
            and not self._has_same_figures
        )
        named = (
            guard_words
            and not whole
            and (wider_side_words <= NARROW_GAP_WORDS or self._has_identifying_starts(gap))
        )
        kind = most_decisive_class(ours | theirs)
        return kind if (sharp or named) and kind not in self.ignored_classes else None

    def _token_classes(
        self, tokens: Iterable[Token], guard_words: bool, keys_elsewhere: frozenset[str]
    ) -> set[str]:
        """Classes of the words at one side; a name that the other text has too, elsewhere, tells nothing."""
        found = set()
        for token in tokens:
            kind = difference_class(token, guard_words)
            if (
                kind
                and kind not in self.ignored_classes
                and not (kind in NAME_CLASSES and token.key in keys_elsewhere)
            ):
                found.add(kind)
        return found

    def _negation_class(self, gap: Gap, classes: set[str]) -> str | None:
        """A "not" alone, inside a sentence."""
        narrow = (
            gap.end_a - gap.start_a <= 2
            and gap.end_b - gap.start_b <= 2
            and gap.is_left_aligned
            and gap.is_right_aligned
        )
        sentence = self.a.are_whole_sentences(gap.start_a, gap.end_a) or self.b.are_whole_sentences(
            gap.start_b, gap.end_b
        )
        return "negation" if narrow and not sentence and classes == {"negation"} else None

    def _has_identifying_starts(self, gap: Gap) -> bool:
        """Whether a wide gap inside a sentence begins with an identifying word on both sides."""
        if (
            not (gap.is_left_aligned and gap.is_right_aligned)
            or self.a.has_sentence_end_inside(gap.start_a, gap.end_a)
            or self.b.has_sentence_end_inside(gap.start_b, gap.end_b)
        ):
            return False
        return bool(
            difference_class(self.a.tokens[gap.start_a], True)
            and difference_class(self.b.tokens[gap.start_b], True)
        )

    def _is_sentence_replacement(self, gap: Gap) -> bool:
        return self.a.are_whole_sentences(gap.start_a, gap.end_a) and self.b.are_whole_sentences(
            gap.start_b, gap.end_b
        )

    def _has_context(self, gap: Gap, in_title: bool) -> bool:
        """Whether aligned words stand on both sides, in step, three at least; an end of text counts as two."""
        left, right = self._context_before(gap.start_a), self._context_after(gap.end_a)
        if in_title and (gap.end_a, gap.end_b) == (self.a.title_end, self.b.title_end):
            right += TEXT_EDGE_WORDS
        return min(left, right) >= 1 and left + right >= MIN_CONTEXT_WORDS

    def _context_before(self, start: int) -> int:
        places, count = self.a.positions, 0
        while count < MIN_CONTEXT_WORDS and start > count and places[start - count - 1] >= 0:
            if count and places[start - count] != places[start - count - 1] + 1:
                break
            count += 1
        return count + (TEXT_EDGE_WORDS if start == count else 0)

    def _context_after(self, end: int) -> int:
        places, count = self.a.positions, 0
        while count < MIN_CONTEXT_WORDS and end + count < len(places) and places[end + count] >= 0:
            if count and places[end + count - 1] + 1 != places[end + count]:
                break
            count += 1
        return count + (TEXT_EDGE_WORDS if end + count == len(places) else 0)

"""The variant guard: decides whether the differences of two texts mean that they are about two things.

Two adverts with the same wording that differ in С140.35 and С90.30 are about two things. Two that differ
in price, date or phone are not.
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
    """A gap with two sides that name two things, and the class of the difference.

    ``is_sure``: the difference is enough without others: it is in a title or names another deal (selling
    and letting).
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
    """Return the gaps inside an aligned context that have another word of the same class on each side.

    ``guard_words``: whether nouns, adjectives and names count everywhere. In titles they always count.
    """
    return _VariantGuard(a, b, alignment, guard_words, frozenset(ignored_classes)).find_contradictions()


def title_end(text: CanonicalText) -> int:
    """Return the number of words of a first line or sentence that is short enough for a title.

    Return 0 if there is no such line or sentence, or if the whole text is short.
    """
    if not text.sentences or len(text) <= MAX_UNTITLED_WORDS:
        return 0
    end = text.sentences[0][1]
    return end if end <= MAX_TITLE_WORDS else 0


@dataclass(frozen=True)
class _GuardedText:
    """One of the two texts: its words, their positions in the other text, and the end of its title."""

    text: CanonicalText
    tokens: Sequence[Token]
    positions: Sequence[int]
    title_end: int

    @classmethod
    def build(cls, text: CanonicalText, positions: Sequence[int]) -> _GuardedText:
        return cls(text, text.tokens, positions, title_end(text))

    @cached_property
    def sentence_edges(self) -> frozenset[int]:
        """Positions at which sentences begin and end."""
        return frozenset({0} | {end for _, end in self.text.sentences})

    @cached_property
    def unaligned_keys(self) -> frozenset[str]:
        """Keys of the words that have no counterpart in the other text."""
        return frozenset(
            [self.tokens[position].key for run in unaligned_runs(self.positions) for position in range(*run)]
        )

    def are_whole_sentences(self, start: int, end: int) -> bool:
        """Return whether the words are one or more whole sentences."""
        return start < end and start in self.sentence_edges and end in self.sentence_edges

    def has_sentence_end_inside(self, start: int, end: int) -> bool:
        """Return whether a sentence ends inside the range."""
        return not self.sentence_edges.isdisjoint(range(start + 1, end))

    def is_capital_letter(self, start: int, end: int) -> bool:
        """Return whether the range is a single capital letter, such as a size or a category."""
        if end - start != 1 or len(self.tokens[start].surface) != 1:
            return False
        return self.text.raw[self.tokens[start].start].isupper()

    def unaligned_tokens(self, start: int, end: int) -> list[Token]:
        """Return the words of the range that have no counterpart in the other text."""
        return [self.tokens[position] for position in range(start, end) if self.positions[position] < 0]


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
        contradictions = map(self._find_contradiction, dict.fromkeys(map(widen, self.gaps)))
        return [contradiction for contradiction in contradictions if contradiction]

    @cached_property
    def _has_same_figures(self) -> bool:
        return count_figures(self.a.tokens) == count_figures(self.b.tokens)

    def _find_contradiction(self, gap: Gap) -> Contradiction | None:
        wider_side_words = max(gap.end_a - gap.start_a, gap.end_b - gap.start_b)
        in_title = gap.end_a <= self.a.title_end and gap.end_b <= self.b.title_end
        if wider_side_words > (
            MAX_GAP_WORDS if gap.is_left_aligned and gap.is_right_aligned else NARROW_GAP_WORDS
        ) or not self._has_context(gap, in_title):
            return None
        guard_words = self.guard_words or in_title
        names_count = guard_words and "name" not in self.ignored_classes
        if names_count and wider_side_words <= NARROW_GAP_WORDS and self._has_different_deals(gap):
            return Contradiction(gap, "name", True)
        if (
            names_count
            and self.a.is_capital_letter(gap.start_a, gap.end_a)
            and self.b.is_capital_letter(gap.start_b, gap.end_b)
        ):
            return Contradiction(gap, "name", in_title)
        kind = self._contradiction_class(gap, wider_side_words, in_title, guard_words)
        return Contradiction(gap, kind, in_title) if kind else None

    def _has_different_deals(self, gap: Gap) -> bool:
        deals_a, deals_b = (
            find_deals(self.a.unaligned_tokens(gap.start_a, gap.end_a)),
            find_deals(self.b.unaligned_tokens(gap.start_b, gap.end_b)),
        )
        return bool(deals_a and deals_b) and deals_a.isdisjoint(deals_b)

    def _contradiction_class(
        self, gap: Gap, wider_side_words: int, in_title: bool, guard_words: bool
    ) -> str | None:
        classes_a = self._token_classes(
            self.a.unaligned_tokens(gap.start_a, gap.end_a), guard_words, self.b.unaligned_keys
        )
        classes_b = self._token_classes(
            self.b.unaligned_tokens(gap.start_b, gap.end_b), guard_words, self.a.unaligned_keys
        )
        if ("negation" in classes_a) != ("negation" in classes_b):
            if negation := self._negation_class(gap, classes_a | classes_b):
                return negation
            classes_a, classes_b = classes_a & PRECISE_CLASSES, classes_b & PRECISE_CLASSES
        if not classes_a or not classes_b:
            return None
        is_sentence_replacement = not in_title and wider_side_words > 1 and self._is_sentence_replacement(gap)
        has_precise_classes = (
            classes_a & PRECISE_CLASSES
            and classes_b & PRECISE_CLASSES
            and not (is_sentence_replacement and wider_side_words > 2)
            and not self._has_same_figures
        )
        has_naming_words = (
            guard_words
            and not is_sentence_replacement
            and (wider_side_words <= NARROW_GAP_WORDS or self._has_identifying_starts(gap))
        )
        kind = most_decisive_class(classes_a | classes_b)
        return (
            kind if (has_precise_classes or has_naming_words) and kind not in self.ignored_classes else None
        )

    def _token_classes(
        self, tokens: Iterable[Token], guard_words: bool, keys_elsewhere: frozenset[str]
    ) -> set[str]:
        """Return the classes of the words at one side.

        A name that the other text has elsewhere does not count.
        """
        classes = set()
        for token in tokens:
            kind = difference_class(token, guard_words)
            if (
                kind
                and kind not in self.ignored_classes
                and not (kind in NAME_CLASSES and token.key in keys_elsewhere)
            ):
                classes.add(kind)
        return classes

    def _negation_class(self, gap: Gap, classes: set[str]) -> str | None:
        """Return "negation" if a narrow gap inside a sentence holds only a "not". Otherwise return None."""
        is_narrow = (
            gap.end_a - gap.start_a <= 2
            and gap.end_b - gap.start_b <= 2
            and gap.is_left_aligned
            and gap.is_right_aligned
        )
        is_sentence = self.a.are_whole_sentences(gap.start_a, gap.end_a) or self.b.are_whole_sentences(
            gap.start_b, gap.end_b
        )
        return "negation" if is_narrow and not is_sentence and classes == {"negation"} else None

    def _has_identifying_starts(self, gap: Gap) -> bool:
        """Return whether a wide gap inside a sentence begins with an identifying word on both sides."""
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
        """Return whether enough aligned words, in step, stand around the gap: three, and one on each side.

        An end of the text counts as two words.
        """
        left, right = self._context_before(gap.start_a), self._context_after(gap.end_a)
        if in_title and (gap.end_a, gap.end_b) == (self.a.title_end, self.b.title_end):
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

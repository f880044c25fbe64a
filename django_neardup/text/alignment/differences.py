"""What differs between two aligned texts, and what they share, with the places in the texts as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..canonical_text import CanonicalText
from ..tokens.tokenize import Token
from .align import Alignment
from .gaps import Gap, unaligned_runs
from .variant_guard import Contradiction
from .word_classes import CLASS_BY_KIND

Span = tuple[int, int]
MAX_SHOWN_CHARACTERS = 120
MIN_PASSAGE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of a (`a`, a half-open range of tokens) that stand where b has those of `b`; either may be empty.

    `kind`: code, number, measure, name, negation, price, date, contact, word, or only (one side has nothing).
    `decides`: whether this difference tells that the texts are about two things.
    `span_a`, `span_b`: the same places as offsets in the texts as written; `text_a`, `text_b`: the words.
    """

    kind: str
    token_range_a: Span
    token_range_b: Span
    is_decisive: bool
    span_a: Span
    span_b: Span
    text_a: str
    text_b: str

    def swap_sides(self) -> Difference:
        """The same seen from b."""
        return Difference(
            self.kind,
            self.token_range_b,
            self.token_range_a,
            self.is_decisive,
            self.span_b,
            self.span_a,
            self.text_b,
            self.text_a,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: kind, decides, and for each side the words and their offsets."""
        return {
            "kind": self.kind,
            "decides": self.is_decisive,
            "a": {"text": self.text_a, "span": list(self.span_a)},
            "b": {"text": self.text_b, "span": list(self.span_b)},
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words that both texts hold in the same order: ranges of tokens, and offsets in the texts as written."""

    token_range_a: Span
    token_range_b: Span
    span_a: Span
    span_b: Span

    @property
    def word_count(self) -> int:
        return self.token_range_a[1] - self.token_range_a[0]

    def swap_sides(self) -> Passage:
        return Passage(self.token_range_b, self.token_range_a, self.span_b, self.span_a)

    def as_dict(self) -> dict[str, Any]:
        return {"words": self.word_count, "a": list(self.span_a), "b": list(self.span_b)}


def find_differences(
    a: CanonicalText, b: CanonicalText, alignment: Alignment, contradictions: Iterable[Contradiction] = ()
) -> list[Difference]:
    """Every unaligned word of both texts, once, in the order of a; words of one place stand beside each other."""
    kinds = {item.gap: item.kind for item in contradictions}
    found = [_make_difference(a, b, gap, kinds.get(gap)) for gap in _disjoint_gaps(alignment, kinds)]
    return sorted(found, key=lambda item: (item.token_range_a, item.token_range_b))


def find_passages(
    a: CanonicalText, b: CanonicalText, alignment: Alignment, min_words: int = MIN_PASSAGE_WORDS
) -> list[Passage]:
    """Shared passages of at least `least` words, in the order of a."""
    found = []
    for run in alignment.runs:
        if run.length >= min_words:
            end = alignment.forward[run.start_a + run.length - 1] + 1
            here, there = (run.start_a, run.start_a + run.length), (run.start_b, end)
            found.append(Passage(here, there, text_offsets(a, here), text_offsets(b, there)))
    return found


def text_offsets(text: CanonicalText, token_range: Span) -> Span:
    """Offsets, in the text as written, of a half-open range of tokens; for an empty one, of the place it stands at."""
    start, end = token_range
    words = text.tokens
    if start < end:
        return words[start].start, words[end - 1].end
    place = words[start - 1].end if start else (words[0].start if words else 0)
    return place, place


def _disjoint_gaps(alignment: Alignment, decisive_gaps: Iterable[Gap]) -> Iterator[Gap]:
    """The gaps, decisive ones first, then those held on both sides, each word in one; then what they leave."""
    others = sorted(alignment.gaps, key=lambda gap: -(gap.is_left_aligned + gap.is_right_aligned))
    used_a, used_b = set[int](), set[int]()
    for gap in dict.fromkeys((*decisive_gaps, *others)):
        here, there = range(gap.start_a, gap.end_a), range(gap.start_b, gap.end_b)
        if used_a.isdisjoint(here) and used_b.isdisjoint(there):
            used_a.update(here)
            used_b.update(there)
            yield gap
    for start, end in _unused_runs(alignment.forward, used_a):
        place = alignment.forward[start - 1] + 1 if start else 0
        yield Gap(start, end, place, place, False, False)
    for start, end in _unused_runs(alignment.backward, used_b):
        place = alignment.backward[start - 1] + 1 if start else 0
        yield Gap(place, place, start, end, False, False)


def _unused_runs(positions: Sequence[int], used_positions: set[int]) -> Iterator[Span]:
    """Runs of unaligned words of which none is used."""
    for start, end in unaligned_runs(positions):
        taken = sorted(used_positions.intersection(range(start, end)))
        for before, after in pairwise([start - 1, *taken, end]):
            if before + 1 < after:
                yield before + 1, after


def _make_difference(a: CanonicalText, b: CanonicalText, gap: Gap, decisive_kind: str | None) -> Difference:
    here, there = (gap.start_a, gap.end_a), (gap.start_b, gap.end_b)
    ours, theirs = a.tokens[gap.start_a : gap.end_a], b.tokens[gap.start_b : gap.end_b]
    return Difference(
        decisive_kind or indecisive_kind(ours, theirs),
        here,
        there,
        decisive_kind is not None,
        text_offsets(a, here),
        text_offsets(b, there),
        shown_words(ours),
        shown_words(theirs),
    )


def indecisive_kind(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> str:
    """The class of a difference that decides nothing: one that every token of both sides has, `only`, or `word`."""
    kinds = {CLASS_BY_KIND.get(token.kind, "word") for token in (*tokens_a, *tokens_b)}
    if len(kinds) == 1 and not kinds <= {"word"}:
        return kinds.pop()
    return "word" if tokens_a and tokens_b else "only"


def shown_words(tokens: Sequence[Token]) -> str:
    """The words, space-separated, cut at 120 letters."""
    text = " ".join(token.surface for token in tokens)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"

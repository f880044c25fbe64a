"""Differences and shared passages of two aligned texts, with their offsets in the raw texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ..text.alignment.align import Alignment
from ..text.alignment.gaps import Gap, most_aligned_first, unaligned_runs, without_overlaps
from ..text.canonical_text import CanonicalText
from ..text.tokens.synonyms import WORD_KINDS
from ..text.tokens.tokenize import Token
from .meanings import Meaning
from .word_classes import CLASS_BY_KIND

Span = tuple[int, int]
MAX_SHOWN_CHARACTERS = 120
MIN_PASSAGE_WORDS = 4
WRITTEN_WORD = re.compile(r"[^\s,;()«»\"]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of a that stand where b has other words. Either side may be empty.

    ``kind``: code, number, measure, name, negation, price, date, contact, word, or only (one side is
    empty).
    ``token_range_a``, ``token_range_b``: half-open ranges of tokens.
    ``is_decisive``: whether this difference means that the texts are about two things.
    ``span_a``, ``span_b``: the same ranges as offsets in the raw texts. ``text_a``, ``text_b``: the words.
    ``rule``: the name of the rule that decided, otherwise "".
    """

    kind: str
    token_range_a: Span
    token_range_b: Span
    is_decisive: bool
    span_a: Span
    span_b: Span
    text_a: str
    text_b: str
    rule: str = ""

    def swap_sides(self) -> Difference:
        """Return the same difference with a and b swapped."""
        return Difference(
            self.kind,
            self.token_range_b,
            self.token_range_a,
            self.is_decisive,
            self.span_b,
            self.span_a,
            self.text_b,
            self.text_a,
            self.rule,
        )

    def without_decision(self) -> Difference:
        """Return the same difference of the same words, which does not decide."""
        return replace(self, is_decisive=False, rule="")

    def as_dict(self) -> dict[str, Any]:
        """Return the kind, whether it decides, and the words and offsets of each side, ready for JSON."""
        return {
            "kind": self.kind,
            "decides": self.is_decisive,
            "rule": self.rule,
            "a": {"text": self.text_a, "span": list(self.span_a)},
            "b": {"text": self.text_b, "span": list(self.span_b)},
        }


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words that both texts have in the same order: token ranges, and offsets in the raw texts.

    ``is_boilerplate``: many other texts of the site share it (``boilerplate_snapshot.py``).
    """

    token_range_a: Span
    token_range_b: Span
    span_a: Span
    span_b: Span
    is_boilerplate: bool = False

    @property
    def word_count(self) -> int:
        return self.token_range_a[1] - self.token_range_a[0]

    def swap_sides(self) -> Passage:
        return Passage(self.token_range_b, self.token_range_a, self.span_b, self.span_a, self.is_boilerplate)

    def as_dict(self) -> dict[str, Any]:
        """Return the number of words and the offsets of each side, ready for JSON, and whether it is boilerplate."""
        place = {"words": self.word_count, "a": list(self.span_a), "b": list(self.span_b)}
        # Most passages are none, and evidence is stored with every pair.
        return {**place, "boilerplate": True} if self.is_boilerplate else place


def find_differences(
    a: CanonicalText, b: CanonicalText, alignment: Alignment, meanings: Iterable[Meaning] = ()
) -> list[Difference]:
    """Return the differences in the order of a.

    Every unaligned word of both texts is in exactly one of them.

    Words at the same position of both texts are in one difference.
    """
    by_gap: dict[Gap, Meaning] = {}
    for meaning in meanings:
        # The first meaning of a gap wins, as the order of the rules says.
        by_gap.setdefault(meaning.gap, meaning)
    differences = [_make_difference(a, b, gap, by_gap.get(gap)) for gap in _disjoint_gaps(alignment, by_gap)]
    return sorted(differences, key=lambda difference: (difference.token_range_a, difference.token_range_b))


def find_passages(
    a: CanonicalText, b: CanonicalText, alignment: Alignment, min_words: int = MIN_PASSAGE_WORDS
) -> list[Passage]:
    """Return the shared passages of at least ``min_words`` words, in the order of a."""
    passages, tokens_a, tokens_b = [], a.tokens, b.tokens
    for run in alignment.runs:
        if run.length >= min_words:
            end = alignment.forward[run.start_a + run.length - 1] + 1
            range_a, range_b = (run.start_a, run.start_a + run.length), (run.start_b, end)
            spans = text_offsets(tokens_a, range_a), text_offsets(tokens_b, range_b)
            passages.append(Passage(range_a, range_b, *spans))
    return passages


def text_offsets(tokens: Sequence[Token], token_range: Span) -> Span:
    """Return the offsets, in the raw text, of a half-open range of the tokens of a text.

    For an empty range return its position as an empty span.
    """
    start, end = token_range
    if start < end:
        return tokens[start].start, tokens[end - 1].end
    offset = tokens[start - 1].end if start else (tokens[0].start if tokens else 0)
    return offset, offset


def _disjoint_gaps(alignment: Alignment, decisive_gaps: Iterable[Gap]) -> Iterator[Gap]:
    """Yield gaps that share no word: decisive gaps, then those aligned on both sides, then the others.

    The words that are left over come last, as gaps with one empty side.
    """
    candidates = dict.fromkeys((*decisive_gaps, *most_aligned_first(alignment.gaps)))
    gaps = list(without_overlaps(candidates))
    yield from gaps
    used_a = {position for gap in gaps for position in range(gap.start_a, gap.end_a)}
    used_b = {position for gap in gaps for position in range(gap.start_b, gap.end_b)}
    for start, end in _unused_runs(alignment.forward, used_a):
        position = alignment.forward[start - 1] + 1 if start else 0
        yield Gap(start, end, position, position, False, False)
    for start, end in _unused_runs(alignment.backward, used_b):
        position = alignment.backward[start - 1] + 1 if start else 0
        yield Gap(position, position, start, end, False, False)


def _unused_runs(positions: Sequence[int], used_positions: set[int]) -> Iterator[Span]:
    """Yield the runs of unaligned words without the used ones."""
    for start, end in unaligned_runs(positions):
        if used_positions.issuperset(range(start, end)):
            continue
        used = sorted(used_positions.intersection(range(start, end)))
        for previous, following in pairwise([start - 1, *used, end]):
            if previous + 1 < following:
                yield previous + 1, following


def _make_difference(a: CanonicalText, b: CanonicalText, gap: Gap, decisive: Meaning | None) -> Difference:
    range_a, range_b = (gap.start_a, gap.end_a), (gap.start_b, gap.end_b)
    tokens_a, tokens_b = a.tokens, b.tokens
    spans = (decisive and decisive.spans) or (
        text_offsets(tokens_a, range_a),
        text_offsets(tokens_b, range_b),
    )
    tokens_a, tokens_b = tokens_a[gap.start_a : gap.end_a], tokens_b[gap.start_b : gap.end_b]
    text_a, text_b = shown_words(tokens_a, a.raw), shown_words(tokens_b, b.raw)
    if decisive:
        trimmed = decisive.spans or _trim_common_words(a.raw, spans[0], b.raw, spans[1])
        if decisive.spans or trimmed != spans:
            spans = trimmed
            text_a, text_b = (
                _cut(" ".join(text.raw[slice(*span)].split())) for text, span in zip((a, b), spans)
            )
    return Difference(
        decisive.kind if decisive else indecisive_kind(tokens_a, tokens_b),
        range_a,
        range_b,
        decisive is not None,
        *spans,
        text_a,
        text_b,
        decisive.rule if decisive else "",
    )


def _trim_common_words(raw_a: str, span_a: Span, raw_b: str, span_b: Span) -> tuple[Span, Span]:
    """Return the spans without the words that both begin or end with: 3000 рублей, 5000 рублей."""
    words_a, words_b = (
        [match.span() for match in WRITTEN_WORD.finditer(raw, *span)]
        for raw, span in ((raw_a, span_a), (raw_b, span_b))
    )
    while len(words_a) > 1 and len(words_b) > 1 and _is_same(raw_a, words_a[0], raw_b, words_b[0]):
        del words_a[0], words_b[0]
    while len(words_a) > 1 and len(words_b) > 1 and _is_same(raw_a, words_a[-1], raw_b, words_b[-1]):
        del words_a[-1], words_b[-1]
    if not words_a or not words_b:
        return span_a, span_b
    return (words_a[0][0], words_a[-1][1]), (words_b[0][0], words_b[-1][1])


def _is_same(raw_a: str, span_a: Span, raw_b: str, span_b: Span) -> bool:
    return raw_a[slice(*span_a)].lower() == raw_b[slice(*span_b)].lower()


def indecisive_kind(tokens_a: Sequence[Token], tokens_b: Sequence[Token]) -> str:
    """Return the class of a difference that is not decisive.

    It is the class that all tokens of both sides have, ``only`` for an empty side, otherwise ``word``.
    """
    kinds = {CLASS_BY_KIND.get(token.kind, "word") for token in (*tokens_a, *tokens_b)}
    if len(kinds) == 1 and not kinds <= {"word"}:
        return kinds.pop()
    return "word" if tokens_a and tokens_b else "only"


def shown_words(tokens: Sequence[Token], raw: str) -> str:
    """Return the words, space-separated, cut at 120 characters. Figures are shown as written."""
    words, end = [], -1
    for token in tokens:
        if token.start < end:  # двухместная is two tokens, and one word
            continue
        end = token.end
        words.append(token.surface if token.kind in WORD_KINDS else " ".join(raw[token.start : end].split()))
    return _cut(" ".join(words))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"

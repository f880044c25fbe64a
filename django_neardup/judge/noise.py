"""Noisy texts: read by a machine from paper, or typed in haste.

Most replaced words are then similar in characters to what stands in their place, and are no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from ..text.alignment.gaps import Gap
from ..text.alignment.word_links import is_in_dictionary
from ..text.tokens.tokenize import Token
from .certainty import character_similarity
from .pair_context import PairContext
from .rules.base import is_replaced

# Chosen on scanned newspapers of nine languages: the similarity of gaps is 0.43 or more there, 0.24 or less between
# two articles. The first bound is of the faster measure, 0.32 and 0.28.
MIN_NOISY_TOKENS = 12
MIN_NOISY_WORDS = 4
MIN_LENGTH_RATIO = 0.7
MIN_PAIR_SIMILARITY = 0.3
MIN_SEQUENCE_SIMILARITY = 0.36
MIN_UNKNOWN_SHARE = 0.5
MIN_NOISE_SIMILARITY = 0.5
MAX_GAP_CHARACTERS = 2_000
USUAL_WORD_LENGTH = 6
_WORD_KINDS = ("word", "latin")


def character_score(context: PairContext) -> float | None:
    """Return the score of two noisy texts, 0..1: a gap counts as aligned by its similarity in characters.

    Return None if the texts are not noisy.
    """
    shorter, longer = sorted((len(context.a), len(context.b)))
    if shorter < MIN_NOISY_TOKENS or shorter < MIN_LENGTH_RATIO * longer:
        return None
    gaps = list(_word_gaps(context))
    texts = [_texts(context, gap) for gap in gaps]
    # A name that an advert repeats is one difference, however often it stands there.
    spellings = len({context.a.tokens[position].surface for position in context.alignment.spellings})
    if not gaps or len(set(texts)) + spellings < MIN_NOISY_WORDS:
        return None
    if _count_unknown(context, gaps) + spellings < MIN_UNKNOWN_SHARE * (len(gaps) + spellings):
        return None
    if _mean(texts, [character_similarity(*pair) for pair in texts], spellings) < MIN_PAIR_SIMILARITY:
        return None
    similarities = [SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in texts]
    if _mean(texts, similarities, spellings) < MIN_SEQUENCE_SIMILARITY:
        return None
    return _score(context, gaps, similarities)


def is_noise(context: PairContext, gap: Gap) -> bool:
    """Return whether a gap between noisy texts is noise itself: similar in characters, and not of real words.

    Two figures of digits alone are none: С140, С90.
    """
    sides = _unaligned(context, gap)
    tokens = (*sides[0], *sides[1])
    if all(token.surface.isdecimal() for token in tokens):
        return False
    if all(token.kind in _WORD_KINDS and is_in_dictionary(token.surface) for token in tokens):
        return False
    return SequenceMatcher(None, *_texts(context, gap), autojunk=False).ratio() >= MIN_NOISE_SIMILARITY


def _word_gaps(context: PairContext) -> Iterator[Gap]:
    """Yield replaced gaps that share no word, with words only on one side at least: bills, bi11s.

    Gaps between aligned words come first.
    """
    used_a, used_b = set[int](), set[int]()
    for gap in sorted(context.gaps, key=lambda gap: -(gap.is_left_aligned + gap.is_right_aligned)):
        range_a, range_b = range(gap.start_a, gap.end_a), range(gap.start_b, gap.end_b)
        if not is_replaced(gap) or not used_a.isdisjoint(range_a) or not used_b.isdisjoint(range_b):
            continue
        sides = _unaligned(context, gap)
        if all(sides) and any(all(token.kind in _WORD_KINDS for token in side) for side in sides):
            used_a.update(range_a)
            used_b.update(range_b)
            yield gap


def _unaligned(context: PairContext, gap: Gap) -> tuple[list[Token], list[Token]]:
    return context.a.unaligned_tokens(gap.start_a, gap.end_a), context.b.unaligned_tokens(
        gap.start_b, gap.end_b
    )


def _texts(context: PairContext, gap: Gap) -> tuple[str, str]:
    a, b = (" ".join(token.surface for token in side) for side in _unaligned(context, gap))
    return a[:MAX_GAP_CHARACTERS], b[:MAX_GAP_CHARACTERS]


def _count_unknown(context: PairContext, gaps: list[Gap]) -> int:
    """Return the number of gaps that have, on one side, no word of a dictionary."""
    return sum(
        any(not any(is_in_dictionary(token.surface) for token in side) for side in _unaligned(context, gap))
        for gap in gaps
    )


def _mean(texts: list[tuple[str, str]], similarities: list[float], spellings: int) -> float:
    """Return the mean similarity, weighted by characters. A spelling counts as an equal word of usual length."""
    lengths = [len(a) + len(b) for a, b in texts]
    linked = 2 * USUAL_WORD_LENGTH * spellings
    total = sum(similarity * length for similarity, length in zip(similarities, lengths, strict=True))
    return (total + linked) / (sum(lengths) + linked)


def _score(context: PairContext, gaps: list[Gap], similarities: list[float]) -> float:
    alignment = context.alignment
    aligned = (alignment.aligned_weight_a + alignment.aligned_weight_b) / 2
    for gap, similarity in zip(gaps, similarities, strict=True):
        for side, start, end in (
            (context.a, gap.start_a, gap.end_a),
            (context.b, gap.start_b, gap.end_b),
        ):
            weights = side.text.weights
            aligned += (
                similarity
                * sum(weights[position] for position in range(start, end) if side.positions[position] < 0)
                / 2
            )
    union = alignment.weight_a + alignment.weight_b - aligned
    return min(aligned / union, 1.0) if union > 0 else 0.0

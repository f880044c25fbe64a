"""Thresholds of an alignment: how much two texts have in common, and whether one holds the other."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.alignment.align import Alignment
from ..text.canonical_text import CanonicalText

# All thresholds were chosen on labelled pairs (docs/accuracy.md). These are (words of the shorter text at
# most, least score): in short texts each word counts more.
DUPLICATE_SCORES = ((12, 0.80), (25, 0.70), (50, 0.66))
LONG_DUPLICATE_SCORE = 0.58
SHORT_TEXT_WORDS = 25
# Of `is_similar_enough`.
SHORT_RELATED_SCORE = 0.41
LONG_RELATED_SCORE = 0.36
MIN_RUN_CONTAINMENT = 0.70
MIN_PASSAGE_WORDS = 20
MIN_PARTIAL_PASSAGE_WORDS = 10
MIN_PARTIAL_PASSAGE_SHARE = 0.25
# Of `has_duplicate_score`.
MIN_COMMON_SHARE = 0.7
# Of `has_different_openings`.
MIN_OPENING_WORDS = 6
MIN_UNALIGNED_OPENING_SHARE = 0.5
MIN_OPENING_DIFFERENCE = 0.8
MAX_OPENING_SCORE = 0.85
# Of `is_contained` and `is_edited_copy`.
MIN_CONTAINED_SHARE = 0.80
MIN_CONTAINMENT_DIFFERENCE = 0.12
MAX_HOLDER_SHARE = 0.70
MIN_INSIDE_SHARE = 0.2
MIN_CONTAINED_WORDS = 6
MIN_RUN_WORDS = 4
MIN_SHARE_IN_RUNS = 0.6


def shorter_word_count(alignment: Alignment) -> int:
    return min(len(alignment.forward), len(alignment.backward))


def has_duplicate_score(alignment: Alignment) -> bool:
    """Return whether the texts have enough in common to be one text.

    Short texts need a higher score than long ones. From 26 words on, 7 aligned words of 10 (by weight) in
    both texts are enough too.
    """
    word_count = shorter_word_count(alignment)
    common_share = min(alignment.containment_a, alignment.containment_b)
    return alignment.score >= min_duplicate_score(word_count) or (
        word_count > SHORT_TEXT_WORDS and common_share >= MIN_COMMON_SHARE
    )


def min_duplicate_score(word_count: int) -> float:
    """Return the score from which two texts count as duplicates. ``word_count`` is the shorter text's."""
    return next((score for limit, score in DUPLICATE_SCORES if word_count <= limit), LONG_DUPLICATE_SCORE)


def is_similar_enough(alignment: Alignment) -> bool:
    """Return whether a person should see the pair. One of these conditions is enough:

    - the score is high enough
    - one text contains most of the other in runs
    - they share a passage of 20 words, or of 10 words that are a quarter of the shorter text
    """
    word_count = shorter_word_count(alignment)
    if alignment.score >= (SHORT_RELATED_SCORE if word_count <= SHORT_TEXT_WORDS else LONG_RELATED_SCORE):
        return True
    lengths = [run.length for run in alignment.runs]
    if not lengths:
        return False
    # The mean over words. Without it, common words in any order would count as a held text.
    mean_run_length = sum(length * length for length in lengths) / sum(lengths)
    largest_containment = max(alignment.containment_a, alignment.containment_b)
    has_long_passage = max(lengths) >= min(
        MIN_PASSAGE_WORDS, max(MIN_PARTIAL_PASSAGE_WORDS, MIN_PARTIAL_PASSAGE_SHARE * word_count)
    )
    return has_long_passage or (
        largest_containment >= MIN_RUN_CONTAINMENT and word_count >= 6 and mean_run_length >= 2
    )


def is_contained(alignment: Alignment) -> bool:
    """Return whether nearly all of one text stands, in runs, in another text that holds more."""
    smaller, larger = sorted((alignment.containment_a, alignment.containment_b))
    word_count = shorter_word_count(alignment)
    words_in_runs = sum(run.length for run in alignment.runs if run.length >= MIN_RUN_WORDS)
    return (
        word_count >= MIN_CONTAINED_WORDS
        and larger >= MIN_CONTAINED_SHARE
        and larger - smaller >= MIN_CONTAINMENT_DIFFERENCE
        and words_in_runs >= MIN_SHARE_IN_RUNS * word_count
    )


def is_edited_copy(alignment: Alignment) -> bool:
    """Return whether the containing text is an edited copy of the contained one.

    It is one if it adds little. It is also one if over a fifth of the added words stands inside the
    contained text, as inserted sentences do.
    """
    smaller = min(alignment.containment_a, alignment.containment_b)
    if smaller >= MAX_HOLDER_SHARE:
        return True
    holder = alignment.forward if alignment.containment_a <= alignment.containment_b else alignment.backward
    start, end = opening_length(holder), len(holder) - opening_length(holder[::-1])
    return holder[start:end].count(-1) > MIN_INSIDE_SHARE * holder.count(-1)


def has_different_openings(a: CanonicalText, b: CanonicalText, alignment: Alignment) -> bool:
    """Return whether nearly all differences are in how the texts begin: two items above one shop's
    boilerplate.
    """
    if alignment.score >= MAX_OPENING_SCORE:
        return False
    shares = _opening_share(a.weights, alignment.forward), _opening_share(b.weights, alignment.backward)
    return min(shares) >= MIN_OPENING_DIFFERENCE


def _opening_share(weights: Sequence[float], positions: Sequence[int]) -> float:
    """Return the share, by weight, of a text's unaligned words that stand before its first aligned passage.

    Return 0 if fewer than 6 words stand before it, or if more than half of their weight is aligned.
    """
    end, unaligned = opening_length(positions), unaligned_weights(weights, positions)
    starts_late = end >= MIN_OPENING_WORDS and sum(unaligned[:end]) >= MIN_UNALIGNED_OPENING_SHARE * sum(
        weights[:end]
    )
    return sum(unaligned[:end]) / sum(unaligned) if starts_late else 0.0


def unaligned_weights(weights: Sequence[float], positions: Sequence[int]) -> list[float]:
    """Return the weight of each word without a counterpart, and 0 for the others."""
    return [weight if position < 0 else 0.0 for weight, position in zip(weights, positions, strict=True)]


def opening_length(positions: Sequence[int]) -> int:
    """Return the number of words before the first four neighbours that are all aligned.

    Return the number of all words if there are no such neighbours.
    """
    run_length = 0
    for index, position in enumerate(positions):
        run_length = run_length + 1 if position >= 0 else 0
        if run_length == MIN_RUN_WORDS:
            return index + 1 - run_length
    return len(positions)

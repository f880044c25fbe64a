"""Verdicts from alignments: thresholds, and the meanings of the differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from ..text.alignment.align import Alignment
from ..text.alignment.gaps import Gap
from ..text.alignment.keyboard import is_slip
from ..text.canonical_text import CanonicalText
from .certainty import MIN_PROBABILITY, UNCALIBRATED, Certainty, Features, measure_features
from .frames import are_items_in_one_frame, share_only_a_frame
from .heads import find_other_heads
from .meanings import ANYWHERE, DOUBT, HEAD, IGNORED, OTHER_ITEM, WORDS, Meaning
from .noise import character_score, without_noise
from .pair_context import PairContext
from .pair_rules import find_other_accents, find_other_parts, find_other_persons, find_other_signs
from .quotations import verdict_by_quotations
from .role_swaps import find_role_swaps
from .rules import FIGURE_RULES, IGNORING_RULES, RULES, RULES_BEHIND_HEADS
from .rules.figures import FigureRule
from .thresholds import (
    SHORT_RELATED_SCORE,
    has_different_openings,
    has_duplicate_score,
    is_contained,
    is_edited_copy,
    is_similar_enough,
    min_duplicate_score,
)
from .word_classes import IGNORED_CLASSES

# Tokens of the shorter text, scores and shares, chosen on labelled pairs (docs/accuracy.md).
MAX_DECIDED_BY_FIGURES = 100
MAX_DECIDED_BY_WORDS = 50
MAX_DECIDED_BY_MOST_WORDS = 100
MAX_DECIDED_BY_ONLY_WORD = 200
MAX_GAPS_OF_ONLY_DIFFERENCE = 4
MAX_EDITED_FIGURES = 2
MIN_VARIANT_SCORE = 0.6
MIN_REMAINING_SCORE = 0.8
MIN_EXPLAINED_SHARE = 0.5
MAX_TOKENS_PER_DIFFERENCE = 500
MAX_TERMS_SHARE = 0.45
MIN_ITEM_WORDS = 5

WORD_RULES = (find_role_swaps, find_other_accents, find_other_persons, find_other_parts)
"""Rules about aligned words that decide only where words do."""


@dataclass(frozen=True, slots=True)
class AlignmentVerdict:
    """A verdict, how sure it is, and the differences that caused it.

    - ``decisive``: differences that mean another item. There are none unless the verdict is ``variant``.
    - ``doubts``: differences that keep a pair out of one group although its texts are alike enough. The verdict
      is then ``related``.
    - ``doubtful``: the pair may be another item (``variant``), or one item (``related``).
    - ``features``: of a pair on which no rule decides.
    - ``noisy_score``: the score on characters, if the texts are noisy (``noise.character_score``).
    """

    verdict: str
    decisive: tuple[Meaning, ...] = ()
    doubts: tuple[Meaning, ...] = ()
    doubtful: bool = False
    features: Features | None = None
    noisy_score: float | None = None


def decide_verdict(
    a: CanonicalText,
    b: CanonicalText,
    alignment: Alignment,
    *,
    guard: bool,
    guard_words: bool,
    ignored_classes: Iterable[str],
    certainty: Certainty = UNCALIBRATED,
) -> AlignmentVerdict:
    """Return the verdict on two texts that both have words."""
    context = PairContext.build(a, b, alignment, guard_words, ignored_classes)
    counted = without_ignored_terms(context)
    score, has_enough_in_common = counted.score, has_duplicate_score(counted)
    # If the words are enough, noise matters only for differences that decide.
    is_noise_known = not has_enough_in_common
    noisy_score = character_score(context) if is_noise_known else None
    if noisy_score is not None:
        score, has_enough_in_common = noisy_score, noisy_score >= min_duplicate_score(len(a))
    elif not is_similar_enough(counted):
        return AlignmentVerdict("none")
    elif is_contained(counted) and not (has_enough_in_common and is_edited_copy(counted)):
        return AlignmentVerdict("contained")
    conclude = partial(AlignmentVerdict, noisy_score=noisy_score)
    meanings = find_meanings(context, certainty) if guard else []
    decisive = decisive_meanings(context, meanings)
    if decisive and (noisy_score if is_noise_known else character_score(context)) is not None:
        meanings = without_noise(context, meanings)
        decisive = decisive_meanings(context, meanings)
    if decisive and (
        has_enough_in_common
        or score >= MIN_VARIANT_SCORE
        # One replaced code takes much off the score of a short text, even if all other words are equal.
        or score_without(context, decisive) >= MIN_REMAINING_SCORE
    ):
        sure = certainty.only_sure(decisive, context.shorter_length)
        return conclude("variant", sure or decisive, doubtful=not sure or share_only_a_frame(a, b, alignment))
    if noisy_score is None and has_different_openings(a, b, counted):
        return conclude("related")
    if has_enough_in_common:
        by_quotations = verdict_by_quotations(a, b, SHORT_RELATED_SCORE) if guard else ""
        if by_quotations:
            return conclude(by_quotations)
        # Where words do not decide, another beginning is an edit.
        may_be_items = guard and guard_words and context.shorter_length <= MAX_DECIDED_BY_ONLY_WORD
        if may_be_items and noisy_score is None and are_items_in_one_frame(context, meanings):
            return conclude("related", doubtful=True)
        doubts = tuple(meaning for meaning in meanings if meaning.effect == DOUBT) if guard else ()
        if doubts or (guard and is_only_a_guess(context)):
            return conclude("related", (), doubts, doubtful=True)
    if not guard or any(meaning.effect == OTHER_ITEM for meaning in meanings):
        return conclude("duplicate" if has_enough_in_common else "related")
    features = measure_features(context, score)
    may_be_same = certainty.probability(features) >= MIN_PROBABILITY
    is_duplicate = has_enough_in_common and may_be_same
    return conclude(
        "duplicate" if is_duplicate else "related",
        doubtful=may_be_same and not is_duplicate,
        features=features,
    )


def without_ignored_terms(context: PairContext) -> Alignment:
    """Return the alignment without the weight of the unaligned words in terms of the deal.

    The item must be named by enough words outside the terms that both texts have. A text that is mostly terms is
    about them. In a text of over 100 tokens the terms weigh little.
    """
    alignment = context.alignment
    if context.shorter_length > MAX_DECIDED_BY_MOST_WORDS:
        return alignment
    weights = [
        sum(side.text.weights[x] for x in side.unaligned_positions if x in side.term_positions)
        for side in (context.a, context.b)
    ]
    if not any(weights) or _count_item_words(context) < MIN_ITEM_WORDS:
        return alignment
    wholes = max(alignment.weight_a, 1.0), max(alignment.weight_b, 1.0)
    if max(weight / whole for weight, whole in zip(weights, wholes, strict=True)) > MAX_TERMS_SHARE:
        return alignment
    return replace(
        alignment, weight_a=alignment.weight_a - weights[0], weight_b=alignment.weight_b - weights[1]
    )


def _count_item_words(context: PairContext) -> int:
    """Return the number of aligned words of a outside the terms that are no stop words."""
    is_stop, terms = context.a.text.stop, context.a.term_positions
    return sum(
        other >= 0 and not is_stop[position] and position not in terms
        for position, other in enumerate(context.a.positions)
    )


def find_meanings(context: PairContext, certainty: Certainty = UNCALIBRATED) -> list[Meaning]:
    """Return the meanings of all differences that a rule knows, without those of rules that are off.

    More than two other figures are no edit of a text, even where one or two are: they come back as a doubt.
    """
    words_may_decide, length = can_words_decide(context), context.shorter_length
    found = [*find_other_signs(context)]
    if words_may_decide:
        found += chain.from_iterable(find(context) for find in WORD_RULES)
    found = [meaning for meaning in found if not certainty.is_off(meaning, length)]
    edited_figures: list[Meaning] = []
    for gap in context.judged_gaps:
        meaning = None
        for rule in RULES if words_may_decide or context.is_in_title(gap) else FIGURE_RULES:
            meaning = rule.find(context, gap)
            if meaning and certainty.is_off(meaning, length):
                if meaning.rule == FigureRule.name:
                    edited_figures.append(meaning)
                meaning = None
            if meaning:
                break
        # The rules that ignore come first of all. They are asked last, since few differences need them.
        if meaning is not None and meaning.effect != IGNORED:
            meaning = _find_ignored(context, gap) or meaning
        if meaning is not None:
            found.append(meaning)
    if len(edited_figures) > MAX_EDITED_FIGURES:
        edited_figures = [figure for figure in edited_figures if not _find_ignored(context, figure.gap)]
    if len(edited_figures) > MAX_EDITED_FIGURES:
        found += edited_figures
    heads = list(find_other_heads(context))
    return sorted([*found, *heads], key=_rank) if heads else found


def _find_ignored(context: PairContext, gap: Gap) -> Meaning | None:
    """Return what the rules that only ignore say about a gap."""
    return next(filter(None, (rule.find(context, gap) for rule in IGNORING_RULES)), None)


def _rank(meaning: Meaning) -> int:
    """Return the rank of a meaning in the precedence: heads come behind figures and opposites."""
    if meaning.decides == HEAD:
        return 1
    return 2 if meaning.rule in RULES_BEHIND_HEADS else 0


def can_words_decide(context: PairContext) -> bool:
    """Return whether a difference of words outside a title may decide.

    In texts of over 100 tokens it must be the only one, and above 200 tokens it never decides. Most rules need
    not be asked then.
    """
    length = context.shorter_length
    if length <= MAX_DECIDED_BY_MOST_WORDS:
        return True
    return (
        length <= MAX_DECIDED_BY_ONLY_WORD
        and not context.alignment.spellings
        and len(context.gaps) <= MAX_GAPS_OF_ONLY_DIFFERENCE
    )


def decisive_meanings(context: PairContext, meanings: Sequence[Meaning]) -> tuple[Meaning, ...]:
    """Return the differences that make another item. Return () if they do not decide.

    - A difference that decides anywhere is enough in texts of up to 100 tokens. In longer texts, such differences
      must hold half of all that differs.
    - A difference of words is enough up to 50 tokens, up to 100 tokens if such differences hold half of all
      that differs, and up to 200 tokens if it is the only difference.
    - In any text, a difference in a head or in a title is enough.
    """
    length = context.shorter_length
    others = tuple(
        meaning
        for meaning in meanings
        if meaning.effect == OTHER_ITEM and (length <= MAX_DECIDED_BY_WORDS or not _is_slip(context, meaning))
    )
    if not others:
        return ()
    figures = tuple(meaning for meaning in others if meaning.decides == ANYWHERE)
    is_enough = (
        (bool(figures) and length <= MAX_DECIDED_BY_FIGURES)
        or length <= MAX_DECIDED_BY_WORDS
        or any(meaning.decides == HEAD for meaning in others)
        or any(context.is_in_title(meaning.gap) for meaning in others if meaning.kind not in IGNORED_CLASSES)
        or _hold_most(context, others if length <= MAX_DECIDED_BY_MOST_WORDS else figures)
        or (
            length <= MAX_DECIDED_BY_ONLY_WORD
            and len(others) == 1
            and explained_share(context, others) == 1.0
        )
    )
    return others if is_enough else ()


def _is_slip(context: PairContext, meaning: Meaning) -> bool:
    """Return whether two single words differ like a slip of the pen.

    In a longer text two words that are one letter apart are more often a misspelling than two items.
    """
    gap = meaning.gap
    if meaning.decides != WORDS or (gap.end_a - gap.start_a, gap.end_b - gap.start_b) != (1, 1):
        return False
    return is_slip(context.a.tokens[gap.start_a].surface, context.b.tokens[gap.start_b].surface)


def _hold_most(context: PairContext, meanings: Sequence[Meaning]) -> bool:
    """Return whether these differences hold half of all that differs."""
    is_frequent = len(meanings) * MAX_TOKENS_PER_DIFFERENCE >= context.shorter_length
    return is_frequent and explained_share(context, meanings) >= MIN_EXPLAINED_SHARE


def is_only_a_guess(context: PairContext) -> bool:
    """Return whether a short pair differs only in guessed spellings: Canon and Canyon."""
    if not context.alignment.guesses or context.shorter_length > MAX_DECIDED_BY_WORDS:
        return False
    ignored_a, ignored_b = context.ignored_positions
    return ignored_a.issuperset(context.a.unaligned_positions) and ignored_b.issuperset(
        context.b.unaligned_positions
    )


def score_without(context: PairContext, meanings: Iterable[Meaning]) -> float:
    """Return the score that the texts would have without the words of these differences."""
    alignment = context.alignment
    aligned_weight = (alignment.aligned_weight_a + alignment.aligned_weight_b) / 2
    gaps = [meaning.gap for meaning in meanings]
    weight_a = sum(sum(context.a.text.weights[gap.start_a : gap.end_a]) for gap in gaps)
    weight_b = sum(sum(context.b.text.weights[gap.start_b : gap.end_b]) for gap in gaps)
    union = alignment.weight_a + alignment.weight_b - aligned_weight - weight_a - weight_b
    return min(aligned_weight / union, 1.0) if union > 0 else 0.0


def explained_share(context: PairContext, meanings: Sequence[Meaning]) -> float:
    """Return the share, 0..1, of the unaligned words that are in these differences.

    If such a word repeats elsewhere, it counts there too. Ignored words do not count. Return 1 if no word is
    unaligned.
    """
    total = explained = 0
    ignored_a, ignored_b = context.ignored_positions
    for side, ignored, ranges in (
        (context.a, ignored_a, [(meaning.gap.start_a, meaning.gap.end_a) for meaning in meanings]),
        (context.b, ignored_b, [(meaning.gap.start_b, meaning.gap.end_b) for meaning in meanings]),
    ):
        keys = {token.key for start, end in ranges for token in side.tokens[start:end]}
        unaligned = [
            side.tokens[position].key for position in side.unaligned_positions if position not in ignored
        ]
        total += len(unaligned)
        explained += sum(key in keys for key in unaligned)
    return explained / total if total else 1.0

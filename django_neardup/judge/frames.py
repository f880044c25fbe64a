"""Frames: one long passage that two texts share, next to different words.

It may be a shop's footer, or one description of two items: the texts do not show which.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..text.alignment.align import Alignment
from ..text.canonical_text import CanonicalText
from .judged_text import names_item
from .meanings import IGNORED, Meaning
from .pair_context import PairContext
from .thresholds import opening_length, unaligned_weights

# Words, and shares by weight.
MIN_FRAME_WORDS = 30
MAX_UNALIGNED_FRAME_SHARE = 0.1
MAX_BORDER_WORDS = 2
MIN_OWN_WORDS = 2
MIN_CHANGED_SHARE = 0.5
MIN_OWN_SHARE = 0.75


def share_only_a_frame(
    a: CanonicalText,
    b: CanonicalText,
    alignment: Alignment,
    min_own_share: float = MIN_CHANGED_SHARE,
    steps: tuple[int, ...] = (1, -1),
) -> bool:
    """Return whether two texts have little in common but one long passage at their end, or at their beginning.

    ``min_own_share``: the share by weight of the words beside the passage that must be unaligned in both texts.
    ``steps``: 1 for a passage at the end, -1 for one at the beginning.
    """
    for step in steps:
        sides = (a, alignment.forward[::step]), (b, alignment.backward[::step])
        starts = [_frame_start(text, positions, step) for text, positions in sides]
        ends = [opening_length(positions) for _, positions in sides]
        # An abbreviation may hide the end of a sentence in one text: ресивер 50 л.
        share = min_own_share if any(starts) else max(min_own_share, MIN_OWN_SHARE)
        if (any(starts) or max(ends) >= MIN_OWN_WORDS) and all(
            _is_frame(text.weights[::step], positions, start or end, share)
            for (text, positions), start, end in zip(sides, starts, ends, strict=True)
        ):
            return True
    return False


def _frame_start(text: CanonicalText, positions: Sequence[int], step: int) -> int:
    """Return the edge of a sentence at the first aligned words, or 0 if there is none.

    ``step``: -1 means that ``positions`` go from the last word to the first.
    """
    edges = {end if step == 1 else len(positions) - start for start, end in text.sentences}
    # The first words of the frame may happen to be the last ones before it, too.
    first_aligned = opening_length(positions)
    nearby = range(first_aligned, first_aligned + MAX_BORDER_WORDS + 1)
    return next((edge for edge in nearby if edge in edges), 0)


def _is_frame(weights: Sequence[float], positions: Sequence[int], start: int, min_own_share: float) -> bool:
    """Return whether nearly all words from ``start`` on are aligned, and most words before it are not."""
    if not start or len(positions) - start < MIN_FRAME_WORDS:
        return False
    unaligned = unaligned_weights(weights, positions)
    own_share, frame_share = (
        sum(unaligned[part]) / sum(weights[part]) for part in (slice(start), slice(start, None))
    )
    return own_share >= min_own_share and frame_share <= MAX_UNALIGNED_FRAME_SHARE


def are_items_in_one_frame(context: PairContext, meanings: Iterable[Meaning]) -> bool:
    """Return whether two texts share one long passage, and say what they are about in other words beside it.

    What is ignored is no such word: another price, another telephone or other buttons at the end.
    """
    gaps = [meaning.gap for meaning in meanings if meaning.effect == IGNORED]
    ignored_a, ignored_b = context.ignored_positions
    positions: list[tuple[int, ...]] = []
    for side, terms, ranges in (
        (context.a, ignored_a, [range(gap.start_a, gap.end_a) for gap in gaps]),
        (context.b, ignored_b, [range(gap.start_b, gap.end_b) for gap in gaps]),
    ):
        # The clause that names the item is no term of the deal: Куплю велосипед недорого.
        ignored = terms.difference(range(*side.item_clause)).union(*ranges)
        own = (side.tokens[position] for position in side.unaligned_positions if position not in ignored)
        if not any(map(names_item, own)):
            return False
        # Ignored words count as aligned.
        positions.append(
            tuple(0 if position in ignored else other for position, other in enumerate(side.positions))
        )
    aligned = replace(context.alignment, forward=positions[0], backward=positions[1])
    # The end of a text never makes another item.
    return share_only_a_frame(context.a.text, context.b.text, aligned, MIN_OWN_SHARE, steps=(1,))

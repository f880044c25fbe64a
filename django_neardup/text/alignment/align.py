"""Alignment of two texts: which word of one is which word of the other.

Moves and fuzzy equality are allowed.

The time is nearly linear in the length of the texts. The steps:

- equal beginnings and ends;
- shared runs of 6, 3 and 2 words, which may stand elsewhere;
- in the gaps between them: two fuzzily equal words at one position, split or joined words, and single
  words in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import sub
from typing import NamedTuple

from ..canonical_text import CanonicalText
from .aligner import Aligner
from .gaps import Gap, find_gaps
from .shared_runs import common_prefix_length


class AlignedRun(NamedTuple):
    """Words of a from ``start_a`` on that are aligned in step with words of b from ``start_b`` on."""

    start_a: int
    start_b: int
    length: int


@dataclass(frozen=True)
class Alignment:
    """Positions of aligned words and the weights of the texts.

    ``forward[i]`` is the position in b of word i of a, or -1. ``backward`` is the same from b. ``weight_a``
    and ``weight_b`` are the weights of the texts. ``aligned_weight_a`` and ``aligned_weight_b`` are the
    weights of their aligned words.
    """

    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight_a: float
    weight_b: float
    aligned_weight_a: float
    aligned_weight_b: float
    gaps: tuple[Gap, ...]
    """Gaps next to a pair of aligned words (see ``gaps.find_gaps``)."""
    guesses: frozenset[int] = frozenset()
    """Positions in a of words that are linked by a guess (see ``word_links``)."""
    spellings: frozenset[int] = frozenset()
    """Positions in a of words that are linked as spellings of one word. Guesses are among them."""

    @property
    def score(self) -> float:
        """R = aligned weight / weight of the union, 0..1. It is 0 for texts without words."""
        aligned = (self.aligned_weight_a + self.aligned_weight_b) / 2
        union = self.weight_a + self.weight_b - aligned
        return aligned / union if union else 0.0

    @property
    def containment_a(self) -> float:
        """Share of a's weight that is also in b, 0..1."""
        return self.aligned_weight_a / self.weight_a if self.weight_a else 0.0

    @property
    def containment_b(self) -> float:
        """Share of b's weight that is also in a, 0..1."""
        return self.aligned_weight_b / self.weight_b if self.weight_b else 0.0

    @cached_property
    def runs(self) -> tuple[AlignedRun, ...]:
        """The longest runs of a with words aligned in step. A word that is split in two counts as one step."""
        return tuple(_find_runs(self.forward))

    def swap_sides(self) -> Alignment:
        """Return the same alignment with a and b swapped."""
        return Alignment(
            self.backward,
            self.forward,
            self.weight_b,
            self.weight_a,
            self.aligned_weight_b,
            self.aligned_weight_a,
            tuple(find_gaps(self.backward, self.forward)),
            frozenset(self.forward[position] for position in self.guesses),
            frozenset(self.forward[position] for position in self.spellings),
        )


def align(a: CanonicalText, b: CanonicalText) -> Alignment:
    """Align the words of two texts. The result for (b, a) is the result for (a, b) with the sides swapped."""
    return align_ordered(b, a).swap_sides() if is_second(a, b) else align_ordered(a, b)


def align_ordered(a: CanonicalText, b: CanonicalText) -> Alignment:
    """Align the words of two texts. ``a`` comes first (see ``is_second``)."""
    aligner = Aligner(a, b)
    forward, backward = aligner.align()
    aligned_weight_a = sum(
        [weight for weight, position in zip(a.weights, forward, strict=True) if position >= 0]
    )
    aligned_weight_b = sum(
        [weight for weight, position in zip(b.weights, backward, strict=True) if position >= 0]
    )
    return Alignment(
        tuple(forward),
        tuple(backward),
        a.total_weight,
        b.total_weight,
        aligned_weight_a,
        aligned_weight_b,
        aligner.gaps,
        frozenset(aligner.guesses),
        frozenset(aligner.spellings),
    )


def is_second(a: CanonicalText, b: CanonicalText) -> bool:
    """Return whether a comes after b in an alignment.

    The shorter text is first. If both are equally long, the text with words later in the alphabet is first.
    """
    if len(a) != len(b):
        return len(a) > len(b)
    if a.exact_digest == b.exact_digest:
        return False
    # The order must not follow the hashes: they depend on the secret, and a verdict must not.
    first = common_prefix_length(a.hashes, b.hashes)
    # The opposite order is equally valid, but it loses three duplicates among the labelled pairs. This one loses none.
    return first < len(a) and a.tokens[first].key < b.tokens[first].key


def _find_runs(forward: tuple[int, ...]) -> Iterator[AlignedRun]:
    # Nearly all steps are 1, so the others are picked first. The step from -1 to 0 is 1 too.
    steps = enumerate(map(sub, forward[1:], forward), 1)
    places = [index for index, step in steps if step != 1 or not forward[index]]
    breaks = [x for x in places if forward[x - 1] < 0 or not 0 <= forward[x] - forward[x - 1] <= 1]
    for start, end in pairwise([0, *breaks, len(forward)] if forward else []):
        if forward[start] >= 0:
            yield AlignedRun(start, forward[start], end - start)

"""Which word of one text is which word of another: a move-aware, fuzzy alignment, near-linear in the texts' length.

Equal beginnings and ends first, then shared runs of 6, 3 and 2 words, which may stand elsewhere, then, inside the gaps
between them, fuzzy equality of two words at one place, words split or joined, and single words in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ..canonical_text import CanonicalText
from .aligner import Aligner
from .gaps import Gap, find_gaps


class AlignedRun(NamedTuple):
    """`length` words of a from `a` on, aligned in step with those of b from `b` on."""

    start_a: int
    start_b: int
    length: int


@dataclass(frozen=True)
class Alignment:
    """Places of words: `forward[i]` is the place in b of word i of a, or -1; `backward` the same from b.

    `weight_a`, `weight_b` are the texts' weights, `covered_a`, `covered_b` those of their aligned words.
    """

    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight_a: float
    weight_b: float
    aligned_weight_a: float
    aligned_weight_b: float

    @property
    def score(self) -> float:
        """R = aligned weight / weight of the union, 0..1; 0 for texts without words."""
        aligned = (self.aligned_weight_a + self.aligned_weight_b) / 2
        union = self.weight_a + self.weight_b - aligned
        return aligned / union if union else 0.0

    @property
    def containment_a(self) -> float:
        """Share, 0..1, of a's weight that b holds."""
        return self.aligned_weight_a / self.weight_a if self.weight_a else 0.0

    @property
    def containment_b(self) -> float:
        """Share, 0..1, of b's weight that a holds."""
        return self.aligned_weight_b / self.weight_b if self.weight_b else 0.0

    @cached_property
    def runs(self) -> tuple[AlignedRun, ...]:
        """Longest stretches of a whose words are aligned in step; a word split in two counts as one step."""
        return tuple(_find_runs(self.forward))

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """See `gaps.gaps`."""
        return tuple(find_gaps(self.forward, self.backward))

    def swap_sides(self) -> Alignment:
        """The same alignment seen from b."""
        return Alignment(
            self.backward,
            self.forward,
            self.weight_b,
            self.weight_a,
            self.aligned_weight_b,
            self.aligned_weight_a,
        )


def align(a: CanonicalText, b: CanonicalText) -> Alignment:
    """Align the words of two documents; the result for (b, a) is that for (a, b), swapped."""
    if is_second(a, b):
        return align(b, a).swap_sides()
    forward, backward = Aligner(a, b).align()
    covered_a = sum([weight for weight, place in zip(a.weights, forward, strict=True) if place >= 0])
    covered_b = sum([weight for weight, place in zip(b.weights, backward, strict=True) if place >= 0])
    return Alignment(tuple(forward), tuple(backward), a.total_weight, b.total_weight, covered_a, covered_b)


def is_second(a: CanonicalText, b: CanonicalText) -> bool:
    """Return whether a comes after b in an alignment.

    The shorter text is first; of two equally long texts the one whose words come later in the alphabet.  The order
    must not follow the hashes: they depend on the secret, and a verdict must not.
    """
    if len(a) != len(b):
        return len(a) > len(b)
    if a.exact_digest == b.exact_digest:
        return False
    keys = ((ours.key, theirs.key) for ours, theirs in zip(a.tokens, b.tokens, strict=True))
    # The other order is as good, but loses three duplicates among the labelled pairs; this one loses none.
    return next((ours < theirs for ours, theirs in keys if ours != theirs), False)


def _find_runs(forward: tuple[int, ...]) -> Iterator[AlignedRun]:
    steps = enumerate(pairwise(forward), 1)
    breaks = [i for i, (previous, place) in steps if previous < 0 or not 0 <= place - previous <= 1]
    for start, end in pairwise([0, *breaks, len(forward)] if forward else []):
        if forward[start] >= 0:
            yield AlignedRun(start, forward[start], end - start)

"""Containment: how much of the smaller text stands, in one piece or several, in the larger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..text.document import Document
from .base import Judgement
from .long_passages import chained, covered, laid, tiled
from .registry import register
from .runs import Runs

ENOUGH_KEYS = 3
SAMPLED = 4096
SIZES = ((8, 1), (50, 2), (300, 3))
SIZE_LONG = 5


@register
class Containment(Runs):
    """C(A, B) = shingles of A that stand in B in runs / shingles of A, A the smaller text.

    Source: two comments under the article on shingles in Python, for texts of unlike lengths: the smaller text sets the
    length of the shingle, and the places of the shingles tell a text used in another from a coincidence.  How is a
    reconstruction: shingles of 1 lemma below 8 words, 2 below 50, 3 below 300, 5 from there; a shingle counts if it
    stands in a run of at least `run` (8) words that both texts have without a break, or in the whole of a shorter text.
    C from `duplicate` (.7) on is `contained`, or a duplicate if the same share of the larger text is in the smaller;
    from `review` on it is related.  Runs may stand in any order.

    Keys: the winnowed shingles of `size` (4) words, one of every `window` (8) neighbours, so that a run of
    window + size - 1 equal words, 11, makes candidates in texts of up to about 550 words; the window doubles for longer
    ones.  Payload: a sample of the shingles of `size` words, which bounds what is worth a reading of the texts.

    Fails: a quotation with a word changed in every eight; boilerplate is held as well as a quotation.  Texts of fewer
    than `size` words have no keys, and are held by no other.
    """

    name: ClassVar[str] = "containment"
    options: ClassVar[tuple[str, ...]] = ("size", "window", "run")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.4
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(self, *, size: int = 4, window: int = 8, run: int = 8, **common: Any) -> None:
        super().__init__(**common)
        if size < 1 or window < 1:
            raise ValueError(f"size is {size} and window {window}: both are 1 or more")
        if run < max(size, SIZE_LONG):
            raise ValueError(f"run is {run}: it is at least {max(size, SIZE_LONG)} words")
        self.size, self.window, self.run = size, window, run

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        """By the measure: of a run of `run` words it counts run - size + 1 shingles at least.

        Of very long texts there is a sample alone, too small for a short quotation: there every candidate passes.
        """
        least = self.review * (self.run - self.size + 1) / self.run
        return shared_keys > 0 and (
            screened >= least or shared_keys >= ENOUGH_KEYS or max(words_a, words_b) > SAMPLED
        )

    def compare(self, a: Document, b: Document) -> Judgement:
        if len(a) < self.size:
            return Judgement("none", 0.0)
        size = shingle_size(len(a))
        least = min(self.run, len(a))
        runs = tiled(chained(a.hashes, b.hashes, size, gap=0), least)
        held = share([(run.a, run.end_a) for run in runs], len(a), size)
        back = share([(run.b, run.end_b) for run in runs], len(b), size)
        verdict = "none"
        if held >= self.duplicate:
            verdict = "duplicate" if back >= self.duplicate else "contained"
        elif held >= self.review:
            verdict = "related"
        return Judgement(verdict, held, held, back, passages=laid(a, b, runs))


def shingle_size(words: int) -> int:
    """Words a shingle for a smaller text of so many: 1, 2, 3 or 5."""
    return next((size for limit, size in SIZES if words < limit), SIZE_LONG)


def share(ranges: Sequence[tuple[int, int]], words: int, size: int) -> float:
    """Share, 0..1, of a text's shingles that lie in half-open ranges of its words."""
    inside = covered([(start, end - size + 1) for start, end in ranges])
    return inside / (words - size + 1) if words >= size else 0.0

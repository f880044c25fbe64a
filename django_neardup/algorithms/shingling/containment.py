"""Containment: how much of the smaller text is in the larger one, in one piece or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ..base import Judgement
from ..registry import register
from .long_passages import count_covered, find_chains, make_passages, select_tiles
from .winnowed_shingles import WinnowedShingleAlgorithm

ENOUGH_SHARED_KEYS = 3
MAX_UNSAMPLED_WORDS = 4096
SHINGLE_SIZES = ((8, 1), (50, 2), (300, 3))
LONG_TEXT_SHINGLE_SIZE = 5


@register
class Containment(WinnowedShingleAlgorithm):
    """C(A, B) = shingles of A that are in B in runs / shingles of A, with A the smaller text.

    Source: two comments under the article on shingles in Python, for texts of different lengths. The smaller
    text sets the length of the shingle, and the positions of shingles distinguish a text used in another
    from a coincidence. The details are a reconstruction: shingles of 1 lemma below 8 words, 2 below 50, 3
    below 300, otherwise 5. A shingle counts if it is in a run of at least ``run`` (8) words that both texts
    have without a break, or in the whole of a shorter text. Runs may come in any order.

    A text is ``contained`` from C = ``duplicate`` (.7) on. It is a duplicate if the same share of the larger
    text is in the smaller. From ``review`` on it is related.

    Keys: the winnowed shingles of ``size`` (4) words, one of every ``window`` (8) neighbours. So a run of
    window + size - 1 equal words, 11, makes candidates in texts of up to about 550 words. In longer texts
    the window doubles. The payload is a sample of the shingles of ``size`` words. It decides whether the texts
    are worth reading.

    Fails: a quotation with every eighth word changed. Boilerplate counts as contained, as a quotation does.
    Texts of fewer than ``size`` words have no keys, and no text contains them.
    """

    name: ClassVar[str] = "containment"
    options: ClassVar[tuple[str, ...]] = ("size", "window", "run")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.4
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(self, *, size: int = 4, window: int = 8, run: int = 8, **common_options: Any) -> None:
        super().__init__(**common_options)
        if size < 1 or window < 1:
            raise ValueError(f"size is {size} and window {window}: both are 1 or more")
        if run < max(size, LONG_TEXT_SHINGLE_SIZE):
            raise ValueError(f"run is {run}: it is at least {max(size, LONG_TEXT_SHINGLE_SIZE)} words")
        self.size, self.window, self.run = size, window, run

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Return whether a candidate is worth judging, by the screening score.

        A run of ``run`` words has at least run - size + 1 shingles. Of very long texts the payload is only a
        sample, too small for a short quotation, so all their candidates are judged.
        """
        min_score = self.review * (self.run - self.size + 1) / self.run
        return shared_keys > 0 and (
            screening_score >= min_score
            or shared_keys >= ENOUGH_SHARED_KEYS
            or max(word_count_a, word_count_b) > MAX_UNSAMPLED_WORDS
        )

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        if len(a) < self.size:
            return Judgement("none", 0.0)
        size = shingle_size(len(a))
        min_words = min(self.run, len(a))
        runs = select_tiles(find_chains(a.hashes, b.hashes, size, gap=0), min_words)
        share_a = covered_share([(run.start_a, run.end_a) for run in runs], len(a), size)
        share_b = covered_share([(run.start_b, run.end_b) for run in runs], len(b), size)
        verdict = "none"
        if share_a >= self.duplicate:
            verdict = "duplicate" if share_b >= self.duplicate else "contained"
        elif share_a >= self.review:
            verdict = "related"
        return Judgement(verdict, share_a, share_a, share_b, passages=make_passages(a, b, runs))


def shingle_size(word_count: int) -> int:
    """Return the number of words a shingle, 1, 2, 3 or 5, for a smaller text of this length."""
    return next((size for limit, size in SHINGLE_SIZES if word_count < limit), LONG_TEXT_SHINGLE_SIZE)


def covered_share(ranges: Sequence[tuple[int, int]], word_count: int, size: int) -> float:
    """Return the share, 0..1, of a text's shingles that are inside half-open ranges of its words.

    Return 0 for a text shorter than a shingle.
    """
    inside = count_covered([(start, end - size + 1) for start, end in ranges])
    return inside / (word_count - size + 1) if word_count >= size else 0.0

"""Who of those that pass the screen is worth reading: one that shares little but common words is not.

In a large site many posts share a third of their words with any other, nearly all of them stop words. Reading and
aligning ten of those is what a check would spend most of its time on.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..algorithms.default.neardup import MIN_PASSAGE_KEYS, NearDup
from ..algorithms.verdict import SHORT_TEXT_WORDS
from ..pipeline.stage_types import SignedDocument
from ..text.canonical_text import STOP_WORD_WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTENT_WEIGHT = 1.1
"""Of a content word, whose length is not known here."""

MIN_SCORE, MIN_CONTAINMENT = 0.28, 0.5
"""A score below the one, and a share of the shorter text below the other, by words equal to the letter: alignment finds
more, but among the labelled pairs of over 25 words that share no passage none below 0.33 and 0.6 was offered."""


class ContentOverlapFilter:
    """One text's words by their weights, to be held against the payloads of others."""

    def __init__(self, signed_text: SignedDocument) -> None:
        self.signed_text = signed_text
        self.is_applicable = (
            isinstance(signed_text.algorithm, NearDup)
            and signed_text.word_count > SHORT_TEXT_WORDS
            and not signed_text.payload[0]
        )

    def passes(self, shared_key_count: int, word_count: int, payload: bytes) -> bool:
        """Whether a text of so many words, that shares so many keys, may turn out to be like this one."""
        import numpy as np

        if (
            not self.is_applicable
            or shared_key_count >= MIN_PASSAGE_KEYS
            or word_count <= SHORT_TEXT_WORDS
            or payload[0]
        ):
            return True
        members, weights = self._weighted_words
        shared = float(weights[np.isin(members, np.frombuffer(payload, "<u4", offset=4))].sum())
        whole = float(weights.sum())
        other = whole * word_count / self.signed_text.word_count
        return shared >= MIN_SCORE * (whole + other - shared) or shared >= MIN_CONTAINMENT * min(whole, other)

    @cached_property
    def _weighted_words(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The words as payloads hold them, and their weights."""
        import numpy as np

        batch, place = self.signed_text.batch, self.signed_text.batch_index
        assert batch is not None
        own = slice(batch.offsets[place], batch.offsets[place + 1])
        members = (batch.hashes[own] >> np.uint64(32)).astype(np.uint32)
        return members, np.where(batch.stop[own], STOP_WORD_WEIGHT, CONTENT_WEIGHT)

"""A filter for candidates that share little more than common words with a text.

On a large site many posts share a third of their words with any other post, nearly all of them stop words. A
check would spend most of its time on reading and aligning ten such posts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..algorithms.default.neardup import MIN_PASSAGE_KEYS, NearDup
from ..judge.thresholds import SHORT_TEXT_WORDS
from ..pipeline.stage_types import SignedDocument
from ..text.canonical_text import STOP_WORD_WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTENT_WEIGHT = 1.1
"""Weight of a content word. Its length is not known here."""

MIN_SCORE, MIN_CONTAINMENT = 0.28, 0.5
"""Minimum score, and minimum share of the shorter text, by equal words. A candidate below both is dropped.

Alignment finds more shared words. But of the labelled pairs over 25 words without a shared passage, no pair
below 0.33 and 0.6 was shown as similar."""


class ContentOverlapFilter:
    """The weighted words of one text, compared with the payloads of other texts."""

    def __init__(self, signed_text: SignedDocument) -> None:
        self.signed_text = signed_text
        self.is_applicable = (
            isinstance(signed_text.algorithm, NearDup)
            and signed_text.word_count > SHORT_TEXT_WORDS
            and not signed_text.payload[0]
        )

    def passes(self, shared_key_count: int, word_count: int, payload: bytes) -> bool:
        """Return whether another text may turn out to be similar to this one.

        ``shared_key_count``: number of shared keys. ``word_count`` and ``payload`` belong to the other text.
        """
        import numpy as np

        if (
            not self.is_applicable
            or shared_key_count >= MIN_PASSAGE_KEYS
            or word_count <= SHORT_TEXT_WORDS
            or payload[0]
        ):
            return True
        word_hashes, weights = self._weighted_words
        shared_weight = float(weights[np.isin(word_hashes, np.frombuffer(payload, "<u4", offset=4))].sum())
        own_weight = float(weights.sum())
        other_weight = own_weight * word_count / self.signed_text.word_count
        return shared_weight >= MIN_SCORE * (
            own_weight + other_weight - shared_weight
        ) or shared_weight >= MIN_CONTAINMENT * min(own_weight, other_weight)

    @cached_property
    def _weighted_words(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The word hashes in the form of the payloads, and their weights."""
        import numpy as np

        batch, position = self.signed_text.batch, self.signed_text.batch_index
        assert batch is not None
        word_slice = slice(batch.offsets[position], batch.offsets[position + 1])
        word_hashes = (batch.hashes[word_slice] >> np.uint64(32)).astype(np.uint32)
        return word_hashes, np.where(batch.stop[word_slice], STOP_WORD_WEIGHT, CONTENT_WEIGHT)

"""Who of those that pass the screen is worth reading: one that shares little but common words is not.

In a large site many posts share a third of their words with any other, nearly all of them stop words. Reading and
aligning ten of those is what a check would spend most of its time on.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..pipeline.records import Signed
from ..signatures.neardup import PASSAGE_KEYS, NearDup
from ..signatures.verdict import SHORT
from ..text.document import STOP_WEIGHT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONTENT_WEIGHT = 1.1
"""Of a content word, whose length is not known here."""

LEAST_SCORE, LEAST_HELD = 0.28, 0.5
"""A score below the one, and a share of the shorter text below the other, by words equal to the letter: alignment finds
more, but among the labelled pairs of over 25 words that share no passage none below 0.33 and 0.6 was offered."""


class Worth:
    """One text's words by their weights, to be held against the payloads of others."""

    def __init__(self, one: Signed) -> None:
        self.one = one
        self.tells = isinstance(one.algorithm, NearDup) and one.words > SHORT and not one.payload[0]

    def of(self, keys: int, words: int, payload: bytes) -> bool:
        """Whether a text of so many words, that shares so many keys, may turn out to be like this one."""
        import numpy as np

        if not self.tells or keys >= PASSAGE_KEYS or words <= SHORT or payload[0]:
            return True
        members, weights = self._words
        shared = float(weights[np.isin(members, np.frombuffer(payload, "<u4", offset=4))].sum())
        whole = float(weights.sum())
        other = whole * words / self.one.words
        return shared >= LEAST_SCORE * (whole + other - shared) or shared >= LEAST_HELD * min(whole, other)

    @cached_property
    def _words(self) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The words as payloads hold them, and their weights."""
        import numpy as np

        batch, place = self.one.batch, self.one.place
        assert batch is not None
        own = slice(batch.offsets[place], batch.offsets[place + 1])
        members = (batch.hashes[own] >> np.uint64(32)).astype(np.uint32)
        return members, np.where(batch.stop[own], STOP_WEIGHT, CONTENT_WEIGHT)

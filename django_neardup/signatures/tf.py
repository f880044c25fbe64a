"""A1 of the RCDL-2007 comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from .registry import register
from .six_words import SixWords, normal_frequencies


@register
class TF(SixWords):
    """The six most frequent words of a text, by TF = 0.5 + 0.5 · tf / tf_max; see `SixWords`.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A1.  The article names the normalised frequency and not its
    formula; any that grows with tf chooses the same words.  Fails on short texts: every word stands there once, the
    alphabet chooses the six, and one word more may change them.
    """

    name: ClassVar[str] = "tf"

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        return normal_frequencies(counts)

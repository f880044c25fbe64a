"""A3 of the RCDL-2007 comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from .registry import register
from .six_words import SixWords, normal_frequencies, residual_idf
from .statistics import needed


@register
class TFRIDF(SixWords):
    """The six words of greatest TF · RIDF: TF as in `tf`, RIDF the residual IDF of Church and Gale; see `SixWords`.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A3; the article names the residual IDF by what it depends on,
    the formula is that of Church and Gale, "Inverse document frequency" (1995).  The statistics keep no words of one
    text: such a word counts as one occurrence, has a residual of nearly 0, and is not chosen where six others repeat
    within texts.  Fails where words seldom do, in short texts: there residuals are about -df / 2N, and the rarest words
    are the heaviest.
    """

    name: ClassVar[str] = "tf-ridf"
    needs_statistics: ClassVar[bool] = True

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        known = needed(self.statistics, self.name)
        frequencies = normal_frequencies(counts)
        return {
            word: frequency * residual_idf(known.texts_with(word), known.occurrences(word), known.documents)
            for word, frequency in frequencies.items()
        }

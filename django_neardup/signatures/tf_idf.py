"""A2 of the RCDL-2007 comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from .registry import register
from .six_words import SixWords, okapi_weights
from .statistics import needed


@register
class TFIDF(SixWords):
    """The six words of greatest Okapi BM25 weight, k = 2, b = 0.75 (`okapi_weights`); see `SixWords`.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A2; the article gives k and b, the formula is the usual one of
    Okapi.  Fails when a rare word is changed, be it by a misspelling: rare words are what it chooses.  With another
    average length the same text has other words, so the statistics are frozen.
    """

    name: ClassVar[str] = "tf-idf"
    needs_statistics: ClassVar[bool] = True

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        return okapi_weights(counts, words, needed(self.statistics, self.name))

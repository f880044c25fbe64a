"""A10 of the RCDL-2007 comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

from .registry import register
from .six_words import SixWords, normal_frequencies, optimal_idf
from .statistics import needed


@register
class OptFreq(SixWords):
    """The six words of greatest TF · f(IDF): TF as in `tf`, IDF = -log(df / N), f(x) = sqrt(x / x_opt) below the
    optimum and x_opt / x above it; see `SixWords`.

    `idf_opt`: the optimum, 11.5; `log_base`: the base of the logarithm, e.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A10.  The article says parabola and hyperbola; it does not state
    the optimum nor the base: here 11.5 and the natural logarithm, a reconstruction.  In 500 000 texts the best word
    then stands in five of them.  In fewer than 100 000 no word reaches the optimum, and the rarest are the best, so
    that it fails as `tf-idf` does; a lower `idf_opt` or base 2 mends that.
    """

    name: ClassVar[str] = "opt-freq"
    options: ClassVar[tuple[str, ...]] = ("idf_opt", "log_base")
    needs_statistics: ClassVar[bool] = True

    def __init__(self, *, idf_opt: float = 11.5, log_base: float = math.e, **common: Any) -> None:
        super().__init__(**common)
        if not (math.isfinite(idf_opt) and idf_opt > 0):
            raise ValueError("idf_opt is a number above 0")
        if not (math.isfinite(log_base) and log_base > 1):
            raise ValueError("log_base is a number above 1")
        self.idf_opt, self.log_base = idf_opt, log_base

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        frequencies = normal_frequencies(counts)
        return {word: frequency * self.rarity(word) for word, frequency in frequencies.items()}

    def rarity(self, word: str) -> float:
        """f(IDF) of a word, 0..1."""
        known = needed(self.statistics, self.name)
        df = known.texts_with(word)
        idf = math.log(max(known.documents, df) / df) / math.log(self.log_base)
        return optimal_idf(idf, self.idf_opt)

"""Weights of words, and the algorithms that sign a text by its six heaviest."""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from ..text.document import Document
from ..text.hashing import crc32
from ..text.views import content_lemmas
from .matching import Matching
from .statistics import TermStatistics

SIX = 6
OKAPI_K, OKAPI_B = 2.0, 0.75


class SixWords(Matching):
    """CRC32 of the six words of greatest weight, in alphabetical order, joined by spaces; equal ones: duplicates.

    Zelenkov, Segalovich: a comparison of methods for near-duplicates of Web documents (RCDL 2007, in Russian).
    Reconstruction: of equal weights the word that is first in the alphabet counts as the greater; a text of fewer
    words is signed by all of them; stop words and contacts are no words here.  A text without others has no signature.
    """

    version: ClassVar[int] = 2

    @abstractmethod
    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        """The weight of each word; `counts`: how often the text has it; `words`: all its words, stop words too."""

    def signatures(self, document: Document) -> list[int]:
        six = self.heaviest(document)
        return [crc32(" ".join(six))] if six else []

    def heaviest(self, document: Document) -> list[str]:
        """The words that sign a text, six at most, in alphabetical order."""
        weights = self.weights(Counter(content_lemmas(document)), len(document))
        return sorted(heapq.nsmallest(SIX, weights, key=lambda word: (-weights[word], word)))


def normal_frequencies(counts: Mapping[str, int]) -> dict[str, float]:
    """TF = 0.5 + 0.5 · tf / tf_max of each word, above 0.5 and at most 1."""
    most = max(counts.values(), default=1)
    return {word: 0.5 + 0.5 * count / most for word, count in counts.items()}


def okapi_weights(counts: Mapping[str, int], words: int, statistics: TermStatistics) -> dict[str, float]:
    """wt = TF · IDF of each word by Okapi BM25 with k = 2 and b = 0.75; `words`: length of the text, dl.

    TF = tf / (k · (1 - b + b · dl / dl_avg) + tf), IDF = ln((N - df + 0.5) / (df + 0.5)): below 0 for a word that
    more than half of the texts hold.
    """
    length = words / statistics.average_length if statistics.average_length else 1.0
    damping = OKAPI_K * (1 - OKAPI_B + OKAPI_B * length)
    return {
        word: count / (damping + count) * okapi_idf(statistics.texts_with(word), statistics.documents)
        for word, count in counts.items()
    }


def okapi_idf(df: int, documents: int) -> float:
    """ln((N - df + 0.5) / (df + 0.5)); of an empty collection as of one text."""
    return math.log((max(documents, df) - df + 0.5) / (df + 0.5))


def residual_idf(df: int, cf: int, documents: int) -> float:
    """RIDF = -ln(df / N) + ln(1 - exp(-cf / N)): how much rarer a word is than chance would spread its occurrences.

    About 0 for words that chance spreads, misspellings among them; greatest for words that few texts repeat often.
    """
    texts = max(documents, df)
    return math.log(texts / df) + math.log(-math.expm1(-cf / texts))


def optimal_idf(idf: float, optimum: float) -> float:
    """sqrt(idf / optimum) below the optimum, optimum / idf above it: 0..1, and 1 at the optimum."""
    return math.sqrt(idf / optimum) if idf < optimum else optimum / idf

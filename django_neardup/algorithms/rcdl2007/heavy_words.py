"""Weights of words, and the algorithms that sign a text by its six heaviest words."""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import content_lemmas
from ...text.hashing import crc32
from ..key_matching import KeyMatchAlgorithm
from ..registry import register
from ..statistics import TermStatistics, require_statistics

SIGNATURE_WORDS = 6
OKAPI_K, OKAPI_B = 2.0, 0.75


class SixWordsAlgorithm(KeyMatchAlgorithm):
    """CRC32 of the six words with the greatest weights; texts with equal values are duplicates.

    The words are in alphabetical order, joined by spaces. Stop words and contacts do not count as words.

    Source: Zelenkov, Segalovich: a comparison of methods for near-duplicates of Web documents (RCDL 2007, in
    Russian). Reconstruction: of equal weights, the word that is first in the alphabet counts as the greater.
    A text of fewer words is signed by all of them. A text without words has no signature.
    """

    # 2: contacts no longer count as words.
    version: ClassVar[int] = 2

    @abstractmethod
    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        """Return the weight of each word.

        ``counts`` says how often the text has each word. ``words`` is the number of all its words, stop words
        included.
        """

    def signatures(self, text: CanonicalText) -> list[int]:
        heaviest_words = self.heaviest_words(text)
        return [crc32(" ".join(heaviest_words))] if heaviest_words else []

    def heaviest_words(self, text: CanonicalText) -> list[str]:
        """Return the words that sign a text, six at most, in alphabetical order."""
        weights = self.weights(Counter(content_lemmas(text)), len(text))
        return sorted(heapq.nsmallest(SIGNATURE_WORDS, weights, key=lambda word: (-weights[word], word)))


def normalized_frequencies(counts: Mapping[str, int]) -> dict[str, float]:
    """Return TF = 0.5 + 0.5 · tf / tf_max of each word: above 0.5 and at most 1."""
    max_count = max(counts.values(), default=1)
    return {word: 0.5 + 0.5 * count / max_count for word, count in counts.items()}


def okapi_weights(counts: Mapping[str, int], words: int, statistics: TermStatistics) -> dict[str, float]:
    """Return wt = TF · IDF of each word by Okapi BM25 with k = 2 and b = 0.75.

    ``words`` is the length of the text, dl. TF = tf / (k · (1 - b + b · dl / dl_avg) + tf).
    IDF = ln((N - df + 0.5) / (df + 0.5)) is below 0 for a word that more than half of the texts contain.
    """
    relative_length = words / statistics.average_length if statistics.average_length else 1.0
    damping = OKAPI_K * (1 - OKAPI_B + OKAPI_B * relative_length)
    return {
        word: count
        / (damping + count)
        * okapi_idf(statistics.document_frequency(word), statistics.text_count)
        for word, count in counts.items()
    }


def okapi_idf(df: int, documents: int) -> float:
    """Return ln((N - df + 0.5) / (df + 0.5)). An empty collection counts as one text."""
    return math.log((max(documents, df) - df + 0.5) / (df + 0.5))


def residual_idf(df: int, cf: int, documents: int) -> float:
    """Return RIDF = -ln(df / N) + ln(1 - exp(-cf / N)): how much rarer a word is than by chance.

    "By chance" means that its occurrences are spread at random. RIDF is about 0 for words that are,
    including misspellings. It is greatest for words that few texts repeat often.
    """
    text_count = max(documents, df)
    return math.log(text_count / df) + math.log(-math.expm1(-cf / text_count))


def optimal_idf(idf: float, optimum: float) -> float:
    """Return sqrt(idf / optimum) below the optimum and optimum / idf above it: 0..1, and 1 at the optimum."""
    return math.sqrt(idf / optimum) if idf < optimum else optimum / idf


@register
class OptFreq(SixWordsAlgorithm):
    """The six words with the greatest TF · f(IDF), which is highest at one degree of rarity.

    TF is as in ``tf``, IDF = -log(df / N), f(x) = sqrt(x / x_opt) below the optimum and x_opt / x above it.
    See ``SixWordsAlgorithm``.

    Options: ``idf_opt``, the optimum (11.5); ``log_base``, the base of the logarithm (e).

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A10. The article describes a parabola and a
    hyperbola. It states neither the optimum nor the base. Reconstruction: 11.5 and the natural logarithm, so
    in 500 000 texts the best word is in five of them.

    Fails in fewer than 100 000 texts, as ``tf-idf`` does: no word reaches the optimum, and the rarest words
    are the best. A lower ``idf_opt`` or base 2 corrects that.
    """

    name: ClassVar[str] = "opt-freq"
    options: ClassVar[tuple[str, ...]] = ("idf_opt", "log_base")
    needs_statistics: ClassVar[bool] = True

    def __init__(self, *, idf_opt: float = 11.5, log_base: float = math.e, **common_options: Any) -> None:
        super().__init__(**common_options)
        if not (math.isfinite(idf_opt) and idf_opt > 0):
            raise ValueError("idf_opt is a number above 0")
        if not (math.isfinite(log_base) and log_base > 1):
            raise ValueError("log_base is a number above 1")
        self.idf_opt, self.log_base = idf_opt, log_base

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        frequencies = normalized_frequencies(counts)
        return {word: frequency * self.rarity(word) for word, frequency in frequencies.items()}

    def rarity(self, word: str) -> float:
        """Return f(IDF) of a word, 0..1."""
        statistics = require_statistics(self.statistics, self.name)
        df = statistics.document_frequency(word)
        idf = math.log(max(statistics.text_count, df) / df) / math.log(self.log_base)
        return optimal_idf(idf, self.idf_opt)


@register
class TF(SixWordsAlgorithm):
    """The six most frequent words of a text, by TF = 0.5 + 0.5 · tf / tf_max.

    See ``SixWordsAlgorithm``.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A1. The article names the normalised frequency
    without its formula. Any formula that grows with tf chooses the same words.

    Fails on short texts: every word occurs once, the alphabet chooses the six, and one more word may change
    them.
    """

    name: ClassVar[str] = "tf"

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        return normalized_frequencies(counts)


@register
class TFIDF(SixWordsAlgorithm):
    """The six words with the greatest Okapi BM25 weights, k = 2, b = 0.75.

    See ``okapi_weights`` and ``SixWordsAlgorithm``. The statistics are frozen, because with another average
    length the same text has other words.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A2. The article gives k and b. The formula is the
    usual one of Okapi.

    Fails if a rare word changes, even by a misspelling, because it chooses rare words.
    """

    name: ClassVar[str] = "tf-idf"
    needs_statistics: ClassVar[bool] = True

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        return okapi_weights(counts, words, require_statistics(self.statistics, self.name))


@register
class TFRIDF(SixWordsAlgorithm):
    """The six words with the greatest TF · RIDF, the residual IDF of Church and Gale.

    TF is as in ``tf``. See ``SixWordsAlgorithm``.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A3. The article describes the residual IDF by what it
    depends on. The formula is from Church and Gale, "Inverse document frequency" (1995). The statistics do
    not store words of a single text. Such a word counts as one occurrence, so its residual is nearly 0, and
    it is not chosen if six other words repeat within texts.

    Fails in short texts, in which words seldom repeat: residuals are about -df / 2N, so the rarest words are
    the heaviest.
    """

    name: ClassVar[str] = "tf-ridf"
    needs_statistics: ClassVar[bool] = True

    def weights(self, counts: Counter[str], words: int) -> Mapping[str, float]:
        statistics = require_statistics(self.statistics, self.name)
        frequencies = normalized_frequencies(counts)
        return {
            word: frequency
            * residual_idf(
                statistics.document_frequency(word),
                statistics.collection_frequency(word),
                statistics.text_count,
            )
            for word, frequency in frequencies.items()
        }

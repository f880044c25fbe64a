"""Algorithm A9 of the RCDL-2007 comparison: the words that describe a text."""

from __future__ import annotations

from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import hash_word
from ..key_matching import KeyMatchAlgorithm
from ..registry import register
from ..statistics import require_statistics, word_frequencies


@register
class DescrWords(KeyMatchAlgorithm):
    """A binary vector over support words: 1 if the word's frequency in the text is above its threshold.

    Texts with equal vectors are duplicates. The signature is a hash of the words with a 1, in alphabetical
    order. A text with fewer than ``least_words`` such words has no signature.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A9, after Ilyinsky, Kuzmin, Melkov, Segalovich, "An
    efficient method to detect duplicates of Web documents with the use of inverted index" (2002). The
    article does not state how support words and thresholds are chosen. Reconstruction: they are part of the
    statistics (``TermStatistics.support_thresholds``, at most 2500), and a signature needs at least three
    words.

    Fails on short texts: few words reach a threshold, or one more word moves them all below their
    thresholds.
    """

    name: ClassVar[str] = "descr-words"
    options: ClassVar[tuple[str, ...]] = ("least_words",)
    needs_statistics: ClassVar[bool] = True

    def __init__(self, *, least_words: int = 3, **common_options: Any) -> None:
        super().__init__(**common_options)
        if least_words < 1:
            raise ValueError("least_words is 1 or more")
        self.least_words = least_words

    def signatures(self, text: CanonicalText) -> list[int]:
        words = self.support_words(text)
        return [hash_word(" ".join(words), text.secret)] if len(words) >= self.least_words else []

    def support_words(self, text: CanonicalText) -> list[str]:
        """Return the support words of a text that are above their thresholds, in alphabetical order."""
        thresholds = require_statistics(self.statistics, self.name).support_thresholds
        frequencies = word_frequencies(text).items()
        return sorted(
            word for word, frequency in frequencies if word in thresholds and frequency > thresholds[word]
        )

"""Algorithms A4 and A5 of the RCDL-2007 comparison: the longest and the heaviest sentences of a text."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from typing import ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import content_lemmas, keys_by_sentence
from ...text.hashing import crc32
from ..key_matching import KeyMatchAlgorithm
from ..registry import register
from ..statistics import require_statistics
from .heavy_words import okapi_weights

Sentence = tuple[str, ...]


@register
class LongSent(KeyMatchAlgorithm):
    """CRC32 of the two sentences with the most words, in alphabetical order, joined by a space.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A4. The article states neither the order nor the
    choice among equal lengths. Reconstruction: the alphabet decides both, a sentence that a text repeats
    counts once, and a text of one sentence is signed by it. A sentence consists of the keys of its words.

    Fails if one of the two sentences is edited, and if boilerplate is longer than the text's own sentences.
    """

    name: ClassVar[str] = "long-sent"

    def signatures(self, text: CanonicalText) -> list[int]:
        return [sentences_crc32(longest_sentences(text)[:2])]


def longest_sentences(text: CanonicalText) -> list[Sentence]:
    """Return the distinct sentences of a text as keys of words: longest first, then in alphabetical order."""
    return sorted(distinct_sentences(text), key=lambda words: (-len(words), words))


def distinct_sentences(text: CanonicalText) -> set[Sentence]:
    """Return the distinct sentences of a text as keys of words."""
    return {tuple(words) for words in keys_by_sentence(text)}


def sentences_crc32(sentences: list[Sentence]) -> int:
    """Return the CRC32 of sentences in alphabetical order. Words and sentences are joined by spaces."""
    return crc32(" ".join(sorted(" ".join(words) for words in sentences)))


@register
class HeavySent(KeyMatchAlgorithm):
    """CRC32 of the two heaviest sentences, in alphabetical order, joined by a space.

    The weight of a sentence is the sum of its words' Okapi weights, as in ``tf-idf``. Stop words and contacts
    weigh nothing.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A5. The article states neither whether a repeated
    word counts again nor the order. Reconstruction: it does count again within a sentence, and the alphabet
    decides as in ``long-sent``.

    Fails as ``long-sent`` does, because a sum favours long sentences. Depends on the statistics as ``tf-idf``
    does.
    """

    name: ClassVar[str] = "heavy-sent"
    # 2: contacts no longer have a weight.
    version: ClassVar[int] = 2
    needs_statistics: ClassVar[bool] = True

    def signatures(self, text: CanonicalText) -> list[int]:
        return [sentences_crc32(self.heaviest_sentences(text))]

    def heaviest_sentences(self, text: CanonicalText) -> list[Sentence]:
        """Return the two sentences of greatest weight, the heavier first. Return one if the text has no
        other.
        """
        statistics = require_statistics(self.statistics, self.name)
        weights = okapi_weights(Counter(content_lemmas(text)), len(text), statistics)

        def rank(words: Sentence) -> tuple[float, Sentence]:
            return -math.fsum(weights.get(word, 0.0) for word in words), words

        return heapq.nsmallest(2, distinct_sentences(text), key=rank)

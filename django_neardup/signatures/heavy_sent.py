"""A5 of the RCDL-2007 comparison."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from typing import ClassVar

from ..text.document import Document
from ..text.views import content_lemmas
from .long_sent import Sentence, distinct_sentences, sentences_crc32
from .matching import Matching
from .registry import register
from .six_words import okapi_weights
from .statistics import needed


@register
class HeavySent(Matching):
    """CRC32 of the two heaviest sentences, in alphabetical order, joined by a space.

    The weight of a sentence is the sum of its words' Okapi weights, those of `tf-idf`; stop words and contacts
    weigh nothing.
    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A5.  The article does not state whether a repeated word counts
    again (here it does, within a sentence) nor the order; the alphabet decides as in `long-sent`: a reconstruction.
    Fails as `long-sent` does, for a sum favours long sentences, and with the statistics as `tf-idf` does.
    """

    name: ClassVar[str] = "heavy-sent"
    version: ClassVar[int] = 2
    needs_statistics: ClassVar[bool] = True

    def signatures(self, document: Document) -> list[int]:
        return [sentences_crc32(self.heaviest(document))]

    def heaviest(self, document: Document) -> list[Sentence]:
        """The two sentences of greatest weight, the heavier first; one if the text has no other."""
        known = needed(self.statistics, self.name)
        weights = okapi_weights(Counter(content_lemmas(document)), len(document), known)

        def rank(words: Sentence) -> tuple[float, Sentence]:
            return -math.fsum(weights.get(word, 0.0) for word in words), words

        return heapq.nsmallest(2, distinct_sentences(document), key=rank)

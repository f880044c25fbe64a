"""Algorithm A7 of the RCDL-2007 comparison: I-Match over random parts of a lexicon."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix, sha1
from ..key_matching import KeyMatchAlgorithm
from ..registry import register
from ..statistics import TermStatistics, require_statistics


@register
class LexRand(KeyMatchAlgorithm):
    """I-Match signatures over a lexicon and random parts of it; one equal signature makes duplicates.

    The lexicon contains the words that are neither common nor rare:
    ``lowest`` <= ln(N / df) / ln N <= ``highest``. Each of ``lexicons`` parts lacks a share ``dropped`` of it, by a
    hash of the word and ``seed``. A signature is the SHA1 of the text's distinct words that are in the
    lexicon, or in one part, in alphabetical order, joined by spaces. A part with fewer than ``least_words``
    words of the text gives no signature: otherwise short texts would match by having no words.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A7, after Kołcz, Chowdhury, Alspector, "Improved
    robustness of signature-based near-replica detection via lexicon randomization" (2004). The article says
    that words of greatest and least IDF are left out, without the bounds. Reconstruction: the bounds are 0.2
    and 0.8; its eleven signatures are one of the lexicon and one of each of ten parts; ``least_words`` is
    ours.

    Fails if more words of the lexicon change than a part happens to lack. Gives nothing for short texts.
    """

    name: ClassVar[str] = "lex-rand"
    options: ClassVar[tuple[str, ...]] = ("lexicons", "dropped", "seed", "lowest", "highest", "least_words")
    needs_statistics: ClassVar[bool] = True

    def __init__(
        self,
        *,
        lexicons: int = 10,
        dropped: float = 0.3,
        seed: int = 0,
        lowest: float = 0.2,
        highest: float = 0.8,
        least_words: int = 5,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if not 0 <= lexicons <= 100 or least_words < 1:
            raise ValueError("lex-rand has 0 to 100 lexicons and needs at least one word")
        if not (0 < dropped < 1 and 0 <= lowest < highest <= 1):
            raise ValueError("dropped is between 0 and 1, and 0 <= lowest < highest <= 1")
        self.lexicons, self.dropped, self.seed = lexicons, dropped, seed
        self.lowest, self.highest, self.least_words = lowest, highest, least_words

    def signatures(self, text: CanonicalText) -> list[int]:
        words = self.lexicon_words(text)
        limit = int(self.dropped * 2**64)
        parts = [sorted(words)]
        for part in range(1, self.lexicons + 1):
            part_words = [
                word for word, word_hash in words.items() if mix(word_hash, part, seed=self.seed) >= limit
            ]
            parts.append(sorted(part_words))
        return [
            mix(sha1(" ".join(part_words)), seed=part)
            for part, part_words in enumerate(parts)
            if len(part_words) >= self.least_words
        ]

    def lexicon_words(self, text: CanonicalText) -> dict[str, int]:
        """Return the words of a text that are in the lexicon, with their keyed hashes."""
        statistics = require_statistics(self.statistics, self.name)
        words = {token.key: word_hash for token, word_hash in zip(text.tokens, text.hashes, strict=True)}
        return {
            word: word_hash
            for word, word_hash in words.items()
            if self.lowest <= rarity(word, statistics) <= self.highest
        }


def rarity(word: str, statistics: TermStatistics) -> float:
    """Return ln(N / df) / ln N, 0..1: 0 for a word of every text, 1 for a word of a single text."""
    text_count, df = statistics.text_count, statistics.document_frequency(word)
    return math.log(text_count / df) / math.log(text_count) if text_count > 1 else 1.0

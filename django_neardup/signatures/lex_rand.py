"""A7 of the RCDL-2007 comparison."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import mix, sha1
from .matching import Matching
from .registry import register
from .statistics import TermStatistics, needed


@register
class LexRand(Matching):
    """I-Match signatures over a lexicon and random parts of it: one equal signature, and texts are duplicates.

    The lexicon holds the words that are neither common nor rare: `lowest` <= ln(N / df) / ln N <= `highest`.  Each of
    `lexicons` parts lacks a share `dropped` of it, by a hash of the word and `seed`.  A signature is the SHA1 of the
    text's distinct words that are in the lexicon or in one part, in alphabetical order, joined by spaces; a part that
    holds fewer than `least_words` of them gives none, lest short texts meet in nothing.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A7, after Kołcz, Chowdhury, Alspector, "Improved robustness of
    signature-based near-replica detection via lexicon randomization" (2004).  The article says that words of greatest
    and least IDF are left out and does not state the bounds, here 0.2 and 0.8; its eleven signatures are read as those
    of the lexicon and of ten parts; `least_words` is ours: a reconstruction.  Fails when more words of the lexicon
    are changed than a part happens to lack, and gives nothing for short texts.
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
        **common: Any,
    ) -> None:
        super().__init__(**common)
        if not 0 <= lexicons <= 100 or least_words < 1:
            raise ValueError("lex-rand has 0 to 100 lexicons and needs at least one word")
        if not (0 < dropped < 1 and 0 <= lowest < highest <= 1):
            raise ValueError("dropped is between 0 and 1, and 0 <= lowest < highest <= 1")
        self.lexicons, self.dropped, self.seed = lexicons, dropped, seed
        self.lowest, self.highest, self.least_words = lowest, highest, least_words

    def signatures(self, document: Document) -> list[int]:
        words = self.lexicon_words(document)
        limit = int(self.dropped * 2**64)
        parts = [sorted(words)]
        for part in range(1, self.lexicons + 1):
            kept = [word for word, value in words.items() if mix(value, part, seed=self.seed) >= limit]
            parts.append(sorted(kept))
        return [
            mix(sha1(" ".join(kept)), seed=part)
            for part, kept in enumerate(parts)
            if len(kept) >= self.least_words
        ]

    def lexicon_words(self, document: Document) -> dict[str, int]:
        """The words of a text that are in the lexicon, with their keyed hashes."""
        known = needed(self.statistics, self.name)
        words = {token.key: value for token, value in zip(document.tokens, document.hashes, strict=True)}
        return {
            word: value for word, value in words.items() if self.lowest <= rarity(word, known) <= self.highest
        }


def rarity(word: str, statistics: TermStatistics) -> float:
    """ln(N / df) / ln N, 0..1: 0 for a word of every text, 1 for a word of one."""
    texts, df = statistics.documents, statistics.texts_with(word)
    return math.log(texts / df) / math.log(texts) if texts > 1 else 1.0

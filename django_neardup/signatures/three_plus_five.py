"""A12 of the RCDL-2007 comparison."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import hash_word, mix
from ..text.views import content_lemmas
from .long_sent import longest_sentences
from .matching import Matching, unpacked
from .registry import register

THREE, FIVE = 3, 5
LONGEST, PAIR, WORDS = 1, 2, 3


@register
class ThreePlusFive(Matching):
    """The longest sentences are equal, or two of the three longest, in any order; and the lengths are alike.

    Keys: the longest sentence if it has `least_words` words (or is the only one), each pair of the three longest, and,
    in a text of fewer than five sentences, its five longest words.  One equal key makes a candidate; it is a duplicate
    if the shorter text has at least `length_ratio` of the words of the longer.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A12: the sentences, and that lengths count, for the signatures
    are sorted into chains of similar lengths.  The article does not state the ratio of lengths, here 0.85, nor what
    "5" is.  Reconstruction: five longest words for texts of fewer than five sentences, all of them equal; eight words
    at least for a longest sentence that decides alone; the alphabet among equal lengths; sentences that a text repeats
    count once.  Fails when two of the three sentences are edited, and where boilerplate is what is longest.
    """

    name: ClassVar[str] = "three-plus-five"
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("length_ratio", "least_words")

    def __init__(self, *, length_ratio: float = 0.85, least_words: int = 8, **common: Any) -> None:
        super().__init__(**common)
        if not 0 <= length_ratio <= 1 or least_words < 1:
            raise ValueError("length_ratio is within 0..1, least_words is 1 or more")
        self.length_ratio, self.least_words = length_ratio, least_words

    def signatures(self, document: Document) -> list[int]:
        longest = longest_sentences(document)[:THREE]
        signed = [hash_word(" ".join(words), document.secret) for words in longest]
        keys = [mix(*pair, seed=PAIR) for pair in combinations(signed, 2)]
        if len(longest[0]) >= self.least_words or len(longest) == 1:
            keys.append(mix(signed[0], seed=LONGEST))
        if len(document.sentences) < FIVE:
            keys += five_longest_words(document)
        return keys

    def pack(self, document: Document) -> bytes:
        """The number of words, then the keys."""
        return struct.pack("<Q", len(document)) + super().pack(document)

    def measure(self, a: bytes, b: bytes) -> float:
        """1 when a key is equal and the lengths are alike, else 0."""
        (words_a, *keys_a), (words_b, *keys_b) = unpacked(a), unpacked(b)
        return float(self.lengths_alike(words_a, words_b) and not set(keys_a).isdisjoint(keys_b))

    def lengths_alike(self, words_a: int, words_b: int) -> bool:
        """Whether the shorter text has at least `length_ratio` of the words of the longer."""
        return min(words_a, words_b) >= self.length_ratio * max(words_a, words_b)


def five_longest_words(document: Document) -> Sequence[int]:
    """A key of the five longest distinct words but contacts, of equal lengths the first in the alphabet; else []."""
    words = sorted(set(content_lemmas(document)), key=lambda word: (-len(word), word))[:FIVE]
    hashes = [hash_word(word, document.secret) for word in words]
    return [mix(*sorted(hashes), seed=WORDS)] if len(words) == FIVE else []

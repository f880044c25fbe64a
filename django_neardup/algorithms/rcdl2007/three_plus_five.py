"""Algorithm A12 of the RCDL-2007 comparison: longest sentences and words, in texts of similar lengths."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import content_lemmas
from ...text.hashing import hash_word, mix
from ..key_matching import KeyMatchAlgorithm, unpack_keys
from ..registry import register
from .sentences import longest_sentences

LONGEST_SENTENCES, LONGEST_WORDS = 3, 5
SENTENCE_SEED, SENTENCE_PAIR_SEED, WORDS_SEED = 1, 2, 3


@register
class ThreePlusFive(KeyMatchAlgorithm):
    """Equal longest sentences, or two equal ones of the three longest, and similar lengths of the texts.

    The sentences may come in any order. The keys are:

    - the longest sentence if it has ``least_words`` words or is the only one,
    - each pair of the three longest sentences,
    - the five longest words of a text of fewer than five sentences.

    One equal key makes a candidate. It is a duplicate if the shorter text has at least
    ``length_ratio`` of the longer text's words.

    Source: Zelenkov, Segalovich (RCDL 2007), algorithm A12. The article states the sentences, and that
    lengths count, because the signatures are sorted into chains of similar lengths. It states neither the
    ratio of lengths, here 0.85, nor what "5" is. The rest is a reconstruction:

    - In texts of fewer than five sentences, all five longest words must be equal.
    - A longest sentence that is a key has at least eight words.
    - The alphabet decides among equal lengths.
    - Sentences that a text repeats count once.

    Fails if two of the three sentences are edited, and if boilerplate is the longest part.
    """

    name: ClassVar[str] = "three-plus-five"
    # 2: contacts are no longer among the longest words.
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("length_ratio", "least_words")

    def __init__(self, *, length_ratio: float = 0.85, least_words: int = 8, **common_options: Any) -> None:
        super().__init__(**common_options)
        if not 0 <= length_ratio <= 1 or least_words < 1:
            raise ValueError("length_ratio is within 0..1, least_words is 1 or more")
        self.length_ratio, self.least_words = length_ratio, least_words

    def signatures(self, text: CanonicalText) -> list[int]:
        longest = longest_sentences(text)[:LONGEST_SENTENCES]
        sentence_hashes = [hash_word(" ".join(words), text.secret) for words in longest]
        keys = [mix(*pair, seed=SENTENCE_PAIR_SEED) for pair in combinations(sentence_hashes, 2)]
        if len(longest[0]) >= self.least_words or len(longest) == 1:
            keys.append(mix(sentence_hashes[0], seed=SENTENCE_SEED))
        if len(text.sentences) < LONGEST_WORDS:
            keys += key_of_five_longest_words(text)
        return keys

    def payload(self, text: CanonicalText) -> bytes:
        """Return the number of words, then the keys."""
        return struct.pack("<Q", len(text)) + super().payload(text)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return 1.0 if a key is equal and the lengths are similar, otherwise 0.0."""
        (word_count_a, *keys_a), (word_count_b, *keys_b) = unpack_keys(a), unpack_keys(b)
        return float(
            self.has_similar_lengths(word_count_a, word_count_b) and not set(keys_a).isdisjoint(keys_b)
        )

    def has_similar_lengths(self, word_count_a: int, word_count_b: int) -> bool:
        """Return whether the shorter text has at least ``length_ratio`` of the longer text's words."""
        return min(word_count_a, word_count_b) >= self.length_ratio * max(word_count_a, word_count_b)


def key_of_five_longest_words(text: CanonicalText) -> Sequence[int]:
    """Return one key of the five longest distinct words, without stop words and contacts.

    Of equal lengths, the first in the alphabet are taken. Return [] if there are fewer than five words.
    """
    words = sorted(set(content_lemmas(text)), key=lambda word: (-len(word), word))[:LONGEST_WORDS]
    hashes = [hash_word(word, text.secret) for word in words]
    return [mix(*sorted(hashes), seed=WORDS_SEED)] if len(words) == LONGEST_WORDS else []

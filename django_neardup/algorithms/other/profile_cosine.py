"""Profiles of letter runs and their cosine, for the ten candidates that share the most keys."""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections import Counter
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import join_letters
from ...text.hashing import hash_word, mix
from ...text.tokens.stopwords import STOP_WORDS
from ..base import Algorithm
from ..registry import register

MIN_WORD_LENGTH = 3
MAX_RUNS = 8192
MAX_COUNT = 0xFFFF
HEADER = struct.Struct("<IIQ")


@register
class ProfileCosine(Algorithm):
    """Counts of 5-letter runs; the cosine of the two vectors; duplicates from .8 on.

    Source: the article of a site of presentations. It uses lower case, drops words of fewer than three
    characters (here not the glyphs of scripts without spaces), deletes all spaces, and counts shingles of
    characters. The Euclidean norm of the counts is stored with them. A document is compared with the ten
    that a search for similar ones names first. The article does not state the length of a shingle; here
    ``size`` is 5. Its threshold is 20 % of uniqueness, a cosine of .8 (at 60 % everything became one group).
    Here texts are related from .6 on.

    The search is a reconstruction. Keys are the ``terms`` (25) most telling lemmas of a text: the rarest if
    the ``statistics`` of a collection are given, otherwise the longest. Of the texts that share ``min_shared``
    (3) keys, the ``limit`` (10) that share the most are compared. Texts of fewer words than ``min_shared`` must
    have the same words.

    Fails: common letter runs weigh most, so long texts of one language or trade look alike. A model number
    is a few letters among many. A text with more than ten near relatives loses the others. Texts of fewer
    than ``size`` letters have neither profile nor keys.
    """

    name: ClassVar[str] = "profile-cosine"
    # 2: glyphs of scripts without spaces are kept, contacts are no longer keys.
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("size", "terms", "min_shared", "limit")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.6
    uses_statistics: ClassVar[bool] = True

    def __init__(
        self,
        *,
        size: int = 5,
        terms: int = 25,
        min_shared: int = 3,
        limit: int | None = 10,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if size < 1:
            raise ValueError(f"size is {size}: a run has at least one letter")
        if terms < 1:
            raise ValueError(f"terms is {terms}: a text has at least one key")
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}: at least one candidate is compared, or all (None)")
        if not 1 <= min_shared <= terms:
            raise ValueError(
                f"min_shared is {min_shared}: it is at least one key, and terms, {terms}, at most"
            )
        self.size, self.terms, self.min_shared, self.limit = size, terms, min_shared, limit

    def select_key_words(self, text: CanonicalText) -> list[str]:
        """Return the words that are keys: rarest first, then longest, then in alphabetical order.

        Stop words and contacts are left out.
        """
        statistics = self.statistics
        words = {token.key for token in text.tokens if token.kind != "contact"} - STOP_WORDS
        rank = {
            word: (statistics.document_frequency(word) if statistics else 0, -len(word), word)
            for word in words
        }
        return sorted(words, key=rank.__getitem__)[: self.terms]

    def keys(self, text: CanonicalText) -> list[int]:
        if len(join_letters(text, MIN_WORD_LENGTH)) < self.size:
            return []
        hash_by_key = dict(zip((token.key for token in text.tokens), text.hashes, strict=True))
        hashes = sorted({hash_by_key[word] for word in self.select_key_words(text)})
        if 0 < len(hashes) < self.min_shared:
            # `min_shared` keys of the whole set: with fewer keys, equal texts would not be candidates.
            hashes = sorted(mix(*hashes, seed=copy) for copy in range(self.min_shared))
        return hashes

    def payload(self, canonical_text: CanonicalText) -> bytes:
        """Return the profile, 6 bytes a distinct run, at most 48 KiB.

        Of a longer text it has only runs with hashes below a limit. Little-endian: uint32 shift (the limit
        is 2^32 >> shift), uint32 number of runs, uint64 squared norm, then the hashes, uint32 each,
        ascending, and the counts, uint16 each.
        """
        text = join_letters(canonical_text, MIN_WORD_LENGTH)
        grams = Counter(text[start : start + self.size] for start in range(len(text) - self.size + 1))
        counts: Counter[int] = Counter()
        for gram, count in grams.items():
            counts[hash_word(gram, canonical_text.secret) >> 32] += count
        return _pack_profile(counts)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return Σ a_i b_i / (|a| |b|). Return 0 if a text has no profile."""
        shift_a, norm_a, counts_a = _unpack_profile(a)
        shift_b, norm_b, counts_b = _unpack_profile(b)
        if shift_a != shift_b:
            limit = 1 << (32 - max(shift_a, shift_b))
            counts_a, counts_b = (
                {gram: occurrences for gram, occurrences in counts.items() if gram < limit}
                for counts in (counts_a, counts_b)
            )
            norm_a, norm_b = _squared_norm(counts_a.values()), _squared_norm(counts_b.values())
        product = sum(count * counts_b[gram] for gram, count in counts_a.items() if gram in counts_b)
        # Rounding may give a little more than 1.
        return min(product / math.sqrt(norm_a * norm_b), 1.0) if norm_a and norm_b else 0.0


def _squared_norm(counts: Any) -> int:
    return sum(count * count for count in counts)


def _pack_profile(counts: Counter[int]) -> bytes:
    grams, shift = sorted(counts), 0
    while len(grams) > MAX_RUNS:
        shift += 1
        del grams[bisect_left(grams, 1 << (32 - shift)) :]
    kept_counts = [min(counts[gram], MAX_COUNT) for gram in grams]
    return HEADER.pack(shift, len(grams), _squared_norm(kept_counts)) + struct.pack(
        f"<{len(grams)}I{len(grams)}H", *grams, *kept_counts
    )


def _unpack_profile(payload: bytes) -> tuple[int, int, dict[int, int]]:
    shift, size, norm = HEADER.unpack_from(payload)
    values = struct.unpack_from(f"<{size}I{size}H", payload, HEADER.size)
    return shift, norm, dict(zip(values[:size], values[size:], strict=True))

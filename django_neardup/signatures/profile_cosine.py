"""A profile of letter runs and the cosine of two of them, for the ten candidates that share most keys."""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections import Counter
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import hash_word, mix
from ..text.stopwords import STOP
from ..text.views import letters
from .base import Algorithm
from .registry import register

SHORTEST = 3
MOST = 8192
COUNT = 0xFFFF
HEAD = struct.Struct("<IIQ")


@register
class ProfileCosine(Algorithm):
    """Counts of 5-letter runs; cosine of the two vectors; duplicates from .8 on.

    Source: the article of a site of presentations: lower case, words of fewer than three characters dropped (not the
    glyphs of scripts without spaces), all spaces deleted, counts of shingles of characters, their Euclidean norm stored
    beside them; compared with the ten documents that a search for similar ones names first.  The article does not state
    the length of a shingle; here `size` is 5.  Its threshold is 20 % of uniqueness, a cosine of .8 (at 60 % everything
    became one group); related here from .6.
    The search is a reconstruction: keys are the `terms` (25) most telling lemmas of a text, the rarest where the
    `statistics` of a collection are given, else the longest; of the texts that share `min_shared` (3) of them the
    `limit` (10) that share most are compared.  Texts of fewer words than that must have the same ones.

    Fails: common letter runs weigh most, so long texts of one language or trade look alike; a model number is some
    letters of many; a text with more than ten near relatives loses the others.  Texts of fewer than `size` letters have
    neither profile nor keys.
    """

    name: ClassVar[str] = "profile-cosine"
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("size", "terms", "min_shared", "limit")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.6
    uses_statistics: ClassVar[bool] = True

    def __init__(
        self, *, size: int = 5, terms: int = 25, min_shared: int = 3, limit: int | None = 10, **common: Any
    ) -> None:
        super().__init__(**common)
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

    def telling(self, document: Document) -> list[str]:
        """The words that are keys: rarest first, then longest, then by the alphabet; no stop words, no contacts."""
        known = self.statistics
        words = {token.key for token in document.tokens if token.kind != "contact"} - STOP
        rank = {word: (known.texts_with(word) if known else 0, -len(word), word) for word in words}
        return sorted(words, key=rank.__getitem__)[: self.terms]

    def keys(self, document: Document) -> list[int]:
        if len(letters(document, SHORTEST)) < self.size:
            return []
        known = dict(zip((token.key for token in document.tokens), document.hashes, strict=True))
        hashes = sorted({known[word] for word in self.telling(document)})
        if 0 < len(hashes) < self.min_shared:
            hashes = sorted(mix(*hashes, seed=copy) for copy in range(self.min_shared))
        return hashes

    def pack(self, document: Document) -> bytes:
        """The profile, 6 bytes a distinct run, at most 48 KiB: of a longer text only runs with hashes below a limit.

        Little-endian: uint32 shift (the limit is 2^32 >> shift), uint32 number of runs, uint64 squared norm, then the
        hashes, uint32 each, ascending, and the counts, uint16 each.
        """
        text = letters(document, SHORTEST)
        grams = Counter(text[start : start + self.size] for start in range(len(text) - self.size + 1))
        counts: Counter[int] = Counter()
        for gram, count in grams.items():
            counts[hash_word(gram, document.secret) >> 32] += count
        return _packed(counts)

    def measure(self, a: bytes, b: bytes) -> float:
        """Σ a_i b_i / (|a| |b|); 0 where a text has no profile."""
        shift_a, norm_a, ours = _unpacked(a)
        shift_b, norm_b, theirs = _unpacked(b)
        if shift_a != shift_b:
            limit = 1 << (32 - max(shift_a, shift_b))
            ours, theirs = ({gram: n for gram, n in each.items() if gram < limit} for each in (ours, theirs))
            norm_a, norm_b = _squared(ours.values()), _squared(theirs.values())
        product = sum(count * theirs[gram] for gram, count in ours.items() if gram in theirs)
        return min(product / math.sqrt(norm_a * norm_b), 1.0) if norm_a and norm_b else 0.0


def _squared(counts: Any) -> int:
    return sum(count * count for count in counts)


def _packed(counts: Counter[int]) -> bytes:
    grams, shift = sorted(counts), 0
    while len(grams) > MOST:
        shift += 1
        del grams[bisect_left(grams, 1 << (32 - shift)) :]
    kept = [min(counts[gram], COUNT) for gram in grams]
    return HEAD.pack(shift, len(grams), _squared(kept)) + struct.pack(
        f"<{len(grams)}I{len(grams)}H", *grams, *kept
    )


def _unpacked(packed: bytes) -> tuple[int, int, dict[int, int]]:
    shift, size, norm = HEAD.unpack_from(packed)
    values = struct.unpack_from(f"<{size}I{size}H", packed, HEAD.size)
    return shift, norm, dict(zip(values[:size], values[size:], strict=True))

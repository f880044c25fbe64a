"""Shingles of letters, for texts too short for shingles of words."""

from __future__ import annotations

from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import crc32
from ..text.views import content_words
from .registry import register
from .sampled import least_keys
from .shingles import Checksums

MOST_KEYS = 64
SHORT = 40


@register
class CharShingles(Checksums):
    """5 letters of the words without stop words and spaces; their CRC-32; 2 |A∩B| / (|A| + |B|) of the multisets.

    Source: the author's answer under the article on shingles in Python, for jokes and quotations of 5 to 50 words:
    runs of "say 10 characters", the rest as it is.  At 10 one edit kills ten shingles, so here `size` is 5.  Whether
    spaces count is not said; here they do not, as in the article on character profiles, so that a word written apart is
    the same.  The threshold is not stated; here .7 is a duplicate.
    Keys: runs of 5 letters are in every text, so keys are the checksums of runs twice as long, at most 64, and of texts
    of up to 40 letters those of `size` too; candidates share two.

    Fails: long texts of one language look alike, for their letters do; a model number is a few letters of many; texts
    of which no two long runs are left are not found.  Texts of up to `size` letters have too few keys for a candidate.
    """

    name: ClassVar[str] = "char-shingles"
    options: ClassVar[tuple[str, ...]] = ("size",)
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    min_shared = 2

    def __init__(self, *, size: int = 5, **common: Any) -> None:
        super().__init__(**common)
        if size < 2:
            raise ValueError(f"size is {size}: a shingle has at least two letters")
        self.size = size

    def checksums(self, document: Document) -> list[int]:
        return letter_checksums(_letters(document), self.size)

    def keys(self, document: Document) -> list[int]:
        letters = _letters(document)
        chosen = set(least_keys(letter_checksums(letters, 2 * self.size), MOST_KEYS))
        if len(letters) <= SHORT:
            chosen.update(letter_checksums(letters, self.size))
        return sorted(chosen)


def letter_checksums(letters: str, size: int) -> list[int]:
    """CRC-32, unsigned, of the UTF-8 of every run of `size` letters, in order."""
    grams = [letters[start : start + size] for start in range(len(letters) - size + 1)]
    known = {gram: crc32(gram) for gram in set(grams)}
    return [known[gram] for gram in grams]


def _letters(document: Document) -> str:
    return "".join(content_words(document))

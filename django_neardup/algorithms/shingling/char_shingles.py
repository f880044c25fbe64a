"""Letter shingles, for texts that are too short for word shingles."""

from __future__ import annotations

from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import content_words
from ...text.hashing import crc32
from ..key_sampling import bottom_k_keys
from ..registry import register
from .shingles import ChecksumAlgorithm

MAX_KEYS = 64
SHORT_TEXT_LETTERS = 40


@register
class CharShingles(ChecksumAlgorithm):
    """CRC-32 of 5-letter runs, without stop words and spaces; 2 |A∩B| / (|A| + |B|) of the multisets.

    Source: the author's answer under the article on shingles in Python, for jokes and quotations of 5 to 50
    words: runs of "say 10 characters", and the rest of the method unchanged. With 10, one edit destroys ten
    shingles, so here ``size`` is 5. The answer does not say whether spaces count. Here they do not, as in the
    article on character profiles: a word that is written apart stays the same. The threshold is not stated;
    here .7 is a duplicate.

    Keys: runs of 5 letters are in every text. So keys are the checksums of runs twice as long, at most 64.
    In texts of up to 40 letters, runs of ``size`` letters are keys too. Candidates share two keys.

    Fails: long texts of one language look alike, because their letters do. A model number is a few letters
    among many. Texts with fewer than two long runs in common are not found. Texts of up to ``size`` letters
    have too few keys for a candidate.
    """

    name: ClassVar[str] = "char-shingles"
    options: ClassVar[tuple[str, ...]] = ("size",)
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    min_shared = 2

    def __init__(self, *, size: int = 5, **common_options: Any) -> None:
        super().__init__(**common_options)
        if size < 2:
            raise ValueError(f"size is {size}: a shingle has at least two letters")
        self.size = size

    def checksums(self, text: CanonicalText) -> list[int]:
        return letter_checksums(_content_letters(text), self.size)

    def keys(self, text: CanonicalText) -> list[int]:
        letters = _content_letters(text)
        chosen = set(bottom_k_keys(letter_checksums(letters, 2 * self.size), MAX_KEYS))
        if len(letters) <= SHORT_TEXT_LETTERS:
            chosen.update(letter_checksums(letters, self.size))
        return sorted(chosen)


def letter_checksums(letters: str, size: int) -> list[int]:
    """Return the unsigned CRC-32 of the UTF-8 of every run of ``size`` letters, in order."""
    grams = [letters[start : start + size] for start in range(len(letters) - size + 1)]
    checksum_by_gram = {gram: crc32(gram) for gram in set(grams)}
    return [checksum_by_gram[gram] for gram in grams]


def _content_letters(text: CanonicalText) -> str:
    return "".join(content_words(text))

"""The classic shingles: runs of words or letters, a CRC-32 of each, and how many two texts have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import content_words
from ...text.hashing import crc32, mix
from ..bag_of_words import pack_bag
from ..base import Algorithm
from ..key_sampling import bottom_k_keys, dice_of
from ..registry import register


class ChecksumAlgorithm(Algorithm):
    """The Dice coefficient of the multisets of checksums of two texts. Keys are at most 128 checksums.

    Of longer texts they are the 128 that come first in a random order, so two texts share about J of them.
    CRC-32 is not keyed: strangers can forge an equal key, but not an equal score.
    """

    @abstractmethod
    def checksums(self, text: CanonicalText) -> list[int]:
        """Return the unsigned CRC-32 of every shingle, in order. Return [] for a text without shingles."""

    def keys(self, text: CanonicalText) -> list[int]:
        return bottom_k_keys(self.checksums(text))

    def payload(self, text: CanonicalText) -> bytes:
        """Return a multiset of 4 bytes a shingle, at most 16 KiB: a sample for texts of more than 4096
        shingles.
        """
        # A bag keeps the high 32 bits of 64-bit hashes. In a CRC-32 they are all 0.
        return pack_bag(mix(value) for value in self.checksums(text))

    def measure(self, a: bytes, b: bytes) -> float:
        """Return 2 |A∩B| / (|A| + |B|). Return 0 for texts too short for a shingle."""
        return dice_of(a, b)


@register
class Shingles(ChecksumAlgorithm):
    """CRC-32 of 10 words as written, in lower case, without stop words; 2 |A∩B| / (|A| + |B|).

    Source: the article on shingles in Python. Its function counts the members of one list that the other
    contains. That depends on the order of the texts if a shingle repeats, and divides by zero if both are
    short. Here multisets are compared, and short texts have the score 0. The stop words are ours: unlike the
    article's, they keep "не". The article does not state the threshold; here .5 is a duplicate and .25
    related.

    Options:

    - ``size``: words a shingle
    - ``step``: 1 (overlapping shingles) to ``size`` (side by side)
    - ``modulus``: only checksums that it divides count (25 in the article, or 10 to 40; 1 means all). Use it
      for long texts only: short ones are left without any.

    Fails: a changed word destroys ``size`` shingles, so every tenth word changed makes the score 0. Texts of
    fewer than ``size`` words have no shingles. Side-by-side shingles differ from the first inserted word on.
    """

    name: ClassVar[str] = "shingles"
    options: ClassVar[tuple[str, ...]] = ("size", "step", "modulus")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25

    def __init__(self, *, size: int = 10, step: int = 1, modulus: int = 1, **common_options: Any) -> None:
        super().__init__(**common_options)
        if not 1 <= step <= size:
            raise ValueError(f"step is {step}: it is 1 (overlapping) to size, {size} (side by side)")
        if modulus < 1:
            raise ValueError(f"modulus is {modulus}: it is 1 or more")
        self.size, self.step, self.modulus = size, step, modulus

    def checksums(self, text: CanonicalText) -> list[int]:
        values = word_checksums(content_words(text), self.size, self.step)
        return [value for value in values if not value % self.modulus]


def word_checksums(words: Sequence[str], size: int, step: int = 1) -> list[int]:
    """Return the unsigned CRC-32 of every run of ``size`` words, at every ``step``-th position.

    It is the CRC-32 of the UTF-8 of the words, joined by spaces.
    """
    return [crc32(" ".join(words[start : start + size])) for start in range(0, len(words) - size + 1, step)]

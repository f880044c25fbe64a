"""The classic shingles: runs of words or letters, a CRC-32 of each, and how many two texts have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import crc32, mix
from ..text.views import content_words
from .bag import pack_bag
from .base import Algorithm
from .registry import register
from .sampled import dice_of, least_keys


class Checksums(Algorithm):
    """Dice of the multisets of checksums of two texts; the keys are the checksums, at most 128 of them.

    Of longer texts the 128 that come first in a random order, so that of two texts about J of them are the same.
    CRC-32 is not keyed: strangers can forge an equal key, not an equal score.
    """

    @abstractmethod
    def checksums(self, document: Document) -> list[int]:
        """The CRC-32 of every shingle, unsigned, in order; [] for a text of none."""

    def keys(self, document: Document) -> list[int]:
        return least_keys(self.checksums(document))

    def pack(self, document: Document) -> bytes:
        """A multiset of 4 bytes a shingle, at most 16 KiB: of texts of more than 4096 shingles a sample."""
        return pack_bag(mix(value) for value in self.checksums(document))

    def measure(self, a: bytes, b: bytes) -> float:
        """2 |A∩B| / (|A| + |B|); 0 for texts too short for a shingle."""
        return dice_of(a, b)


@register
class Shingles(Checksums):
    """10 words as written, without stop words, in lower case; their CRC-32; 2 |A∩B| / (|A| + |B|).

    Source: the article on shingles in Python.  Its function counts the members of one list that the other holds, which
    depends on the order of the texts when a shingle repeats, and divides by zero when both are short; here multisets
    are compared, and short texts have the score 0.  The stop words are ours: unlike the article's they keep "не".
    The article does not state the threshold; here .5 is a duplicate and .25 related.

    Options: `size`, words a shingle; `step`, 1 (overlapping) to `size` (side by side); `modulus`: only checksums that
    it divides count (the article's 25, or 10 to 40; 1: all) - for long texts alone, short ones are left without any.

    Fails: a changed word kills `size` shingles, so every tenth word changed makes the score 0; texts of fewer than
    `size` words have no shingles; side by side ones differ from the first inserted word on.
    """

    name: ClassVar[str] = "shingles"
    options: ClassVar[tuple[str, ...]] = ("size", "step", "modulus")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25

    def __init__(self, *, size: int = 10, step: int = 1, modulus: int = 1, **common: Any) -> None:
        super().__init__(**common)
        if not 1 <= step <= size:
            raise ValueError(f"step is {step}: it is 1 (overlapping) to size, {size} (side by side)")
        if modulus < 1:
            raise ValueError(f"modulus is {modulus}: it is 1 or more")
        self.size, self.step, self.modulus = size, step, modulus

    def checksums(self, document: Document) -> list[int]:
        values = word_checksums(content_words(document), self.size, self.step)
        return [value for value in values if not value % self.modulus]


def word_checksums(words: Sequence[str], size: int, step: int = 1) -> list[int]:
    """CRC-32, unsigned, of the UTF-8 of every run of `size` words joined by spaces, at every `step`-th place."""
    return [crc32(" ".join(words[start : start + size])) for start in range(0, len(words) - size + 1, step)]

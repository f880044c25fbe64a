"""Log shingles: of a long text, only the shingles that a power of two divides.

The power grows with the length of the text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ..base import Algorithm
from ..minhash.minwise import gram_hashes
from ..registry import register


@register
class LogShingles(Algorithm):
    """Resemblance J of 5-word shingles with hashes that 2^i divides; i depends on the longer text.

    Source: "shingles divisible by powers of two" in the comparison by Zelenkov and Segalovich (RCDL 2007),
    after Broder's logarithmic sketches (1997). The level is a reconstruction: i = max(0, ceil(log2(n / 64)))
    for n distinct shingles, so that 32 to 64 (``most``) are left on average. Two texts are compared at the
    higher of their levels. The article does not state the threshold; here J is .8. All shingles that are
    left are keys. One common key makes a candidate.

    Fails: for long texts J is estimated from a few dozen shingles, with the error sqrt(J (1 - J) / 64), .05
    at .8. One edited word destroys five shingles, so few edits bring J below .8 (recall .39 in the article's
    table). Texts of fewer than ``size`` words have no keys.
    """

    name: ClassVar[str] = "log-shingles"
    options: ClassVar[tuple[str, ...]] = ("size", "most")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.5

    def __init__(self, *, size: int = 5, most: int = 64, **common_options: Any) -> None:
        super().__init__(**common_options)
        if size < 1:
            raise ValueError(f"size is {size}: a shingle has at least one word")
        if most < 1:
            raise ValueError(f"most is {most}: at least one shingle is kept")
        self.size, self.most = size, most

    def level_and_hashes(self, text: CanonicalText) -> tuple[int, list[int]]:
        """Return the level i and the ascending hashes that 2^i divides."""
        distinct = set(gram_hashes(text.hashes, self.size))
        level = level_of(len(distinct), self.most)
        return level, sorted(select_divisible(distinct, level))

    def keys(self, text: CanonicalText) -> list[int]:
        return self.level_and_hashes(text)[1]

    def payload(self, text: CanonicalText) -> bytes:
        """Return the level and the hashes, 8 bytes each, little-endian: about half a KiB."""
        level, hashes = self.level_and_hashes(text)
        return struct.pack(f"<{len(hashes) + 1}Q", level, *hashes)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return |A∩B| / |A∪B| of the shingles of the higher level. Return 0 for an empty text."""
        (level_a, *hashes_a), (level_b, *hashes_b) = (
            struct.unpack(f"<{len(payload) // 8}Q", payload) for payload in (a, b)
        )
        level = max(level_a, level_b)
        shingles_a, shingles_b = select_divisible(hashes_a, level), select_divisible(hashes_b, level)
        union = len(shingles_a | shingles_b)
        return len(shingles_a & shingles_b) / union if union else 0.0


def level_of(shingle_count: int, most: int) -> int:
    """Return the least i, 0 or more, with shingle_count / 2^i <= most."""
    return ((shingle_count - 1) // most).bit_length() if shingle_count else 0


def select_divisible(hashes: Iterable[int], level: int) -> set[int]:
    """Return the hashes that 2^level divides."""
    mask = (1 << level) - 1
    return {value for value in hashes if not value & mask}

"""Log shingles: of a long text only the shingles divisible by a power of two that grows with the text."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, ClassVar

from ..text.document import Document
from .base import Algorithm
from .minwise import gram_hashes
from .registry import register


@register
class LogShingles(Algorithm):
    """J of the hashes of 5-word shingles that 2^i divides, i by the length of the longer text.

    Source: "shingles divisible by powers of two" of Zelenkov and Segalovich's comparison (RCDL 2007), after Broder's
    logarithmic sketches (1997).  The level is a reconstruction: i = max(0, ceil(log2(n / 64))) for n distinct shingles,
    so that 32 to 64 remain on average (`most`); two texts are compared at the higher level of theirs.  The article does
    not state the threshold; here J is .8.  All that remain are keys, one in common makes a candidate.

    Fails: of long texts the estimate is of a few dozen shingles, with the error sqrt(J (1 - J) / 64), .05 at .8; an
    edited word kills five shingles, so few edits bring J below .8 (recall .39 in the article's table).  Texts of fewer
    than `size` words have no keys.
    """

    name: ClassVar[str] = "log-shingles"
    options: ClassVar[tuple[str, ...]] = ("size", "most")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.5

    def __init__(self, *, size: int = 5, most: int = 64, **common: Any) -> None:
        super().__init__(**common)
        if size < 1:
            raise ValueError(f"size is {size}: a shingle has at least one word")
        if most < 1:
            raise ValueError(f"most is {most}: at least one shingle is kept")
        self.size, self.most = size, most

    def kept(self, document: Document) -> tuple[int, list[int]]:
        """The level i and the hashes, ascending, that 2^i divides."""
        distinct = set(gram_hashes(document.hashes, self.size))
        level = level_of(len(distinct), self.most)
        return level, sorted(divisible(distinct, level))

    def keys(self, document: Document) -> list[int]:
        return self.kept(document)[1]

    def pack(self, document: Document) -> bytes:
        """The level and the hashes, 8 bytes each, little-endian: about half a KiB."""
        level, hashes = self.kept(document)
        return struct.pack(f"<{len(hashes) + 1}Q", level, *hashes)

    def measure(self, a: bytes, b: bytes) -> float:
        """|A∩B| / |A∪B| of the shingles of the higher level; 0 for an empty text."""
        (level_a, *ours), (level_b, *theirs) = (
            struct.unpack(f"<{len(packed) // 8}Q", packed) for packed in (a, b)
        )
        level = max(level_a, level_b)
        first, second = divisible(ours, level), divisible(theirs, level)
        union = len(first | second)
        return len(first & second) / union if union else 0.0


def level_of(shingles: int, most: int) -> int:
    """The least i, 0 or more, with shingles / 2^i <= most."""
    return ((shingles - 1) // most).bit_length() if shingles else 0


def divisible(hashes: Iterable[int], level: int) -> set[int]:
    """Those that 2^level divides."""
    mask = (1 << level) - 1
    return {value for value in hashes if not value & mask}

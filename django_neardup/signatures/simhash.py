"""SimHash: one fingerprint of 64 bits that changes little when the text does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import mix
from .base import Algorithm
from .minwise import content_hashes
from .registry import register

BITS = 64
RIGHT_ANGLE = BITS // 2
MOST_DISTANCE = 7
BLOCK = 21
LANE = 32
_LANES = [sum((byte >> bit & 1) << (LANE * bit) for bit in range(8)) for byte in range(256)]


@register
class SimHash(Algorithm):
    """The signs of a sum of random vectors, one a lemma, as 64 bits; two texts with at most 3 unlike bits are one.

    Bit j of the fingerprint is 1 where the sum over the lemmas without stop words of +w (bit j of the lemma's hash is
    1) or -w (it is 0) is above 0; w is how often the lemma stands in the text.  Two fingerprints differ in about
    64 θ / π bits, θ the angle of the vectors of counts (Charikar, "Similarity estimation techniques from rounding
    algorithms", 2002).  Search by blocks after Manku, Jain, Das Sarma ("Detecting near-duplicates for web crawling",
    2007): of 4 blocks of 16 bits at least one is equal where at most 3 bits are not, so the blocks are the keys.

    The score is 1 - 2θ / π = 1 - bits / 32, 0 from 32 bits on, where texts have nothing in common.
    Options: `distance`, the bits that may differ, 0 to 7, in distance + 1 blocks; `duplicate` follows from it unless
    it is given.

    Fails: short texts, where one replaced word moves about 64 arccos((n - 1) / n) / π bits: 13 of a text of 5 words,
    9 of 10, 6 of 20, 4 of 50; it never sees a quotation; words that repeat outweigh the rest; blocks of 16 bits are
    equal by chance once in 65,536 pairs of long texts.  An even number of words, if they are few, has many sums of 0,
    hence many bits 0: strangers of two words each have 24 unlike bits, not 32, and a block in common once in 1,840.
    """

    name: ClassVar[str] = "simhash"
    options: ClassVar[tuple[str, ...]] = ("distance",)
    default_review: ClassVar[float] = 0.75
    metric: ClassVar[bool] = True

    def __init__(self, *, distance: int = 3, duplicate: float | None = None, **common: Any) -> None:
        if not 0 <= distance <= MOST_DISTANCE:
            raise ValueError(f"distance is {distance}: it is 0 to {MOST_DISTANCE} bits")
        super().__init__(duplicate=1 - distance / RIGHT_ANGLE if duplicate is None else duplicate, **common)
        self.distance = distance

    def keys(self, document: Document) -> list[int]:
        weights = Counter(content_hashes(document))
        return sorted(block_keys(fingerprint(weights), self.distance + 1)) if weights else []

    def pack(self, document: Document) -> bytes:
        """8 bytes; none for a text of stop words alone."""
        weights = Counter(content_hashes(document))
        return fingerprint(weights).to_bytes(8, "little") if weights else b""

    def measure(self, a: bytes, b: bytes) -> float:
        """1 - bits that differ / 32, at least 0: 1 minus it is a metric.  0 for a text without a fingerprint."""
        if not a or not b:
            return 0.0
        unlike = bin(int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).count("1")
        return 1 - min(unlike, RIGHT_ANGLE) / RIGHT_ANGLE


def fingerprint(weights: Mapping[int, int]) -> int:
    """64 bits from 64-bit hashes with whole weights: bit j is 1 where hashes with it weigh more than those without.

    The weights of all 64 bits are summed at once, 8 lanes of 32 bits to a whole number.
    """
    sums = [0] * 8
    for value, weight in weights.items():
        for place, byte in enumerate(value.to_bytes(8, "little")):
            sums[place] += weight * _LANES[byte]
    half = sum(weights.values()) / 2
    lanes = (total >> (LANE * bit) & ((1 << LANE) - 1) for total in sums for bit in range(8))
    return sum((lane > half) << bit for bit, lane in enumerate(lanes))


def block_keys(value: int, blocks: int) -> Iterator[int]:
    """A key a block of neighbouring bits: its number and its value."""
    borders = [BITS * block // blocks for block in range(blocks + 1)]
    for block, (low, high) in enumerate(pairwise(borders)):
        yield mix(block, value >> low & ((1 << (high - low)) - 1), seed=BLOCK)

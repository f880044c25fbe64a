"""SimHash: one fingerprint of 64 bits that changes little if the text changes little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix
from ..base import Algorithm
from ..minhash.minwise import content_hashes
from ..registry import register

FINGERPRINT_BITS = 64
RIGHT_ANGLE_BITS = FINGERPRINT_BITS // 2
MAX_DISTANCE = 7
BLOCK_SEED = 21
LANE_BITS = 32
# For each byte value, its eight bits spread over eight lanes of one integer.
_LANES_BY_BYTE = [sum((byte >> bit & 1) << (LANE_BITS * bit) for bit in range(8)) for byte in range(256)]


@register
class SimHash(Algorithm):
    """Signs of a sum of random vectors, one a lemma, as 64 bits; up to 3 unlike bits make a duplicate.

    Bit j of the fingerprint is 1 if a sum over the lemmas without stop words is above 0. Each lemma adds w
    if bit j of its hash is 1, otherwise -w. w is how often the lemma occurs in the text. Two fingerprints
    differ in about 64 θ / π bits. θ is the angle between the vectors of counts. Source: Charikar, "Similarity
    estimation techniques from rounding algorithms" (2002).

    The search by blocks is after Manku, Jain, Das Sarma ("Detecting near-duplicates for web crawling",
    2007). If at most 3 bits differ, at least one of 4 blocks of 16 bits is equal, so the blocks are the
    keys.

    The score is 1 - 2θ / π = 1 - bits / 32. It is 0 from 32 bits on, as of texts that have nothing in
    common.

    Options: ``distance``, the bits that may differ, 0 to 7, in distance + 1 blocks; ``duplicate`` follows from
    it unless it is given.

    Fails in short texts: one replaced word changes about 64 arccos((n - 1) / n) / π bits. That is 13 in a
    text of 5 words, 9 in 10, 6 in 20 and 4 in 50. It never finds a quotation. Words that repeat outweigh the
    rest. Blocks of 16 bits are equal by chance once in 65,536 pairs of long texts. If the words are few and
    their number is even, many sums and bits are 0. Unrelated texts of two words each have 24 unlike bits, not
    32. They have a block in common once in 1,840 pairs.
    """

    name: ClassVar[str] = "simhash"
    options: ClassVar[tuple[str, ...]] = ("distance",)
    default_review: ClassVar[float] = 0.75
    is_metric: ClassVar[bool] = True

    def __init__(self, *, distance: int = 3, duplicate: float | None = None, **common_options: Any) -> None:
        if not 0 <= distance <= MAX_DISTANCE:
            raise ValueError(f"distance is {distance}: it is 0 to {MAX_DISTANCE} bits")
        super().__init__(
            duplicate=1 - distance / RIGHT_ANGLE_BITS if duplicate is None else duplicate, **common_options
        )
        self.distance = distance

    def keys(self, text: CanonicalText) -> list[int]:
        weights = Counter(content_hashes(text))
        return sorted(block_keys(simhash_value(weights), self.distance + 1)) if weights else []

    def payload(self, text: CanonicalText) -> bytes:
        """Return 8 bytes, or b"" for a text of only stop words."""
        weights = Counter(content_hashes(text))
        return simhash_value(weights).to_bytes(8, "little") if weights else b""

    def measure(self, a: bytes, b: bytes) -> float:
        """Return 1 - unlike bits / 32, at least 0. 1 minus it is a metric. Return 0 for a text without a
        fingerprint.
        """
        if not a or not b:
            return 0.0
        unlike_bits = bin(int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).count("1")
        return 1 - min(unlike_bits, RIGHT_ANGLE_BITS) / RIGHT_ANGLE_BITS


def simhash_value(weights: Mapping[int, int]) -> int:
    """Return 64 bits from 64-bit hashes with integer weights.

    Bit j is 1 if the hashes with this bit weigh more than the hashes without it. The weights of all 64 bits
    are summed together, 8 lanes of 32 bits in one integer.
    """
    sums = [0] * 8
    for value, weight in weights.items():
        for byte_number, byte in enumerate(value.to_bytes(8, "little")):
            sums[byte_number] += weight * _LANES_BY_BYTE[byte]
    half = sum(weights.values()) / 2
    lanes = (total >> (LANE_BITS * bit) & ((1 << LANE_BITS) - 1) for total in sums for bit in range(8))
    return sum((lane > half) << bit for bit, lane in enumerate(lanes))


def block_keys(value: int, blocks: int) -> Iterator[int]:
    """Yield one key a block of neighbouring bits: a hash of its number and its value."""
    borders = [FINGERPRINT_BITS * block // blocks for block in range(blocks + 1)]
    for block, (low, high) in enumerate(pairwise(borders)):
        yield mix(block, value >> low & ((1 << (high - low)) - 1), seed=BLOCK_SEED)

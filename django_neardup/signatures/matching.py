"""Algorithms whose keys are all there is: texts with enough equal keys are duplicates."""

from __future__ import annotations

import struct
from abc import abstractmethod
from typing import ClassVar

from ..text.document import Document
from .base import Algorithm


class Matching(Algorithm):
    """Two texts are duplicates when they share `min_shared` of their signatures, else nothing is said of them."""

    default_duplicate: ClassVar[float] = 1.0
    default_review: ClassVar[float] = 1.0

    @abstractmethod
    def signatures(self, document: Document) -> list[int]:
        """Unsigned 64-bit signatures of a text, in any order; [] for one that has none."""

    def keys(self, document: Document) -> list[int]:
        return sorted(set(self.signatures(document))) if len(document) else []

    def pack(self, document: Document) -> bytes:
        keys = self.keys(document)
        return struct.pack(f"<{len(keys)}Q", *keys)

    def measure(self, a: bytes, b: bytes) -> float:
        """1 when enough signatures are equal, else 0."""
        shared = set(unpacked(a)).intersection(unpacked(b))
        return float(len(shared) >= self.min_shared)


def unpacked(packed: bytes) -> tuple[int, ...]:
    """The keys of a payload, ascending."""
    return struct.unpack(f"<{len(packed) // 8}Q", packed)

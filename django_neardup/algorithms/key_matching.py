"""The base class of algorithms that decide by equal keys only: texts with enough equal keys are duplicates."""

from __future__ import annotations

import struct
from abc import abstractmethod
from typing import ClassVar

from ..text.canonical_text import CanonicalText
from .base import Algorithm


class KeyMatchAlgorithm(Algorithm):
    """Two texts are duplicates if they share ``min_shared`` signatures. Otherwise the verdict is ``none``."""

    default_duplicate: ClassVar[float] = 1.0
    default_review: ClassVar[float] = 1.0

    @abstractmethod
    def signatures(self, text: CanonicalText) -> list[int]:
        """Return the unsigned 64-bit signatures of a text, in any order. Return [] if it has none."""

    def keys(self, text: CanonicalText) -> list[int]:
        # A hash of no words is a number too: all empty texts would be candidates of one another.
        return sorted(set(self.signatures(text))) if len(text) else []

    def payload(self, text: CanonicalText) -> bytes:
        keys = self.keys(text)
        return struct.pack(f"<{len(keys)}Q", *keys)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return 1.0 if enough signatures are equal, otherwise 0.0."""
        shared = set(unpack_keys(a)).intersection(unpack_keys(b))
        return float(len(shared) >= self.min_shared)


def unpack_keys(payload: bytes) -> tuple[int, ...]:
    """Return the keys of a payload, ascending."""
    return struct.unpack(f"<{len(payload) // 8}Q", payload)

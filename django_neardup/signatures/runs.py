"""Algorithms that find by winnowed runs of words, and screen by the share of them that two texts have in common."""

from __future__ import annotations

from ..text.document import Document
from .bag import pack_bag
from .base import Algorithm
from .minwise import gram_hashes
from .sampled import containment_of, winnowed_keys


class Runs(Algorithm):
    """`size`, words a run; `window`: of so many neighbouring runs one is a key."""

    size: int
    window: int

    def keys(self, document: Document) -> list[int]:
        return winnowed_keys(gram_hashes(document.hashes, self.size), self.window)

    def pack(self, document: Document) -> bytes:
        """The set of runs, 4 bytes each, at most 16 KiB."""
        return pack_bag(set(gram_hashes(document.hashes, self.size)))

    def measure(self, a: bytes, b: bytes) -> float:
        """Share of the smaller text's runs that the other has, wherever."""
        return containment_of(a, b)

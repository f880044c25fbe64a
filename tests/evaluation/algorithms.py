"""Algorithms whose answers are easily worked out."""

from __future__ import annotations

from collections.abc import Sequence

from django_neardup.signatures import Algorithm, Judgement
from django_neardup.text.document import Document


class Words(Algorithm):
    """Keys are the words' hashes; all candidates are duplicates."""

    name = "words"

    def keys(self, document: Document) -> list[int]:
        return sorted(set(document.hashes))

    def pack(self, document: Document) -> bytes:
        return len(document).to_bytes(4, "big")

    def measure(self, a: bytes, b: bytes) -> float:
        return 1.0

    def judge(self, a: Document, b: Document) -> Judgement:
        return Judgement("duplicate", 1.0)


class SameLength(Words):
    """No keys: texts of as many words are pairs of the whole collection."""

    name = "same-length"
    batch = True

    def keys(self, document: Document) -> list[int]:
        return []

    def pairs(self, documents: Sequence[Document]) -> list[tuple[int, int]]:
        return [
            (a, b) for b in range(len(documents)) for a in range(b) if len(documents[a]) == len(documents[b])
        ]

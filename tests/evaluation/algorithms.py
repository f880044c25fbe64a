"""Algorithms whose answers are easily worked out."""

from __future__ import annotations

from collections.abc import Sequence

from django_neardup.algorithms import Algorithm, Judgement
from django_neardup.text.canonical_text import CanonicalText


class Words(Algorithm):
    """Keys are the words' hashes; all candidates are duplicates."""

    name = "words"

    def keys(self, text: CanonicalText) -> list[int]:
        return sorted(set(text.hashes))

    def payload(self, text: CanonicalText) -> bytes:
        return len(text).to_bytes(4, "big")

    def measure(self, a: bytes, b: bytes) -> float:
        return 1.0

    def judge(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        return Judgement("duplicate", 1.0)


class SameLength(Words):
    """No keys: texts of as many words are pairs of the whole collection."""

    name = "same-length"
    bench_only = True

    def keys(self, text: CanonicalText) -> list[int]:
        return []

    def find_pairs(self, canonical_texts: Sequence[CanonicalText]) -> list[tuple[int, int]]:
        return [
            (a, b)
            for b in range(len(canonical_texts))
            for a in range(b)
            if len(canonical_texts[a]) == len(canonical_texts[b])
        ]

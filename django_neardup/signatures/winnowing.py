"""Winnowing: fingerprints that no shared passage of a given length can escape."""

from __future__ import annotations

from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import hash_word, mix
from ..text.shingle import winnow
from ..text.views import letters
from .bag import pack_bag
from .base import Algorithm, Judgement
from .minwise import gram_hashes
from .registry import register
from .sampled import containment_of, resemblance_of

MOST_KEYS = 512
ENOUGH_KEYS = 3
WHOLE = 4_096
PRIME = (1 << 61) - 1
UNITS = {"words": (4, 8), "letters": (20, 40)}


@register
class Winnowing(Algorithm):
    """Hashes of all k-grams; the least of every window of t - k + 1 neighbours is a fingerprint.

    Of two texts with a common run of t units (`guarantee`) at least one fingerprint is equal, and no run shorter than
    k (`size`) makes one equal; about 2 / (t - k + 2) of all k-grams are fingerprints.
    Source: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting" (2003), known as
    MOSS.  Robust winnowing there differs in which of several equal hashes of a window is taken: fingerprints are
    hashes here, not places, so both choose the same.  The paper counts letters, without spaces and marks; `unit` is
    "words" (lemmas; k = 4, t = 8, our choice for posts) or "letters" (words as written; k = 20, t = 40).

    The score is the resemblance J = |A∩B| / |A∪B| of the sets of fingerprints, `duplicate` from .5, about what a
    tenth of the words changed leaves of 4-grams.  A text is `contained` where its share of common fingerprints is at
    least what two texts of equal size and of that resemblance have, 2J / (1 + J) = .67; a share of `review` (.25) is
    related.  The thresholds are ours: the paper has none.

    Texts of more than about 1,500 words (5,600 letters) have keys from a window twice as large, or more, so that they
    have at most about 500; their guarantee grows with it.  All fingerprints are compared.

    Fails: a change in every fourth word; boilerplate and set phrases are found as well as copies; texts of fewer than
    k units have no fingerprints.
    """

    name: ClassVar[str] = "winnowing"
    options: ClassVar[tuple[str, ...]] = ("unit", "size", "guarantee")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(
        self, *, unit: str = "words", size: int | None = None, guarantee: int | None = None, **common: Any
    ) -> None:
        super().__init__(**common)
        if unit not in UNITS:
            raise ValueError(f"unit is {unit!r}: it is one of {', '.join(UNITS)}")
        usual_size, usual_guarantee = UNITS[unit]
        self.unit = unit
        self.size = usual_size if size is None else size
        self.guarantee = max(usual_guarantee, self.size) if guarantee is None else guarantee
        if self.size < 1:
            raise ValueError(f"size is {self.size}: a gram has at least one of the {unit}")
        if self.guarantee < self.size:
            raise ValueError(f"guarantee is {self.guarantee}: it is at least size, {self.size}")

    @property
    def window(self) -> int:
        """Neighbouring grams of which one is chosen."""
        return self.guarantee - self.size + 1

    def grams(self, document: Document) -> list[int]:
        """Keyed 64-bit hashes of all grams, in order."""
        if self.unit == "words":
            return gram_hashes(document.hashes, self.size)
        return rolling_hashes(letters(document), self.size, document.secret)

    def fingerprints(self, document: Document) -> set[int]:
        """The chosen hashes."""
        return chosen(self.grams(document), self.window)

    def keys(self, document: Document) -> list[int]:
        grams = self.grams(document)
        window = self.window
        while 2 * len(grams) > MOST_KEYS * (window + 1):
            window *= 2
        return sorted(chosen(grams, window))

    def pack(self, document: Document) -> bytes:
        """The fingerprints, 4 bytes each, at most 16 KiB: of more than 4096 a sample."""
        return pack_bag(mix(value) for value in self.fingerprints(document))

    def measure(self, a: bytes, b: bytes) -> float:
        """Resemblance of the sets of fingerprints."""
        return resemblance_of(a, b)

    def screen(self, a: bytes, b: bytes) -> float:
        """How much of the smaller set is in the other."""
        return containment_of(a, b)

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        """By the screen; of very long texts the sample may miss a small one, there some keys are enough."""
        sampled = max(words_a, words_b) > WHOLE and shared_keys >= ENOUGH_KEYS
        return shared_keys > 0 and (screened >= self.review or sampled)

    def compare(self, a: Document, b: Document) -> Judgement:
        ours, theirs = self.fingerprints(a), self.fingerprints(b)
        if not ours or not theirs:
            return Judgement("none", 0.0)
        common = len(ours & theirs)
        score = common / (len(ours) + len(theirs) - common)
        return self.by_shares(score, common / len(ours), common / len(theirs))

    def by_shares(self, score: float, share_a: float, share_b: float) -> Judgement:
        """The verdict by resemblance and by the share of each text that the other holds."""
        largest = max(share_a, share_b)
        verdict = "related" if largest >= self.review else "none"
        if largest >= 2 * self.duplicate / (1 + self.duplicate):
            verdict = "contained"
        if score >= self.duplicate:
            verdict = "duplicate"
        return Judgement(verdict, score, share_a, share_b)


def chosen(grams: list[int], window: int) -> set[int]:
    """The least hash of every `window` neighbours, of all where they are fewer."""
    return {grams[place] for place in winnow(grams, window)}


def rolling_hashes(text: str, size: int, secret: bytes = b"") -> list[int]:
    """Unsigned 64-bit hashes of the runs of `size` characters, in order; [] for a shorter text.

    A polynomial of the characters' codes modulo 2^61 - 1, from which the first is taken away as the next comes (Karp,
    Rabin, "Efficient randomized pattern-matching algorithms", 1987), mixed at the end.  The secret chooses the base
    and the mixing.
    """
    base = hash_word("base of the rolling hash", secret) % (PRIME - 256) + 256
    leaving = pow(base, size, PRIME)
    codes = [ord(char) for char in text]
    value = 0
    hashes = []
    for place, code in enumerate(codes):
        value = (value * base + code) % PRIME
        if place >= size:
            value = (value - codes[place - size] * leaving) % PRIME
        if place >= size - 1:
            hashes.append(mix(value, seed=base))
    return hashes

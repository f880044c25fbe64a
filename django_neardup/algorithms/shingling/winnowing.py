"""Winnowing: fingerprints that find every shared passage of a given length."""

from __future__ import annotations

from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import join_letters
from ...text.hashing import hash_word, mix
from ...text.shingles import winnow
from ..bag_of_words import pack_bag
from ..base import Algorithm, Judgement
from ..key_sampling import containment_of, resemblance_of
from ..minhash.minwise import gram_hashes
from ..registry import register

MAX_KEYS = 512
ENOUGH_SHARED_KEYS = 3
MAX_UNSAMPLED_WORDS = 4_096
MERSENNE_PRIME_61 = (1 << 61) - 1
DEFAULTS_BY_UNIT = {"words": (4, 8), "letters": (20, 40)}


@register
class Winnowing(Algorithm):
    """Hashes of all k-grams; the least of every window of t - k + 1 neighbours is a fingerprint.

    Two texts with a common run of t units (``guarantee``) have at least one equal fingerprint. No run shorter
    than k (``size``) makes one equal. About 2 / (t - k + 2) of all k-grams are fingerprints.

    Source: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting" (2003),
    known as MOSS. Its robust winnowing differs in which of several equal hashes of a window is taken.
    Fingerprints here are hashes, not positions, so both choose the same. The paper counts letters, without
    spaces and marks. ``unit`` is "words" (lemmas; k = 4, t = 8, our choice for posts) or "letters" (words as
    written; k = 20, t = 40).

    The score is the resemblance J = |A∩B| / |A∪B| of the sets of fingerprints. ``duplicate`` is from .5 on,
    about what remains of 4-grams after a tenth of the words changes. A text is ``contained`` if its share of
    common fingerprints is at least 2J / (1 + J) = .67, the share in two texts of equal size and of that
    resemblance. A share of ``review`` (.25) is related. The thresholds are ours: the paper states no
    thresholds.

    Texts of more than about 1,500 words (5,600 letters) have keys from a window twice as large, or more, so
    that they have at most about 500. Their guarantee grows with it. All fingerprints are compared.

    Fails: a change in every fourth word. Boilerplate and set phrases are found as copies are. Texts of fewer
    than k units have no fingerprints.
    """

    name: ClassVar[str] = "winnowing"
    options: ClassVar[tuple[str, ...]] = ("unit", "size", "guarantee")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25
    needs_text: bool = True
    supports_containment: bool = True

    def __init__(
        self,
        *,
        unit: str = "words",
        size: int | None = None,
        guarantee: int | None = None,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if unit not in DEFAULTS_BY_UNIT:
            raise ValueError(f"unit is {unit!r}: it is one of {', '.join(DEFAULTS_BY_UNIT)}")
        usual_size, usual_guarantee = DEFAULTS_BY_UNIT[unit]
        self.unit = unit
        self.size = usual_size if size is None else size
        self.guarantee = max(usual_guarantee, self.size) if guarantee is None else guarantee
        if self.size < 1:
            raise ValueError(f"size is {self.size}: a gram has at least one of the {unit}")
        if self.guarantee < self.size:
            raise ValueError(f"guarantee is {self.guarantee}: it is at least size, {self.size}")

    @property
    def window(self) -> int:
        """Return the number of neighbouring grams from which one is chosen."""
        return self.guarantee - self.size + 1

    def grams(self, text: CanonicalText) -> list[int]:
        """Return keyed 64-bit hashes of all grams, in order."""
        if self.unit == "words":
            return gram_hashes(text.hashes, self.size)
        return rolling_hashes(join_letters(text), self.size, text.secret)

    def chosen_hashes(self, text: CanonicalText) -> set[int]:
        """Return the fingerprints of a text."""
        return choose_hashes(self.grams(text), self.window)

    def keys(self, text: CanonicalText) -> list[int]:
        grams = self.grams(text)
        window = self.window
        while 2 * len(grams) > MAX_KEYS * (window + 1):
            window *= 2
        return sorted(choose_hashes(grams, window))

    def payload(self, text: CanonicalText) -> bytes:
        """Return the fingerprints, 4 bytes each, at most 16 KiB: a sample for more than 4096."""
        # Winnowing chooses small hashes. A bag needs uniform ones, because it keeps those below a limit.
        return pack_bag(mix(value) for value in self.chosen_hashes(text))

    def measure(self, a: bytes, b: bytes) -> float:
        """Return the resemblance of the sets of fingerprints."""
        return resemblance_of(a, b)

    def screen(self, a: bytes, b: bytes) -> float:
        """Return how much of the smaller set is in the other one."""
        return containment_of(a, b)

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Return whether a candidate is worth judging, by the screening score.

        Of a very long text there is only a sample, which may miss a small text. There some shared keys are
        enough.
        """
        has_enough_keys = (
            max(word_count_a, word_count_b) > MAX_UNSAMPLED_WORDS and shared_keys >= ENOUGH_SHARED_KEYS
        )
        return shared_keys > 0 and (screening_score >= self.review or has_enough_keys)

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        hashes_a, hashes_b = self.chosen_hashes(a), self.chosen_hashes(b)
        if not hashes_a or not hashes_b:
            return Judgement("none", 0.0)
        common = len(hashes_a & hashes_b)
        score = common / (len(hashes_a) + len(hashes_b) - common)
        return self.judge_by_shares(score, common / len(hashes_a), common / len(hashes_b))

    def judge_by_shares(self, score: float, share_a: float, share_b: float) -> Judgement:
        """Return the verdict by the resemblance and by the share of each text that the other one holds."""
        larger_share = max(share_a, share_b)
        verdict = "related" if larger_share >= self.review else "none"
        if larger_share >= 2 * self.duplicate / (1 + self.duplicate):
            verdict = "contained"
        if score >= self.duplicate:
            verdict = "duplicate"
        return Judgement(verdict, score, share_a, share_b)


def choose_hashes(grams: list[int], window: int) -> set[int]:
    """Return the least hash of every ``window`` neighbours. If there are fewer, return the least of all."""
    return {grams[position] for position in winnow(grams, window)}


def rolling_hashes(text: str, size: int, secret: bytes = b"") -> list[int]:
    """Return unsigned 64-bit hashes of the runs of ``size`` characters, in order. Return [] for a shorter
    text.

    A hash is a polynomial of the characters' codes modulo 2^61 - 1, mixed at the end. As the next character
    comes in, the first one is subtracted (Karp, Rabin, "Efficient randomized pattern-matching algorithms",
    1987). The secret chooses the base and the mixing.
    """
    base = hash_word("base of the rolling hash", secret) % (MERSENNE_PRIME_61 - 256) + 256
    leaving_factor = pow(base, size, MERSENNE_PRIME_61)
    codes = [ord(char) for char in text]
    value = 0
    hashes = []
    for position, code in enumerate(codes):
        value = (value * base + code) % MERSENNE_PRIME_61
        if position >= size:
            value = (value - codes[position - size] * leaving_factor) % MERSENNE_PRIME_61
        if position >= size - 1:
            hashes.append(mix(value, seed=base))
    return hashes

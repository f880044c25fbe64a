"""The base class of algorithms that find by winnowed runs of words and screen by the share of common runs."""

from __future__ import annotations

from ...text.canonical_text import CanonicalText
from ..bag_of_words import pack_bag
from ..base import Algorithm
from ..key_sampling import containment_of, winnowed_keys
from ..minhash.minwise import gram_hashes


class WinnowedShingleAlgorithm(Algorithm):
    """An algorithm with winnowed runs of words as keys.

    ``size`` is the number of words a run. Of ``window`` neighbouring runs one is a key.
    """

    size: int
    window: int

    def keys(self, text: CanonicalText) -> list[int]:
        return winnowed_keys(gram_hashes(text.hashes, self.size), self.window)

    def payload(self, text: CanonicalText) -> bytes:
        """Return the set of runs, 4 bytes each, at most 16 KiB."""
        return pack_bag(set(gram_hashes(text.hashes, self.size)))

    def measure(self, a: bytes, b: bytes) -> float:
        """Return the share of the smaller text's runs that the other text has, at any position."""
        return containment_of(a, b)

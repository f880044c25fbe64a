"""The base class of algorithms that keep a min-wise sketch.

The bands of the sketch are the keys, and the share of equal slots is the score.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...text.canonical_text import CanonicalText
from ..base import Algorithm
from .minwise import band_hashes, equal_share, pack_sketch, unpack_sketch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SketchAlgorithm(Algorithm):
    """An algorithm that keeps a sketch of each text. ``rows`` is the number of slots in a band.

    A sketch is made once a text, because it is the expensive part.
    """

    rows: int

    def __init__(self, **common_options: Any) -> None:
        super().__init__(**common_options)
        self._sketch_cache: WeakKeyDictionary[CanonicalText, list[int]] = WeakKeyDictionary()

    @abstractmethod
    def sketch(self, text: CanonicalText) -> list[int]:
        """Return the least value of each function, band after band. Return [] without shingles."""

    def keys(self, text: CanonicalText) -> list[int]:
        return sorted(set(band_hashes(self._cached_sketch(text), self.rows)))

    def payload(self, text: CanonicalText) -> bytes:
        """Return 4 bytes a slot."""
        return pack_sketch(self._cached_sketch(text))

    def measure(self, a: bytes, b: bytes) -> float:
        """Return the share of equal slots. 1 minus it is a metric, like the Hamming distance."""
        return equal_share(unpack_sketch(a), unpack_sketch(b))

    def measure_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        from ..kernels.sketches import equal_shares

        return equal_shares(payloads_a, payloads_b)

    def screen_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        return self.measure_pairs(payloads_a, payloads_b)

    def _cached_sketch(self, text: CanonicalText) -> list[int]:
        sketch = self._sketch_cache.get(text)
        if sketch is None:
            sketch = self._sketch_cache[text] = self.sketch(text)
        return sketch

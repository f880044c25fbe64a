"""Algorithms that keep of a text a min-wise sketch: bands of it are keys, the share of equal slots is the score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..text.document import Document
from .base import Algorithm
from .minwise import equal_share, grouped, pack_sketch, unpack_sketch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sketched(Algorithm):
    """`rows`: slots of a band.  The sketch is made once a document: it is what costs."""

    rows: int

    def __init__(self, **common: Any) -> None:
        super().__init__(**common)
        self._sketches: WeakKeyDictionary[Document, list[int]] = WeakKeyDictionary()

    @abstractmethod
    def sketch(self, document: Document) -> list[int]:
        """The least value of each function, band after band; [] for a text without a shingle."""

    def keys(self, document: Document) -> list[int]:
        return sorted(set(grouped(self._sketch(document), self.rows)))

    def pack(self, document: Document) -> bytes:
        """4 bytes a slot."""
        return pack_sketch(self._sketch(document))

    def measure(self, a: bytes, b: bytes) -> float:
        """Share of equal slots: 1 minus it is a metric, as the Hamming distance is."""
        return equal_share(unpack_sketch(a), unpack_sketch(b))

    def measure_pairs(self, packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
        from .sketch_batch import equal_shares

        return equal_shares(packs_a, packs_b)

    def screen_pairs(self, packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
        return self.measure_pairs(packs_a, packs_b)

    def _sketch(self, document: Document) -> list[int]:
        found = self._sketches.get(document)
        if found is None:
            found = self._sketches[document] = self.sketch(document)
        return found

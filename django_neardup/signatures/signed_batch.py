"""Keys and payloads of many texts, in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Signatures:
    """What an algorithm keeps of the texts of a batch, in their order.

    `keys`: uint64, of all texts one after another, distinct and ascending inside a text; `offsets`: int64[n + 1], the
    keys of text i are `keys[offsets[i]:offsets[i + 1]]`; `packs`: the payload of each text.
    """

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    packs: list[bytes]

    @classmethod
    def gathered(cls, keys: Iterable[Iterable[int]], packs: Sequence[bytes]) -> Signatures:
        """Of the keys (in any order) and the payload of each text."""
        runs = [sorted(set(run)) for run in keys]
        offsets = np.zeros(len(runs) + 1, np.int64)
        np.cumsum([len(run) for run in runs], out=offsets[1:])
        flat = np.array([key for run in runs for key in run], np.uint64)
        return cls(flat, offsets, list(packs))

    def __len__(self) -> int:
        return len(self.packs)

    def keys_of(self, text: int) -> NDArray[np.uint64]:
        """The keys of the text of that number, ascending."""
        return self.keys[self.offsets[text] : self.offsets[text + 1]]

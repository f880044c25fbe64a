"""Keys and payloads of many texts, in arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .ragged import Flags, Hashes, Integers, offsets_of

TOKENS_PER_PART = 32_768


class TokenArrays(Protocol):
    """The attributes of a batch that signing reads (see ``text.batch.Batch``)."""

    @property
    def hashes(self) -> Hashes: ...
    @property
    def offsets(self) -> Integers: ...
    @property
    def lengths(self) -> Integers: ...
    @property
    def stop(self) -> Flags: ...
    @property
    def content(self) -> Flags: ...
    @property
    def exacts(self) -> Sequence[bytes]: ...
    def __len__(self) -> int: ...


class BatchPart:
    """Adjacent texts of a batch: from ``first`` to before ``last``."""

    def __init__(self, batch: TokenArrays, first: int, last: int) -> None:
        self._batch, self._text_slice = batch, slice(first, last)
        start, end = batch.offsets[first], batch.offsets[last]
        self._token_slice = slice(start, end)
        self.offsets: Integers = batch.offsets[first : last + 1] - start
        self.hashes, self.lengths = batch.hashes[self._token_slice], batch.lengths[self._text_slice]

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def stop(self) -> Flags:
        return self._batch.stop[self._token_slice]

    @property
    def content(self) -> Flags:
        return self._batch.content[self._token_slice]

    @property
    def exacts(self) -> Sequence[bytes]:
        return self._batch.exacts[self._text_slice]


def split_batch(batch: TokenArrays) -> list[TokenArrays]:
    """Split a batch into parts so small that their arrays stay in the processor's cache."""
    offsets = batch.offsets
    if len(offsets) < 3 or offsets[-1] <= TOKENS_PER_PART:
        return [batch]
    numbers = np.arange(TOKENS_PER_PART, offsets[-1], TOKENS_PER_PART)
    cuts = [0, *dict.fromkeys(np.searchsorted(offsets, numbers).tolist()), len(offsets) - 1]
    return [BatchPart(batch, first, last) for first, last in pairwise(cuts) if first < last]


@dataclass(frozen=True, slots=True)
class Signatures:
    """Keys and payloads that an algorithm stores of the texts of a batch, in their order.

    - ``keys``: uint64, of all texts one after another, distinct and ascending inside a text.
    - ``offsets``: int64[n + 1]. The keys of text i are ``keys[offsets[i]:offsets[i + 1]]``.
    - ``payloads``: the payload of each text.
    """

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    payloads: list[bytes]

    @classmethod
    def from_texts(cls, keys: Iterable[Iterable[int]], payloads: Sequence[bytes]) -> Signatures:
        """Create from the keys, in any order, and the payload of each text."""
        runs = [sorted(set(run)) for run in keys]
        offsets = np.zeros(len(runs) + 1, np.int64)
        np.cumsum([len(run) for run in runs], out=offsets[1:])
        flat = np.array([key for run in runs for key in run], np.uint64)
        return cls(flat, offsets, list(payloads))

    @classmethod
    def sign_in_parts(cls, batch: TokenArrays, sign_part: Callable[[TokenArrays], Signatures]) -> Signatures:
        """Sign a batch part by part."""
        parts = [sign_part(part) for part in split_batch(batch)]
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.keys for part in parts]),
            offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
            [payload for part in parts for payload in part.payloads],
        )

    def __len__(self) -> int:
        return len(self.payloads)

    def keys_of(self, text_number: int) -> NDArray[np.uint64]:
        """Return the keys of the text of that number, ascending."""
        return self.keys[self.offsets[text_number] : self.offsets[text_number + 1]]

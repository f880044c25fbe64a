"""Signatures of a run laid aside in temporary files: of the run itself only its keys come to be in memory together."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...adapters import Adapter
from ...models import Scheme
from ..records import Signed

KEPT = (
    "document", "wanted", "fresh", "space", "digest", "exact_digest", "words", "payload", "space_digest", "codes",
    "contacts", "unread", "identity", "author", "live", "truncated",
)  # fmt: skip


Numbers = NDArray[np.int64]


class Spool:
    """Batches of signatures of one model and scheme, written once and read in the order written; without texts.

    ``bytes``: what it holds by now."""

    def __init__(self, adapter: Adapter, scheme: Scheme) -> None:
        self.adapter, self.scheme = adapter, scheme
        self._file, self._keys = _temporary(), _temporary()
        self._documents = array("q")
        self._counts: list[int] = []

    def close(self) -> None:
        """Remove the files."""
        self._file.close()
        self._keys.close()

    @property
    def bytes(self) -> int:
        return self._file.tell()

    def add(self, batch: Sequence[Signed]) -> None:
        """Lay a batch aside."""
        if not batch:
            return
        rows = [[getattr(each, name) for name in KEPT] for each in batch]
        keys = _joined([each.keys for each in batch])
        sure = _joined([each.sure_keys for each in batch])
        counts = [[len(each.keys), len(each.sure_keys)] for each in batch]
        pickle.dump((rows, keys, sure, counts), self._file, protocol=pickle.HIGHEST_PROTOCOL)
        keys.tofile(self._keys)
        self._documents.extend(each.document for each in batch)
        self._counts += (own for own, _ in counts)

    @property
    def documents(self) -> Numbers:
        """The documents, in the order they were added."""
        return np.array(self._documents, np.int64)

    def slices(self, size: int) -> Iterator[tuple[Numbers, Numbers]]:
        """All keys, ascending, and whose each is, in the order they were added: about so many at once, equal ones
        together.

        As keys are hashes, equal parts of their range hold about as many; to sort all at once would take four times
        their memory."""
        self._keys.seek(0)
        keys = np.fromfile(self._keys, np.int64)
        if len(keys) != sum(self._counts):
            raise OSError("A temporary file was not written whole: is the disk full?")
        documents, ends = self.documents, np.cumsum(self._counts)
        for first, last in _parts(len(keys) // size + 1):
            chosen = np.flatnonzero((keys >= first) & (keys <= last))
            chosen = chosen[np.argsort(keys[chosen], kind="stable")]
            yield keys[chosen], documents[np.searchsorted(ends, chosen, side="right")]

    def batches(self) -> Iterator[list[Signed]]:
        """All that was laid aside, batch by batch."""
        end = self._file.seek(0, 2)
        place = self._file.seek(0)
        while place < end:
            yield self._batch(*pickle.load(self._file))
            place = self._file.tell()

    def _batch(
        self, rows: list[list[Any]], keys: Numbers, sure: Numbers, counts: list[list[int]]
    ) -> list[Signed]:
        ends = np.cumsum(counts, axis=0)[:-1] if counts else np.zeros((0, 2), np.int64)
        own, alone = np.split(keys, ends[:, 0]), np.split(sure, ends[:, 1])
        return [
            Signed(
                adapter=self.adapter, scheme=self.scheme, keys=own[place], sure_keys=alone[place],
                **dict(zip(KEPT, row)),
            )
            for place, row in enumerate(rows)
        ]  # fmt: skip


def _temporary() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="neardup-")


def _parts(number: int) -> Iterator[tuple[int, int]]:
    """The first and last of each of so many equal parts of all signed 64-bit numbers."""
    edges = [(each << 64) // number - 2**63 for each in range(number + 1)]
    return ((first, end - 1) for first, end in pairwise(edges))


def _joined(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

"""Signatures of a run laid aside in a temporary file: what is in memory does not grow with the run."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...adapters import Adapter
from ...models import Scheme
from ..records import Signed

KEPT = (
    "document", "wanted", "fresh", "space", "digest", "exact_digest", "words", "payload", "space_digest", "codes",
    "contacts", "identity", "author", "live", "truncated",
)  # fmt: skip


Numbers = NDArray[np.int64]


class Spool:
    """Batches of signatures of one model and scheme, written once and read in the order written; without texts.

    ``bytes``: what it holds by now."""

    def __init__(self, adapter: Adapter, scheme: Scheme) -> None:
        self.adapter, self.scheme = adapter, scheme
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="neardup-")  # noqa: SIM115
        self._keys: list[Numbers] = []
        self._documents: list[int] = []
        self._counts: list[int] = []

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

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
        self._keys.append(keys)
        self._documents += (each.document for each in batch)
        self._counts += (own for own, _ in counts)

    def keys(self) -> tuple[Numbers, Numbers, Numbers]:
        """All keys, ascending, and whose each is, in the order they were added; then the documents (int64 all).

        They are given away, so ask once."""
        documents = np.array(self._documents, np.int64)
        keys, self._keys = _joined(self._keys), []
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        owners = np.repeat(documents, self._counts)[order]
        return keys, owners, documents

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


def _joined(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

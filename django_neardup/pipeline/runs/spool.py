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


class Spool:
    """Batches of signatures of one model and scheme, written once and read in the order written; without texts.

    ``bytes``: what it holds by now."""

    def __init__(self, adapter: Adapter, scheme: Scheme) -> None:
        self.adapter, self.scheme = adapter, scheme
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="neardup-")  # noqa: SIM115
        self._keys: list[NDArray[np.int64]] = []
        self._owners: list[NDArray[np.int64]] = []

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
        self._owners.append(
            np.repeat(np.array([each.document for each in batch], np.int64), [own for own, _ in counts])
        )

    def keys(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All keys and whose each is, int64[n] both; they are given away, so ask once."""
        keys, owners = _joined(self._keys), _joined(self._owners)
        self._keys, self._owners = [], []
        return keys, owners

    def batches(self) -> Iterator[list[Signed]]:
        """All that was laid aside, batch by batch."""
        end = self._file.seek(0, 2)
        place = self._file.seek(0)
        while place < end:
            yield self._batch(*pickle.load(self._file))
            place = self._file.tell()

    def _batch(
        self, rows: list[list[Any]], keys: NDArray[np.int64], sure: NDArray[np.int64], counts: list[list[int]]
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


def _joined(arrays: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

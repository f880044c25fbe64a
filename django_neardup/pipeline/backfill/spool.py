"""Signatures of a run in temporary files. Of a run, only its keys are in memory all at once."""

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
from ..stage_types import SignedDocument

STORED_FIELDS = (
    "document_id", "requested_version", "is_new", "space_id", "source_digest", "exact_digest", "word_count", "payload",
    "space_digest", "codes", "contacts", "assumed_no_phrases", "identity", "author", "is_live", "is_truncated",
)  # fmt: skip


Numbers = NDArray[np.int64]


class Spool:
    """Batches of signatures of one model and scheme, without texts.

    They are written once and read in the same order.
    """

    def __init__(self, adapter: Adapter, scheme: Scheme) -> None:
        self.adapter, self.scheme = adapter, scheme
        self._file, self._keys_file = _open_temporary_file(), _open_temporary_file()
        self._document_ids = array("q")
        self._key_counts: list[int] = []

    def close(self) -> None:
        """Remove the files."""
        self._file.close()
        self._keys_file.close()

    @property
    def size_in_bytes(self) -> int:
        """Size of the stored batches."""
        return self._file.tell()

    def add(self, batch: Sequence[SignedDocument]) -> None:
        """Store a batch."""
        if not batch:
            return
        rows = [[getattr(signed_document, name) for name in STORED_FIELDS] for signed_document in batch]
        keys = _concatenate([signed_document.keys for signed_document in batch])
        sure_keys = _concatenate([signed_document.sure_keys for signed_document in batch])
        counts = [[len(signed_document.keys), len(signed_document.sure_keys)] for signed_document in batch]
        pickle.dump((rows, keys, sure_keys, counts), self._file, protocol=pickle.HIGHEST_PROTOCOL)
        keys.tofile(self._keys_file)
        self._document_ids.extend(signed_document.document_id for signed_document in batch)
        self._key_counts += (key_count for key_count, _ in counts)

    @property
    def documents(self) -> Numbers:
        """The documents in the order in which they were added."""
        return np.array(self._document_ids, np.int64)

    def key_slices(self, size: int) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield all keys ascending, with the document of each, in slices of about ``size`` keys.

        Equal keys are in one slice, in the order in which they were added. Raise ``OSError`` if a file was
        not written completely.
        """
        self._keys_file.seek(0)
        keys = np.fromfile(self._keys_file, np.int64)
        if len(keys) != sum(self._key_counts):
            raise OSError("A temporary file was not written whole: is the disk full?")
        documents, ends = self.documents, np.cumsum(self._key_counts)
        # Keys are hashes, so equal parts of their range hold about equally many. Sorting all at once takes
        # four times their memory.
        for first, last in _key_ranges(len(keys) // size + 1):
            slice_indexes = np.flatnonzero((keys >= first) & (keys <= last))
            slice_indexes = slice_indexes[np.argsort(keys[slice_indexes], kind="stable")]
            yield keys[slice_indexes], documents[np.searchsorted(ends, slice_indexes, side="right")]

    def batches(self) -> Iterator[list[SignedDocument]]:
        """Yield the stored batches."""
        end = self._file.seek(0, 2)
        position = self._file.seek(0)
        while position < end:
            yield self._build_batch(*pickle.load(self._file))
            position = self._file.tell()

    def _build_batch(
        self, rows: list[list[Any]], keys: Numbers, sure_keys: Numbers, counts: list[list[int]]
    ) -> list[SignedDocument]:
        ends = np.cumsum(counts, axis=0)[:-1] if counts else np.zeros((0, 2), np.int64)
        key_arrays, sure_key_arrays = np.split(keys, ends[:, 0]), np.split(sure_keys, ends[:, 1])
        return [
            SignedDocument(
                adapter=self.adapter, scheme=self.scheme, keys=key_arrays[index], sure_keys=sure_key_arrays[index],
                **dict(zip(STORED_FIELDS, row)),
            )
            for index, row in enumerate(rows)
        ]  # fmt: skip


def _open_temporary_file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="neardup-")


def _key_ranges(number: int) -> Iterator[tuple[int, int]]:
    """Yield first and last number of each of ``number`` equal parts of the signed 64-bit range."""
    edges = [(index << 64) // number - 2**63 for index in range(number + 1)]
    return ((first, end - 1) for first, end in pairwise(edges))


def _concatenate(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

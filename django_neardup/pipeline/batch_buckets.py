"""Full buckets of a batch, read as if its documents were processed one after another, in their order.

The keys of a batch are stored all at once. If every document saw all of them, a batch of copies would fill its own
buckets, and no earlier copy would be found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..comparison.bucket_matches import BucketLimit
from ..comparison.compared_texts import SignedText
from ..comparison.packed_keys import both_buckets
from ..index import keys as storage
from ..index.key_arrays import outer_rows
from .text_candidates import BucketReader

Numbers = NDArray[np.int64]


def read_one_after_another(
    signed: Sequence[SignedText], keys: Numbers, limit: BucketLimit, read: BucketReader
) -> tuple[Numbers, Numbers]:
    """Return positions in ``keys``, ascending, and next to each one of the documents within the limit with that key.

    ``keys``: int64[n], the keys of the documents one after another. Both buckets of each are read. In a full bucket,
    other documents take the places of the documents of the batch that come after the owner of the key. ``read`` reads
    buckets.
    """
    batch, buckets = _BatchOrder(signed), both_buckets(keys)
    positions, documents = read(buckets, limit)
    is_seen = batch.is_seen(positions // 2, documents)
    # A bucket that is not full has been read whole.
    incomplete = np.intersect1d(storage.full_buckets(positions, limit), positions[~is_seen])
    if not len(incomplete):
        return positions // 2, documents
    deeper_indexes, deeper_documents = read(buckets[incomplete], limit.widened(len(signed)))
    deeper_positions = incomplete[deeper_indexes]
    is_deeper_seen = batch.is_seen(deeper_positions // 2, deeper_documents)
    read_again = outer_rows(deeper_positions[is_deeper_seen], deeper_documents[is_deeper_seen], *limit)
    is_kept = ~np.isin(positions, incomplete)
    all_positions, all_documents = (
        np.concatenate([column[is_kept], more]) for column, more in zip((positions, documents), read_again)
    )
    order = np.argsort(all_positions, kind="stable")
    return all_positions[order] // 2, all_documents[order]


class _BatchOrder:
    """The order of the documents of a batch."""

    def __init__(self, signed: Sequence[SignedText]) -> None:
        documents = np.array([text.document_id for text in signed], np.int64)
        self._order = np.argsort(documents)
        self._sorted = documents[self._order]
        self._owners = np.repeat(np.arange(len(signed)), [len(text.keys) for text in signed])

    def is_seen(self, positions: Numbers, documents: Numbers) -> NDArray[np.bool_]:
        """Return which documents are not of the batch, or do not come after the owner of the key."""
        indexes = np.minimum(np.searchsorted(self._sorted, documents), len(self._sorted) - 1)
        places = np.where(self._sorted[indexes] == documents, self._order[indexes], -1)
        seen: NDArray[np.bool_] = places <= self._owners[positions]
        return seen

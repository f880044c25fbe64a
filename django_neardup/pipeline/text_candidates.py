"""Candidates of a profile whose CANDIDATES are a search of words: what its keys add to the search.

A search may not return posts with changes that were not sent yet. They are read by their keys in the database. Keys of
exact copies and of equal identity are always read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..comparison.bucket_matches import BucketLimit
from ..comparison.compared_texts import SignedText
from ..comparison.packed_keys import LIVE_BIT
from ..index import keys as storage

Numbers = NDArray[np.int64]
BucketReader = Callable[[Numbers, BucketLimit], tuple[Numbers, Numbers]]
"""Reads buckets: ascending positions in the given keys, and documents."""


def sure_or_unsent(read: BucketReader, signed: Sequence[SignedText], using: str) -> BucketReader:
    """Return a reader that reads sure keys by ``read``, and of other keys only the documents with unsent changes."""
    sure_keys = np.concatenate([text.sure_keys for text in signed])

    def read_some(buckets: Numbers, limit: BucketLimit) -> tuple[Numbers, Numbers]:
        is_sure = np.isin(buckets & ~LIVE_BIT, sure_keys)
        readers = ((read, is_sure), (partial(storage.read_unsent_buckets, using), ~is_sure))
        positions, documents = [], []
        for reader, is_asked in readers:
            asked = np.flatnonzero(is_asked)
            indexes, owners = reader(buckets[asked], limit)
            positions.append(asked[indexes])
            documents.append(owners)
        all_positions = np.concatenate(positions)
        order = np.argsort(all_positions, kind="stable")
        return all_positions[order], np.concatenate(documents)[order]

    return read_some

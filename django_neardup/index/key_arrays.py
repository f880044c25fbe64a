"""Numpy operations on many keys: sorted runs, and results of distinct keys spread over the requested keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.int64]


def sort_pairs(keys: ArrayLike, documents: ArrayLike) -> tuple[Numbers, Numbers]:
    """Return the pairs sorted by key and document, as signed numbers.

    Raise ``ValueError`` if the lengths differ.
    """
    sorted_keys, owner_ids = (np.asarray(values, np.int64) for values in (keys, documents))
    if sorted_keys.shape != owner_ids.shape or sorted_keys.ndim != 1:
        raise ValueError(f"{sorted_keys.shape} keys for {owner_ids.shape} documents")
    order = np.lexsort((owner_ids, sorted_keys))
    return sorted_keys[order], owner_ids[order]


def distinct_keys(keys: ArrayLike) -> tuple[Numbers, Numbers | None]:
    """Return the distinct keys, and the index of each given key among them.

    The indexes are None if the given keys are returned as they are.
    """
    requested = np.asarray(keys, np.int64)
    descents = np.count_nonzero(requested[1:] <= requested[:-1])
    # Ascending as signed or as unsigned numbers: the keys of one document are sorted and distinct already.
    if not descents or (descents == 1 and requested[-1] < requested[0]):
        return requested, None
    return np.unique(requested, return_inverse=True)


def empty_result() -> tuple[Numbers, Numbers]:
    """Return two empty columns."""
    return np.empty(0, np.int64), np.empty(0, np.int64)


def expand_duplicates(
    key_positions: Numbers, documents: Numbers, indexes: Numbers | None
) -> tuple[Numbers, Numbers]:
    """Expand results of distinct keys to all requested keys.

    The first returned array ascends. ``indexes`` is the second result of ``distinct_keys``.
    """
    order = key_positions.argsort(kind="stable")
    documents = documents[order]
    if indexes is None:
        return key_positions[order], documents
    bucket_sizes = np.bincount(key_positions, minlength=int(indexes.max(initial=-1)) + 1)
    counts = bucket_sizes[indexes]
    ends = np.cumsum(counts)
    begins = (np.cumsum(bucket_sizes) - bucket_sizes)[indexes]
    order = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - ends + counts, counts)
    return np.repeat(np.arange(len(indexes)), counts), documents[order]


def full_buckets(key_positions: Numbers, size: int) -> Numbers:
    """Return the positions of keys with at least ``size`` documents: the bucket may hold more of them."""
    return np.flatnonzero(np.bincount(key_positions) >= size)


def outer_rows(
    key_positions: Numbers, documents: Numbers, oldest: int, newest: int
) -> tuple[Numbers, Numbers]:
    """Return of each position the ``oldest`` documents with the lowest ids and the ``newest`` with the highest.

    Rows may be repeated, in any order. The result is sorted, and each row is there once.
    """
    order = np.lexsort((documents, key_positions))
    key_positions, documents = key_positions[order], documents[order]
    is_new = np.ones(len(documents), np.bool_)
    is_new[1:] = (key_positions[1:] != key_positions[:-1]) | (documents[1:] != documents[:-1])
    key_positions, documents = key_positions[is_new], documents[is_new]
    ranks = np.arange(len(documents))
    is_oldest = ranks - np.searchsorted(key_positions, key_positions) < oldest
    is_newest = np.searchsorted(key_positions, key_positions, side="right") - ranks <= newest
    is_kept = is_oldest | is_newest
    return key_positions[is_kept], documents[is_kept]

"""Read and change the key index. Every function of a database goes through the index that INDEX names.

Keys are signed 64-bit numbers. Functions for many documents take and return numpy arrays. Only workers call
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from .base import TextSearch
from .index_class import get_index

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..comparison.bucket_matches import BucketLimit
    from ..db.backends.key_table import Numbers


def replace_keys(using: str, document: int, old: Iterable[int], new: Iterable[int]) -> None:
    """Replace the keys ``old`` of the document by ``new``."""
    old_keys, new_keys = set(old), set(new)
    if old_keys != new_keys:
        get_index(using).change(document, sorted(old_keys - new_keys), sorted(new_keys - old_keys))


def add_run(using: str, keys: ArrayLike, documents: ArrayLike, *, assume_new: bool = False) -> None:
    """Add pairs of a key and its document in key order, in one transaction.

    Existing pairs stay.

    Both arrays are int64[n], in any order. Raise ``ValueError`` if the lengths differ. Set ``assume_new`` if
    the caller expects that no pair exists. PostgreSQL then writes twice as fast, but slower if a pair does
    exist.
    """
    from .key_arrays import sort_pairs

    sorted_keys, owner_ids = sort_pairs(keys, documents)
    if len(sorted_keys):
        get_index(using).add_run(sorted_keys, owner_ids, assume_new)


def remove_run(using: str, keys: ArrayLike, documents: ArrayLike) -> None:
    """Remove pairs of a key and its document in one transaction. Both arrays are int64[n], in any order."""
    from .key_arrays import sort_pairs

    sorted_keys, owner_ids = sort_pairs(keys, documents)
    if len(sorted_keys):
        get_index(using).remove_run(sorted_keys, owner_ids)


def read_buckets(using: str, keys: ArrayLike, limit: BucketLimit) -> tuple[Numbers, Numbers]:
    """Return the documents in the buckets of the keys, in few round trips.

    ``keys`` is int64[n]: the keys of many documents, one document after another. The result is two arrays
    int64[m]: ascending positions in ``keys``, and documents. Of each bucket the documents within the limit are
    returned, in no order. A repeated key is looked up once.
    """
    from .key_arrays import distinct_keys, empty_result, expand_duplicates

    distinct, indexes = distinct_keys(keys)
    return (
        expand_duplicates(*get_index(using).read_buckets(distinct.tolist(), *limit), indexes)
        if len(distinct)
        else empty_result()
    )


def read_buckets_for_page(using: str, keys: ArrayLike, limit: BucketLimit) -> tuple[Numbers, Numbers, bool]:
    """Return the same for a page, and whether it is complete."""
    from .key_arrays import distinct_keys, empty_result, expand_duplicates

    distinct, indexes = distinct_keys(keys)
    if not len(distinct):
        return *empty_result(), True
    rows, is_complete = get_index(using).read_buckets_for_page(distinct.tolist(), *limit)
    return *expand_duplicates(*rows, indexes), is_complete


def read_unsent_buckets(using: str, keys: ArrayLike, limit: BucketLimit) -> tuple[Numbers, Numbers]:
    """Return the same as ``read_buckets`` of documents with changes that were not sent yet."""
    from .key_arrays import distinct_keys, empty_result, expand_duplicates

    distinct, indexes = distinct_keys(keys)
    return (
        expand_duplicates(*get_index(using).read_unsent_buckets(distinct.tolist(), *limit), indexes)
        if len(distinct)
        else empty_result()
    )


def search_texts(using: str, searches: Sequence[TextSearch]) -> list[list[int]]:
    """Return for each search the documents with the most similar words, best first."""
    return get_index(using).search_texts(searches)[0]


def search_texts_for_page(using: str, searches: Sequence[TextSearch]) -> tuple[list[list[int]], bool]:
    """Return the same for a page, and whether all documents were searched."""
    return get_index(using).search_texts(searches, is_page=True)


def full_buckets(key_positions: Numbers, limit: BucketLimit) -> Numbers:
    """Return the positions of full buckets in a result of ``read_buckets`` with that limit.

    Documents of these buckets may be missing in the result.
    """
    from . import key_arrays

    return key_arrays.full_buckets(key_positions, limit.size)


def frequent_keys(using: str, min_documents: int, limit: int) -> Sequence[int]:
    """Return the keys that at least so many documents have, the most frequent ``limit`` of them first.

    Raise ``NotImplementedError`` if the index that INDEX names does not count.
    """
    return get_index(using).frequent_keys(min_documents, limit)


def loading(using: str) -> AbstractContextManager[None]:
    """Return a context in which this process fills the index for the first time."""
    return get_index(using).loading()


def posts_per_load(using: str) -> int:
    """Return how many posts a first index should store together."""
    return get_index(using).posts_per_load


def ship(using: str) -> int:
    """Send recorded changes to an index outside the database, if a batch is due. Return the number of documents.

    Call it outside a transaction.
    """
    return get_index(using).ship()


def ship_all(using: str) -> int:
    """Send all recorded changes. Return the number of documents. Stop if another process is sending."""
    index, sent = get_index(using), 0
    while index.waiting_changes().changes and (number := index.ship(is_forced=True)):
        sent += number
    return sent


def purge(using: str) -> int:
    """Forget what the index keeps of documents that lost all keys long ago. Return their number."""
    return get_index(using).purge()


def compact(using: str) -> None:
    """Pack the index after a first run, without blocking other connections.

    Call it outside a transaction.
    """
    get_index(using).compact()

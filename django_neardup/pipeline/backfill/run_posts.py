"""The posts that the posts of a run are compared with. Buckets are read past documents of no use for the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...comparison.compared_texts import SignedText
from ...conf import Profile
from ...db.chunks import chunked
from ...db.queries import fingerprints as fingerprint_queries
from ...index import keys as storage
from ...models import Scheme
from ..stored_posts import StoredPosts

Numbers = NDArray[np.int64]
DocumentFilter = Callable[[Numbers], NDArray[np.bool_]]

NO_DOCUMENTS = np.empty(0, np.int64)
DEPTH_FACTOR = 4
"""Factor by which a bucket is read deeper if it gave too few accepted documents."""

DOCUMENTS_PER_STATEMENT = 250_000
"""Approximate number of documents that one statement reads. It reads at least one key."""


def newest_in_buckets(
    using: str,
    keys: Numbers,
    cap: int,
    accepts: DocumentFilter,
    keep_alive: Callable[[], None] = lambda: None,
) -> list[Numbers]:
    """Return for each key the newest ``cap`` documents that ``accepts`` accepts, newest first.

    ``keep_alive`` is called after each statement.
    """
    newest_by_key, open_indexes, depth = (
        [NO_DOCUMENTS] * len(keys),
        list(range(len(keys))),
        DEPTH_FACTOR * cap,
    )
    while open_indexes:
        short_indexes: list[int] = []
        for portion in chunked(open_indexes, max(1, DOCUMENTS_PER_STATEMENT // depth)):
            short_indexes += _fill_from_buckets(newest_by_key, using, keys, portion, cap, depth, accepts)
            keep_alive()
        open_indexes, depth = short_indexes, DEPTH_FACTOR * depth
    return newest_by_key


def _fill_from_buckets(
    newest_by_key: list[Numbers],
    using: str,
    keys: Numbers,
    key_indexes: Sequence[int],
    cap: int,
    depth: int,
    accepts: DocumentFilter,
) -> list[int]:
    """Fill ``newest_by_key`` from the newest ``depth`` documents of each bucket.

    Return the indexes of keys that have fewer than ``cap`` documents and whose buckets may contain more.
    """
    positions, documents = storage.read_buckets(using, keys[key_indexes], depth)
    read_counts = np.bincount(positions, minlength=len(key_indexes))
    is_accepted = accepts(documents)
    positions, documents = positions[is_accepted], documents[is_accepted]
    order = np.lexsort((-documents, positions))
    ends = np.searchsorted(positions[order], np.arange(1, len(key_indexes)))
    for key_index, newest in zip(key_indexes, np.split(documents[order], ends)):
        newest_by_key[key_index] = newest[:cap].copy()
    return [
        key_index
        for key_index, read_count in zip(key_indexes, read_counts.tolist())
        if read_count >= depth and len(newest_by_key[key_index]) < cap
    ]


class RunPosts(StoredPosts):
    """The posts of the database, as the posts of a run must see them when they are compared in their order.

    Only the buckets of the run's keys differ from those of ``StoredPosts``. It is built with the documents in
    the order of the run (int64). Pass it all keys of the run before they are written. It keeps only the hot
    keys. A key is hot if at least ``bucket_size`` posts of the run have it.
    """

    def __init__(self, documents: Numbers, settings: Profile, scheme: Scheme, using: str) -> None:
        super().__init__(settings, scheme, using)
        self._documents = documents
        self._order_by_id = np.argsort(documents)
        self._sorted_ids = documents[self._order_by_id]
        self._hot_keys = np.empty(0, np.int64)
        self._hot_positions: list[NDArray[np.int32]] = []
        self._older_documents: list[Numbers] = []
        self._lowest_id = int(documents.min()) if len(documents) else 0
        self._known_signed: set[int] = set()

    def add_keys(self, keys: Numbers, owners: Numbers) -> None:
        """Add keys of the run, ascending and above all earlier ones, with the document of each (int64).

        For every key, the documents stand in the order of the run.
        """
        # A sorted key that equals the one ``cap - 1`` places before it has at least ``cap`` documents.
        keys_from_cap = keys[self.bucket_size - 1 :]
        hot_keys = np.unique(keys_from_cap[keys_from_cap == keys[: len(keys_from_cap)]])
        begins, ends = (np.searchsorted(keys, hot_keys, side) for side in ("left", "right"))
        self._hot_positions += (
            self._positions(owners[begin:end]).astype(np.int32) for begin, end in zip(begins, ends)
        )
        self._hot_keys = np.append(self._hot_keys, hot_keys)

    def load_older_documents(self, keep_alive: Callable[[], None]) -> None:
        """Read the other documents in the buckets of the hot keys.

        ``keep_alive`` is called now and then. Call it when the whole run is signed, before the first post is
        compared. So of two simultaneous runs, the one that compares later sees the documents of the other.
        """
        self._older_documents = newest_in_buckets(
            self.using, self._hot_keys, self.bucket_size, self._is_signed, keep_alive
        )

    def read_buckets(self, signed: Sequence[SignedText], keys: Numbers) -> tuple[Numbers, Numbers]:
        """Read buckets like ``index.keys.read_buckets``, for the keys of the posts one after another.

        Posts of the run after these posts are left out. For a hot key, the result holds the newest ``cap``
        documents before each post, and other documents that are among the newest now. In a full bucket,
        documents that await their fingerprints are replaced by older ones.
        """
        key_positions, documents = storage.read_buckets(self.using, keys, self.bucket_size)
        own_positions = self._positions(np.array([document.document_id for document in signed], np.int64))
        hot_indexes = self._hot_indexes(keys)
        is_doubtful = (np.bincount(key_positions, minlength=len(keys)) >= self.bucket_size) | (
            hot_indexes >= 0
        )
        key_positions, documents = self._drop_unsigned(
            keys, hot_indexes, key_positions, documents, is_doubtful
        )
        run_positions, is_hot = self._positions(documents), hot_indexes[key_positions] >= 0
        is_kept = (run_positions <= own_positions.max(initial=-1)) & ~is_hot
        is_foreign = (run_positions < 0) & is_hot
        foreign_key_positions, foreign_documents = key_positions[is_foreign], documents[is_foreign]
        parts = [(key_positions[is_kept], documents[is_kept])]
        owner_positions = np.repeat(own_positions, [len(document.keys) for document in signed])
        for key_position in np.flatnonzero(hot_indexes >= 0):
            documents_before = self._newest_before(
                int(hot_indexes[key_position]), int(owner_positions[key_position])
            )
            first, end = np.searchsorted(foreign_key_positions, [key_position, key_position + 1])
            if first < end:
                foreign_newest = foreign_documents[first:end]
                documents_before = np.concatenate(
                    [documents_before, foreign_newest[~np.isin(foreign_newest, documents_before)]]
                )
            parts.append((np.full(len(documents_before), key_position), documents_before))
        all_positions, all_documents = (np.concatenate(column) for column in zip(*parts))
        order = np.argsort(all_positions, kind="stable")
        return all_positions[order], all_documents[order]

    def _newest_before(self, hot_index: int, position: int) -> Numbers:
        """Return the newest documents with that hot key before a position in the run."""
        members = self._hot_positions[hot_index]
        rank = int(np.searchsorted(members, position))
        run_documents = self._documents[members[max(rank - self.bucket_size, 0) : rank]]
        return np.concatenate(
            [run_documents, self._older_documents[hot_index][: self.bucket_size - len(run_documents)]]
        )

    def _drop_unsigned(
        self,
        keys: Numbers,
        hot_indexes: Numbers,
        key_positions: Numbers,
        documents: Numbers,
        doubtful: NDArray[np.bool_],
    ) -> tuple[Numbers, Numbers]:
        """Remove documents at doubtful keys that another run has not signed yet.

        If that makes room in the bucket of a key that is not hot, fill it with the newest other documents.
        """
        # Documents older than all posts of this run displace no other document. They meet these posts in
        # their own turn.
        at_doubtful = np.flatnonzero(doubtful[key_positions] & (documents > self._lowest_id))
        unsigned = at_doubtful[~self._is_own_or_signed(documents[at_doubtful])]
        if not len(unsigned):
            return key_positions, documents
        is_kept = np.ones(len(key_positions), np.bool_)
        is_kept[unsigned] = False
        affected = np.unique(key_positions[unsigned])
        affected = affected[hot_indexes[affected] < 0]
        is_kept &= ~np.isin(key_positions, affected)
        distinct, distinct_indexes = np.unique(keys[affected], return_inverse=True)
        newest_by_key = newest_in_buckets(self.using, distinct, self.bucket_size, self._is_own_or_signed)
        deeper = [newest_by_key[index] for index in distinct_indexes.tolist()]
        key_positions = np.concatenate(
            [key_positions[is_kept], affected.repeat([len(newest) for newest in deeper])]
        )
        documents = np.concatenate([documents[is_kept], *deeper])
        order = np.argsort(key_positions, kind="stable")
        return key_positions[order], documents[order]

    def _is_own_or_signed(self, documents: Numbers) -> NDArray[np.bool_]:
        """Return which documents belong to the run or are signed."""
        return (self._positions(documents) >= 0) | self._is_signed(documents)

    def _is_signed(self, documents: Numbers) -> NDArray[np.bool_]:
        """Return which documents are signed. Documents of the run itself count as not signed."""
        foreign_ids = set(documents[self._positions(documents) < 0].tolist())
        unknown_ids = sorted(foreign_ids - self._known_signed)
        fingerprinted = fingerprint_queries.signed_documents(self.using, unknown_ids, self.scheme.pk)
        signed = fingerprinted | (foreign_ids & self._known_signed)
        # Remember documents that others have signed since this run began: their ids are above its lowest one.
        self._known_signed.update(document for document in fingerprinted if document > self._lowest_id)
        return np.isin(documents, list(signed))

    def _hot_indexes(self, keys: Numbers) -> Numbers:
        """Return the index of each hot key, and -1 for other keys."""
        return _search_sorted(self._hot_keys, keys)

    def _positions(self, documents: Numbers) -> Numbers:
        """Return the position of each document in the run, and -1 for other documents."""
        sorted_indexes = _search_sorted(self._sorted_ids, documents)
        return np.where(
            sorted_indexes < 0, -1, self._order_by_id[sorted_indexes] if len(self._order_by_id) else -1
        )


def _search_sorted(ascending: Numbers, values: Numbers) -> Numbers:
    if not len(ascending):
        return np.full(len(values), -1)
    indexes = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.where(ascending[indexes] == values, indexes, -1)

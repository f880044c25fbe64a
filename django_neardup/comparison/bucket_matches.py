"""The posts in the buckets of a text's keys, and which of them to screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..algorithms.base import Algorithm
from .compared_texts import SignedText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class BucketLimit(NamedTuple):
    """How many documents of a bucket are read: those with the lowest ids and those with the highest.

    Of a smaller bucket all are read.
    """

    oldest: int
    newest: int

    @classmethod
    def of(cls, size: int) -> BucketLimit:
        """Return the limit with a fourth of ``size`` for the oldest documents: later posts cannot displace them."""
        return cls(size // 4, size - size // 4)

    @property
    def size(self) -> int:
        """The number of documents of a full bucket."""
        return self.oldest + self.newest

    def widened(self, count: int) -> BucketLimit:
        """Return the limit with ``count`` documents more at both ends."""
        return BucketLimit(self.oldest + count, self.newest + count)


class Nearby(NamedTuple):
    """The documents to screen for one text.

    - ``shared_counts``: documents by id, with the number of shared keys.
    - ``sure_documents``: documents that share a sure key. One such key is enough.
    """

    shared_counts: dict[int, int]
    sure_documents: set[int]


@dataclass(frozen=True, slots=True)
class BucketMatches:
    """Documents that share keys with one document.

    - ``documents``: their ids, ascending.
    - ``counts``: the number of shared keys.
    - ``rarity``: the sum over these keys of 1 / (documents found with the key).
    - ``sure_documents``: documents that share a sure key. One such key is enough.
    """

    documents: Numbers
    counts: Numbers
    rarity: NDArray[np.float64]
    sure_documents: set[int]

    @classmethod
    def from_buckets(cls, signed: SignedText, key_positions: Numbers, document_ids: Numbers) -> BucketMatches:
        """Build it from the buckets of the document's keys.

        ``key_positions``: positions of keys, ascending. ``document_ids``: next to each, a document with that
        key.
        """
        import numpy as np

        is_other = document_ids != signed.document_id
        if not np.count_nonzero(is_other):  # most new posts share no key
            return cls(document_ids[:0], document_ids[:0], np.empty(0), set())
        is_sure = np.zeros(len(signed.keys), np.bool_)
        is_sure[signed.keys.searchsorted(signed.sure_keys)] = True
        weights = 1 / np.bincount(key_positions)[key_positions]
        key_positions, document_ids, weights = (
            key_positions[is_other],
            document_ids[is_other],
            weights[is_other],
        )
        sure_ids = document_ids[is_sure[key_positions]]
        order = document_ids.argsort(kind="stable")
        document_ids, weights = document_ids[order], weights[order]
        is_first = np.ones(len(document_ids), np.bool_)
        np.not_equal(document_ids[1:], document_ids[:-1], out=is_first[1:])
        starts = is_first.nonzero()[0]
        counts = np.diff(starts, append=len(document_ids))
        return cls(document_ids[starts], counts, np.add.reduceat(weights, starts), set(sure_ids.tolist()))

    def nearby(self, algorithm: Algorithm, limit: int) -> Nearby:
        """Return the documents to screen: at most ``limit``, and all documents that share a sure key."""
        return Nearby(self.most_shared(algorithm, limit), self.sure_documents)

    def most_shared(self, algorithm: Algorithm, limit: int) -> dict[int, int]:
        """Return documents that share enough keys, with the number of these keys.

        Leave out ``sure_documents``.

        If the algorithm has a limit, take that many documents that share most keys, older ones first. If more
        than ``limit`` are left, documents that share most keys and documents that share the rarest keys take
        turns.
        """
        import numpy as np

        if not len(self.documents):
            return {}
        selected = np.flatnonzero(self.counts >= algorithm.min_shared)
        if self.sure_documents:
            selected = selected[~np.isin(self.documents[selected], list(self.sure_documents))]
        if algorithm.limit is not None and len(selected) > algorithm.limit:
            selected = selected[
                np.lexsort((self.documents[selected], -self.counts[selected]))[: algorithm.limit]
            ]
        # A full bucket leaves documents out. So a document may share only rare keys with its copy.
        if len(selected) > limit:
            newest_first, most_keys_first, rarest_first = (
                -values[selected] for values in (self.documents, self.counts, self.rarity)
            )
            alternating = np.stack(
                [
                    np.lexsort((newest_first, rarest_first, most_keys_first)),
                    np.lexsort((newest_first, most_keys_first, rarest_first)),
                ],
                axis=1,
            ).ravel()
            # Every document stands in both orders: keep its first position.
            _, first_positions = np.unique(alternating, return_index=True)
            selected = selected[alternating[np.sort(first_positions)[:limit]]]
        return dict(zip(self.documents[selected].tolist(), self.counts[selected].tolist()))


def split_matches(
    signed: Sequence[SignedText], key_positions: Numbers, document_ids: Numbers
) -> dict[int, BucketMatches]:
    """Return by document id the documents in its buckets, without itself.

    ``key_positions``: positions in the keys of all texts, one after another. ``document_ids``: next to each,
    a document with that key.
    """
    import numpy as np

    if len(signed) == 1:
        return {signed[0].document_id: BucketMatches.from_buckets(signed[0], key_positions, document_ids)}
    # The keys of all documents were read as one list: cut the result at the end of each document's keys.
    key_ends = np.cumsum([len(document.keys) for document in signed])
    matches, key_start, row_start = {}, 0, 0
    for document, key_end, row_end in zip(
        signed, key_ends.tolist(), np.searchsorted(key_positions, key_ends).tolist()
    ):
        matches[document.document_id] = BucketMatches.from_buckets(
            document, key_positions[row_start:row_end] - key_start, document_ids[row_start:row_end]
        )
        key_start, row_start = key_end, row_end
    return matches

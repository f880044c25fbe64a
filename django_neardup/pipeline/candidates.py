"""Step B, first half: find documents that share keys, screen them, and choose which to align first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

from ..algorithms.base import Algorithm
from ..index import keys as storage
from .stage_types import Candidates, ScreeningRow, SignedDocument, StoredFingerprint
from .stored_relations import (
    DocumentRelations,
    fingerprints_of_screened,
    relations_of,
    screening_rows_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    BucketReader = Callable[[Sequence[SignedDocument], Numbers], tuple[Numbers, Numbers]]


PRIORITY_DIVISOR = 4
"""One of so many alignments is reserved for the most similar documents.

They come before the leaders of other clusters. If one template fills the buckets, those leaders may take all
other alignments.
"""


def alignment_order(
    leaders_by_document: Mapping[int, int | None], preferred: Iterable[int | None], limit: int
) -> list[int]:
    """Return all documents in the order in which to align them, if ``limit`` of them are aligned.

    ``leaders_by_document``: documents that pass the screen, most similar first. Each has the leader of its
    cluster: itself if it leads one, None if it is in no cluster.

    The order is:

    - the documents of ``preferred``
    - the few most similar ones, each after its leader
    - other leaders
    - the rest
    """
    first = [document for document in preferred if document is not None and document in leaders_by_document]
    similar_documents = islice(
        (document for document in leaders_by_document if document not in first),
        max(1, limit // PRIORITY_DIVISOR),
    )
    most_similar = (
        document
        for similar_document in similar_documents
        for document in (leaders_by_document[similar_document], similar_document)
        if document is not None and document in leaders_by_document
    )
    leaders = (document for document, leader in leaders_by_document.items() if document == leader)
    return list(dict.fromkeys(chain(first, most_similar, leaders, leaders_by_document)))


SCREENED_PER_ALIGNED = 4
"""Similar documents that are screened for each alignment.

Documents that share a sure key, and documents with a stored pair, are screened in addition.
"""


def candidates_many(
    signed: Sequence[SignedDocument], using: str, read_buckets: BucketReader | None = None
) -> dict[int, Candidates]:
    """Step B, first half: return the screened documents to compare each document with, most likely first.

    These are at most ``MAX_ALIGNED`` per document, plus exact copies and documents that share a sure key. Key
    buckets, pairs, memberships and fingerprints are read, but no texts. Documents are read only if they pass
    the screen.

    Of ``signed`` only document, scheme, space, keys, sure keys, payload, word count and digests are needed.
    ``read_buckets`` reads the buckets in place of ``keys.read_buckets``.
    """
    scheme_id = signed[0].scheme.pk
    matches = bucket_matches_of(signed, using, read_buckets)
    relations = relations_of([document.document_id for document in signed if not document.is_new], using)
    searches = [
        _CandidateSearch(
            document, matches[document.document_id], relations.get(document.document_id, DocumentRelations())
        )
        for document in signed
    ]
    screening_rows = screening_rows_of(
        {document_id for search in searches for document_id in search.nearby_documents}, scheme_id, using
    )
    # Documents join a cluster through its leader, which may stand outside the limit of every bucket.
    leaders = {row.leader_id for row in screening_rows.values() if row.leader_id is not None}
    leaders |= {search.relations.leader_id for search in searches if search.relations.leader_id is not None}
    screening_rows |= screening_rows_of(leaders - screening_rows.keys(), scheme_id, using)
    screened = {search.signed.document_id: search.screen(screening_rows) for search in searches}
    passed_rows = {row.document_id: row for sure, others in screened.values() for row in (*sure, *others)}
    fingerprints = fingerprints_of_screened(passed_rows.values(), using)
    return {
        search.signed.document_id: search.select_candidates(
            *screened[search.signed.document_id], fingerprints
        )
        for search in searches
    }


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
    def from_buckets(
        cls, signed: SignedDocument, key_positions: Numbers, document_ids: Numbers
    ) -> BucketMatches:
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
        # A full bucket lists only its newest documents. So an old document may share only rare keys with its
        # copy.
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


def bucket_matches_of(
    signed: Sequence[SignedDocument], using: str, read_buckets: BucketReader | None = None
) -> dict[int, BucketMatches]:
    """Return by document id the documents in its buckets, without itself. All buckets are read together."""
    import numpy as np

    keys = np.concatenate([document.keys for document in signed]) if len(signed) > 1 else signed[0].keys
    cap = signed[0].adapter.settings.bucket
    key_positions, document_ids = (
        read_buckets(signed, keys) if read_buckets else storage.read_buckets(using, keys, cap)
    )
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


class _CandidateSearch:
    """The search for the candidates of one document: documents that share keys, then documents to align."""

    def __init__(self, signed: SignedDocument, matches: BucketMatches, relations: DocumentRelations) -> None:
        self.signed, self.relations, self.algorithm = signed, relations, signed.algorithm
        self.max_aligned = signed.adapter.settings.max_aligned
        self.sure_documents = matches.sure_documents
        self.shared_counts = matches.most_shared(self.algorithm, SCREENED_PER_ALIGNED * self.max_aligned)
        self.nearby_documents = self.shared_counts.keys() | self.sure_documents | relations.paired_documents
        self.deleted_rows: list[ScreeningRow] = []

    def screen(
        self, screening_rows: Mapping[int, ScreeningRow]
    ) -> tuple[list[ScreeningRow], list[ScreeningRow]]:
        """Return the sure rows, and the other rows that pass the screen, most similar first.

        Sure rows are exact copies and documents that share a sure key. Of the others, return as many as may
        be aligned. If some of them may be in another space, return all.
        """
        live_rows = self._rows_of_live_posts(self.nearby_documents, screening_rows)
        if self.signed.adapter.settings.memory_days:
            nearby_rows = (
                screening_rows[document] for document in self.nearby_documents if document in screening_rows
            )
            self.deleted_rows = [row for row in nearby_rows if not row.source_digest]
        cluster_leaders = {row.leader_id for row in live_rows.values()} | {self.relations.leader_id}
        leaders = {
            leader for leader in cluster_leaders if leader is not None and leader != self.signed.document_id
        }
        live_rows |= self._rows_of_live_posts(leaders, screening_rows)
        sure: list[ScreeningRow] = []
        others: list[ScreeningRow] = []
        for _, row in sorted(live_rows.items()):
            (sure if self._is_sure(row) else others).append(row)
        copy_leaders = [row.leader_id for row in sure if row.exact_digest == self.signed.exact_digest]
        ranked = self._rank(others, leaders, [self.relations.leader_id, *copy_leaders])
        # The space of a row is read later. Rows of another space must not use up the alignments.
        return sure, ranked if self.relations.spaces - {self.signed.space_id} else ranked[: self.max_aligned]

    def select_candidates(
        self,
        sure_rows: Sequence[ScreeningRow],
        other_rows: Sequence[ScreeningRow],
        fingerprints: Mapping[int, StoredFingerprint],
    ) -> Candidates:
        """Return screened documents in the same space: sure ones, and as many others as may be aligned."""
        sure, others = (
            self._in_same_space(sure_rows, fingerprints),
            self._in_same_space(other_rows, fingerprints),
        )
        return Candidates(
            sure + others[: self.max_aligned],
            frozenset(self.relations.paired_documents),
            frozenset(self.relations.spaces),
            self.relations.has_relations,
            self.deleted_rows,
        )

    def _rows_of_live_posts(
        self, documents: Collection[int], screening_rows: Mapping[int, ScreeningRow]
    ) -> dict[int, ScreeningRow]:
        """Return the rows of documents that are not deleted posts."""
        return {
            document: row
            for document in documents
            if (row := screening_rows.get(document)) and row.source_digest
        }

    def _in_same_space(
        self, screened_rows: Sequence[ScreeningRow], fingerprints: Mapping[int, StoredFingerprint]
    ) -> list[StoredFingerprint]:
        stored = (
            fingerprints[candidate.document_id]
            for candidate in screened_rows
            if candidate.document_id in fingerprints
        )
        return [candidate for candidate in stored if candidate.space_id == self.signed.space_id]

    def _is_sure(self, row: ScreeningRow) -> bool:
        if row.exact_digest == self.signed.exact_digest or row.document_id in self.sure_documents:
            return True
        # A leader may stand outside the limit of its buckets. So its own keys are compared too.
        return any(self.signed.identity) and not self._sure_keys.isdisjoint(
            storage.unpack_keys(row.packed_keys)
        )

    def _rank(
        self, rows: Sequence[ScreeningRow], leaders: Collection[int], preferred: Sequence[int | None]
    ) -> list[ScreeningRow]:
        """Return the rows that pass the screen, in the order of ``alignment_order``."""
        if not rows:
            return []
        similarities = self.algorithm.screen_many(self.signed.payload, [row.payload for row in rows])
        word_counts = [row.word_count for row in rows]
        is_passing = self.algorithm.should_judge_many(
            similarities, self._shared_key_counts(rows, leaders), self.signed.word_count, word_counts
        )
        screened = zip(rows, similarities.tolist(), is_passing.tolist())
        by_similarity = sorted(
            (-similarity, row.document_id, row)
            for row, similarity, passes_screen in screened
            if passes_screen
        )
        passing_rows = {document: row for _, document, row in by_similarity}
        order = alignment_order(
            {document: row.leader_id for document, row in passing_rows.items()}, preferred, self.max_aligned
        )
        return [passing_rows[document] for document in order]

    def _shared_key_counts(self, rows: Sequence[ScreeningRow], leaders: Collection[int]) -> list[int]:
        """Return the number of keys shared with each row.

        An old leader, or the other side of a pair, may stand outside the limit of a bucket. Count their keys
        directly.
        """
        counts = [self.shared_counts.get(row.document_id, 0) for row in rows]
        maybe_outside = self.relations.paired_documents.union(leaders)
        for position, row in enumerate(rows):
            if row.document_id in maybe_outside:
                shared_keys = self._own_keys.intersection(storage.unpack_keys(row.packed_keys))
                counts[position] = max(counts[position], len(shared_keys))
        return counts

    @cached_property
    def _own_keys(self) -> set[int]:
        return set(self.signed.keys.tolist())

    @cached_property
    def _sure_keys(self) -> set[int]:
        return set(self.signed.sure_keys.tolist())

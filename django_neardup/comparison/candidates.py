"""Find documents that share keys with texts, screen them, and choose which to align first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice

from .bucket_matches import BucketMatches, Nearby, split_matches
from .compared_texts import (
    Candidates,
    PassingRow,
    Relations,
    ScreeningRow,
    SignedText,
    StoredFingerprint,
)
from .packed_keys import unpack_compared_keys
from .posts import ComparedPosts

PRIORITY_DIVISOR = 4
"""One of so many alignments is reserved for the most similar documents.

They come before the leaders of other clusters. If one template fills the buckets, those leaders may take all
other alignments.
"""


MAX_FAMILIES = 2
"""So many template families are screened with all their members."""
LEAST_OF_BUCKET = 4
"""Such a family has at least a fourth of the documents of a full bucket."""


def alignment_order(
    leaders_by_document: Mapping[int, int | None],
    preferred: Iterable[int | None],
    limit: int,
    families: Mapping[int, int | None] | None = None,
) -> list[int]:
    """Return the documents to align in their order, if at most ``limit`` of them are aligned.

    ``leaders_by_document``: documents that pass the screen, most similar first. Each has the leader of its
    cluster: itself if it leads one, None if it is in no cluster. ``families``: the leaders of their families. None for
    documents that are no member of any.

    The order is:

    - the documents of ``preferred``
    - the few most similar ones, each after the leaders of its family and its cluster
    - other leaders, and documents in no family
    - other members of families, for which their leaders stand

    If there are more than ``limit`` documents, members of families are left out unless they are among the few
    most similar members. An alignment takes longer than all other steps for a post, and a template may fill
    every bucket with its members.
    """

    def family_of(document: int) -> int | None:
        """Return the leader of the document's family, if it passes the screen."""
        family = (families or {}).get(leaders_by_document[document] or document)
        return family if family in leaders_by_document else None

    first = [document for document in preferred if document is not None and document in leaders_by_document]
    members = [document for document in leaders_by_document if family_of(document) is not None]
    few = max(1, limit // PRIORITY_DIVISOR)
    spare_members = {*members[few:]} if len(leaders_by_document) > limit else set()
    passed_over = spare_members.union(first)
    similar_documents = islice(
        (document for document in leaders_by_document if document not in passed_over), few
    )
    most_similar = [
        document
        for similar_document in similar_documents
        for document in (
            family_of(similar_document),
            leaders_by_document[similar_document],
            similar_document,
        )
        if document is not None and document in leaders_by_document
    ]
    family_leaders = filter(None, map(family_of, leaders_by_document))
    leaders = (document for document, leader in leaders_by_document.items() if document == leader)
    others = (
        document
        for document in chain(family_leaders, leaders, leaders_by_document)
        if family_of(document) is None
    )
    order = dict.fromkeys(chain(first, most_similar, others, leaders_by_document))
    spare_members -= {*first, *most_similar}
    return [document for document in order if document not in spare_members]


def candidates_many(signed: Sequence[SignedText], posts: ComparedPosts) -> dict[int, Candidates]:
    """Return by document id the screened documents to compare a text with, the most promising first.

    These are at most ``posts.max_aligned`` per text, in addition to exact copies and documents that share a
    sure key. Key buckets, pairs, memberships and fingerprints are read, but no texts.
    """
    matches = bucket_matches_of(signed, posts)
    nearby = posts.select_nearby(signed, matches)
    relations = posts.relations_of([text.document_id for text in signed if not text.is_new])
    searches = [
        _CandidateSearch(text, posts, nearby[text.document_id], relations.get(text.document_id, Relations()))
        for text in signed
    ]
    rows = posts.screening_rows(
        {document_id for search in searches for document_id in search.nearby_documents}
    )
    # Documents join a cluster through its leader, which may stand outside the limit of every bucket.
    leaders = {row.leader_id for row in rows.values() if row.leader_id is not None}
    leaders |= {search.relations.leader_id for search in searches if search.relations.leader_id is not None}
    rows |= posts.screening_rows(leaders - rows.keys())
    families = {row.family_id for row in rows.values() if row.family_id is not None}
    rows |= posts.screening_rows(families - rows.keys())
    # A full bucket may hold the text itself.
    crowded = [
        search
        for search in searches
        if len(matches[search.signed.document_id].documents) >= posts.bucket_limit.size - 1
    ]
    _add_family_members(crowded, rows, posts)
    screened = {search.signed.document_id: search.screen(rows) for search in searches}
    passed_rows = {row.document_id: row for sure, others in screened.values() for row in (*sure, *others)}
    fingerprints = posts.fingerprints(passed_rows.values())
    return {
        search.signed.document_id: search.select_candidates(
            *screened[search.signed.document_id], fingerprints
        )
        for search in searches
    }


def _add_family_members(
    crowded: Sequence[_CandidateSearch], rows: dict[int, ScreeningRow], posts: ComparedPosts
) -> None:
    """Let searches with full buckets screen all members of the families that fill them.

    The posts of one template fill its buckets. A repost of one would not meet it: of the buckets only the oldest and
    the newest documents are read.
    """
    families = {search: search.families_nearby(rows) for search in crowded}
    members = posts.family_members({leader for found in families.values() for leader in found})
    added: set[int] = set()
    for search, found in families.items():
        added |= search.add_nearby(document for leader in found for document in members.get(leader, ()))
    rows |= posts.screening_rows(added - rows.keys())


def bucket_matches_of(signed: Sequence[SignedText], posts: ComparedPosts) -> dict[int, BucketMatches]:
    """Return by document id the documents in its buckets, without itself. All buckets are read together."""
    import numpy as np

    keys = np.concatenate([text.keys for text in signed]) if len(signed) > 1 else signed[0].keys
    return split_matches(signed, *posts.read_buckets(signed, keys))


class _CandidateSearch:
    """The search for the candidates of one document: documents that share keys, then documents to align."""

    def __init__(
        self, signed: SignedText, posts: ComparedPosts, nearby: Nearby, relations: Relations
    ) -> None:
        self.signed, self.posts, self.relations, self.algorithm = signed, posts, relations, signed.algorithm
        self.max_aligned = posts.max_aligned
        self.shared_counts, self.sure_documents = nearby
        self.nearby_documents = self.shared_counts.keys() | self.sure_documents | relations.paired_documents
        self.deleted_rows: list[ScreeningRow] = []

    def families_nearby(self, screening_rows: Mapping[int, ScreeningRow]) -> list[int]:
        """Return the leaders of the few template families that fill the buckets, the one with most members first."""
        nearby = (screening_rows.get(document) for document in self.nearby_documents)
        # A group is a member through its leader.
        rows = (row and screening_rows.get(row.leader_id or row.document_id) for row in nearby)
        families = Counter(row.family_id for row in rows if row is not None and row.family_id is not None)
        least = self.posts.bucket_limit.size // LEAST_OF_BUCKET
        return [leader for leader, count in families.most_common(MAX_FAMILIES) if count >= least]

    def add_nearby(self, documents: Iterable[int]) -> set[int]:
        """Screen these documents too, except the text's own. Return the new ones."""
        added = {*documents} - self.nearby_documents - {self.signed.document_id}
        self.nearby_documents |= added
        return added

    def screen(
        self, screening_rows: Mapping[int, ScreeningRow]
    ) -> tuple[list[ScreeningRow], list[ScreeningRow]]:
        """Return the sure rows, and the other rows that pass the screen, most similar first.

        Sure rows are exact copies and documents that share a sure key. Of the others, return as many as may
        be aligned. If some of them may be in another space, return all.
        """
        live_rows = self._rows_of_live_posts(self.nearby_documents, screening_rows)
        if self.posts.remembers_deleted:
            nearby_rows = (
                screening_rows[document] for document in self.nearby_documents if document in screening_rows
            )
            self.deleted_rows = [row for row in nearby_rows if not row.source_digest]
        cluster_leaders = {row.leader_id for row in live_rows.values()} | {self.relations.leader_id}
        leaders = {
            leader for leader in cluster_leaders if leader is not None and leader != self.signed.document_id
        }
        live_rows |= self._rows_of_live_posts(leaders, screening_rows)
        families = {row.family_id for row in live_rows.values() if row.family_id is not None}
        families -= {self.signed.document_id}
        leaders |= families
        live_rows |= self._rows_of_live_posts(families, screening_rows)
        sure: list[ScreeningRow] = []
        others: list[ScreeningRow] = []
        for _, row in sorted(live_rows.items()):
            (sure if self._is_sure(row) else others).append(row)
        copy_leaders = [row.leader_id for row in sure if row.exact_digest == self.signed.exact_digest]
        sure = self.posts.rank_sure(self.signed, sure)
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
            unpack_compared_keys(row.packed_keys)
        )

    def _rank(
        self, rows: Sequence[ScreeningRow], leaders: Collection[int], preferred: Sequence[int | None]
    ) -> list[ScreeningRow]:
        """Return the rows that pass the screen, in the order of ``alignment_order``."""
        if not rows:
            return []
        similarities = self.algorithm.screen_many(self.signed.payload, [row.payload for row in rows])
        key_counts = self._shared_key_counts(rows, leaders)
        is_passing = self.algorithm.should_judge_many(
            similarities, key_counts, self.signed.word_count, [row.word_count for row in rows]
        )
        screened = zip(rows, similarities.tolist(), key_counts, is_passing.tolist())
        passing = [PassingRow(*facts) for *facts, passes_screen in screened if passes_screen]
        ranked = {row.document_id: row for row in self.posts.rank(self.signed, passing)}
        order = alignment_order(
            {document: row.leader_id for document, row in ranked.items()},
            preferred,
            self.max_aligned,
            {document: row.family_id for document, row in ranked.items()},
        )
        return [ranked[document] for document in order]

    def _shared_key_counts(self, rows: Sequence[ScreeningRow], leaders: Collection[int]) -> list[int]:
        """Return the number of keys shared with each row.

        An old leader, a member of its family, or the other side of a pair, may stand outside the limit of a bucket.
        Count their keys directly.
        """
        counts = [self.shared_counts.get(row.document_id, 0) for row in rows]
        maybe_outside = self.relations.paired_documents.union(leaders)
        for position, row in enumerate(rows):
            if row.document_id in maybe_outside or row.document_id not in self.shared_counts:
                shared_keys = self._own_keys & unpack_compared_keys(row.packed_keys)
                counts[position] = max(counts[position], len(shared_keys))
        return counts

    @cached_property
    def _own_keys(self) -> set[int]:
        return set(self.signed.keys.tolist())

    @cached_property
    def _sure_keys(self) -> set[int]:
        return set(self.signed.sure_keys.tolist())

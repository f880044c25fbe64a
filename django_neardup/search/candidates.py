"""Candidates for a text: visible documents that share keys with it and pass the screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..db.queries import documents as document_queries
from ..db.queries import fingerprints as fingerprint_queries
from ..pipeline.candidates import SCREENED_PER_ALIGNED, BucketMatches, bucket_matches_of
from ..pipeline.read import adapter_of
from ..pipeline.stage_types import SignedDocument
from ..visibility import ObjectKey, VisibilityFilter
from .prefilter import ContentOverlapFilter

VISIBILITY_BATCH_SIZE = 250
"""Number of documents in one visibility query: a little more than the number that is screened."""


@dataclass(frozen=True, slots=True)
class CandidateLocation:
    """A document: its space, its place in the static order and its object."""

    document_id: int
    space_id: int | None
    first_seen: int
    key: ObjectKey

    @property
    def static_order(self) -> tuple[int, int]:
        return self.first_seen, self.document_id


@dataclass(frozen=True, slots=True)
class SearchCandidate:
    """A document that may be similar to a text.

    - ``is_copy``: the stored text is equal to the text.
    - ``has_sure_key``: they share a sure key. One such key is enough to make a document a candidate.
    - ``has_other_codes``: both texts have codes, and the codes differ.
    - ``screen_score``: the score of the screen, 0..1.
    - ``source_digest``: the digest of the source at the time of signing.
    """

    location: CandidateLocation
    is_copy: bool
    has_sure_key: bool
    has_other_codes: bool
    screen_score: float
    source_digest: str
    payload: bytes

    @property
    def rank(self) -> tuple[bool, bool, bool, float, tuple[int, int]]:
        """The sort key: the most promising candidate is first.

        It depends only on the texts, never on cluster leaders: hidden posts also decide which post is the
        leader.
        """
        return (
            not self.is_copy,
            not self.has_sure_key,
            # Adverts from one template differ in little more than a code. So posts about the same item come
            # first.
            self.has_other_codes,
            -self.screen_score,
            self.location.static_order,
        )


def find_candidates(
    signed_texts: Sequence[SignedDocument],
    excluded_keys: Mapping[int, ObjectKey | None],
    visibility: VisibilityFilter,
    using: str,
) -> dict[int, list[SearchCandidate]]:
    """Return the visible candidates of each text by its document id, the most promising first.

    ``excluded_keys`` maps a document id to the object that the text belongs to. That object is never a
    candidate.

    One statement reads the buckets of all texts. A few more read their documents, the visible objects and
    the fingerprints.
    """
    bucket_matches = bucket_matches_of(signed_texts, using)
    searches = [
        _TextSearch(
            signed_text, bucket_matches[signed_text.document_id], excluded_keys[signed_text.document_id]
        )
        for signed_text in signed_texts
    ]
    # Hidden documents are left out before anything is counted, so they cannot change the answer.
    _find_visible(searches, visibility, using)
    visible_ids = {location.document_id for search in searches for location in search.visible_locations}
    scheme = signed_texts[0].scheme.pk
    rows = fingerprint_queries.with_codes(using, sorted(visible_ids), scheme) if visible_ids else []
    fingerprints = {row[0]: row[1:] for row in rows}
    return {
        search.signed_text.document_id: sorted(
            search.find(fingerprints), key=lambda candidate: candidate.rank
        )
        for search in searches
    }


class _TextSearch:
    """The search for the candidates of one text.

    ``visible_locations``: its visible candidates. Candidates with the most shared keys come first.
    """

    def __init__(
        self, signed_text: SignedDocument, shared_keys: BucketMatches, excluded_key: ObjectKey | None
    ) -> None:
        self.signed_text, self.excluded_key, self.algorithm = signed_text, excluded_key, signed_text.algorithm
        self.sure_documents = shared_keys.sure_documents
        self.shared_key_counts = dict(zip(shared_keys.documents.tolist(), shared_keys.counts.tolist()))
        self.unchecked_documents = self._order_documents(shared_keys)
        self.remaining_count = SCREENED_PER_ALIGNED * signed_text.adapter.settings.max_aligned
        if self.algorithm.limit is not None:
            self.remaining_count = min(self.remaining_count, self.algorithm.limit)
        self.visible_locations: list[CandidateLocation] = []

    def _order_documents(self, shared_keys: BucketMatches) -> list[int]:
        import numpy as np

        is_sure = np.isin(shared_keys.documents, list(self.sure_documents))
        older_first = 1 if self.algorithm.limit is not None else -1
        order = np.lexsort((older_first * shared_keys.documents, -shared_keys.counts, ~is_sure))
        has_enough_keys = is_sure | (shared_keys.counts >= self.algorithm.min_shared)
        document_ids: list[int] = shared_keys.documents[order][has_enough_keys[order]].tolist()
        return document_ids

    def add_visible(self, locations: Mapping[int, CandidateLocation]) -> None:
        """Process the next batch of documents. ``locations`` holds the visible documents by id."""
        batch, self.unchecked_documents = (
            self.unchecked_documents[:VISIBILITY_BATCH_SIZE],
            self.unchecked_documents[VISIBILITY_BATCH_SIZE:],
        )
        for document_id in batch:
            location = locations.get(document_id)
            if (
                location is None
                or location.space_id != self.signed_text.space_id
                or location.key == self.excluded_key
            ):
                continue
            if document_id not in self.sure_documents:
                self.remaining_count -= 1
            self.visible_locations.append(location)
            if not self.remaining_count:
                self.unchecked_documents = []
                return

    def find(self, fingerprints: Mapping[int, tuple[Any, ...]]) -> Iterable[SearchCandidate]:
        """Yield the candidates: exact copies, and documents that share a sure key or pass the screen."""
        rows = [
            (location, *fingerprints[location.document_id])
            for location in self.visible_locations
            if location.document_id in fingerprints
        ]
        rows_to_screen = []
        for location, source_digest, exact_digest, word_count, payload, codes in rows:
            is_copy, has_sure_key = (
                exact_digest == self.signed_text.exact_digest,
                location.document_id in self.sure_documents,
            )
            if is_copy:
                yield SearchCandidate(
                    location, is_copy, has_sure_key, False, 1.0, source_digest, bytes(payload)
                )
            else:
                has_other_codes = bool(codes and self.signed_text.codes) and codes != self.signed_text.codes
                rows_to_screen.append(
                    (location, has_sure_key, has_other_codes, source_digest, word_count, bytes(payload))
                )
        if rows_to_screen:
            yield from self._screen(rows_to_screen)

    def _screen(
        self, rows_to_screen: Sequence[tuple[CandidateLocation, bool, bool, str, int, bytes]]
    ) -> Iterable[SearchCandidate]:
        scores = self.algorithm.screen_many(self.signed_text.payload, [row[5] for row in rows_to_screen])
        key_counts = [self.shared_key_counts[row[0].document_id] for row in rows_to_screen]
        passed = self.algorithm.should_judge_many(
            scores, key_counts, self.signed_text.word_count, [row[4] for row in rows_to_screen]
        )
        overlap_filter = ContentOverlapFilter(self.signed_text)
        rows = zip(rows_to_screen, key_counts, scores.tolist(), passed.tolist())
        for (location, sure, other_codes, digest, words, payload), key_count, score, is_passed in rows:
            if sure or (is_passed and overlap_filter.passes(key_count, words, payload)):
                yield SearchCandidate(location, False, sure, other_codes, score, digest, payload)


def _find_visible(searches: Sequence[_TextSearch], visibility: VisibilityFilter, using: str) -> None:
    """Give each search the candidates that the caller may see.

    Each document is looked up once, also if several texts share it.
    """
    checked_ids: set[int] = set()
    visible_locations: dict[int, CandidateLocation] = {}
    while unfinished := [search for search in searches if search.unchecked_documents]:
        new_ids = {
            document_id
            for search in unfinished
            for document_id in search.unchecked_documents[:VISIBILITY_BATCH_SIZE]
        } - checked_ids
        checked_ids |= new_ids
        visible_locations |= {
            location.document_id: location for location in _load_visible_locations(new_ids, visibility, using)
        }
        for search in unfinished:
            search.add_visible(visible_locations)


def _load_visible_locations(
    documents: Collection[int], visibility: VisibilityFilter, using: str
) -> list[CandidateLocation]:
    """Return the documents with visible objects."""
    rows = document_queries.places_of(using, sorted(documents))
    adapters_by_content_type = {
        content_type_id: adapter_of(content_type_id, using) for content_type_id in {row[3] for row in rows}
    }
    locations = [
        CandidateLocation(document_id, space_id, first_seen, (adapter.model, object_id))
        for document_id, space_id, first_seen, content_type_id, object_id in rows
        if (adapter := adapters_by_content_type[content_type_id])
    ]
    visible_keys = visibility.visible_keys([location.key for location in locations], using)
    return [location for location in locations if location.key in visible_keys]

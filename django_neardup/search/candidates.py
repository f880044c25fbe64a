"""Who is near a text: shares keys with it, may be seen, and passes the screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..db.sql import fetch_all_in
from ..pipeline.candidates import SCREENED_PER_ALIGNED, BucketMatches, bucket_matches_of
from ..pipeline.read import adapter_of
from ..pipeline.stage_types import SignedDocument
from ..visibility import ObjectKey, VisibilityFilter
from .prefilter import ContentOverlapFilter

DOCUMENTS_SQL = (
    'SELECT "id", "space_id", "first_seen", "content_type_id", "object_id" FROM "neardup_document" '
    'WHERE "id" IN ({})'
)
FINGERPRINTS_SQL = (
    'SELECT "document_id", "source_digest", "exact_digest", "word_count", "payload", "codes" '
    'FROM "neardup_fingerprint" WHERE "scheme_id" = %s AND "document_id" IN ({})'
)
VISIBILITY_BATCH_SIZE = 250
"""Look-alikes whose visibility is asked at once: few more than are screened."""


@dataclass(frozen=True, slots=True)
class CandidateLocation:
    """Where a document stands: its space, its number in static order, its object."""

    document_id: int
    space_id: int | None
    first_seen: int
    key: ObjectKey

    @property
    def static_order(self) -> tuple[int, int]:
        return self.first_seen, self.document_id


@dataclass(frozen=True, slots=True)
class SearchCandidate:
    """A document that may be like a text. ``copy``: its stored text is the same; ``namesake``: they share a key of
    which one is enough; ``other_codes``: both name codes, and not the same; ``likeness``: by the screen, 0..1;
    ``digest``: of what was read when it was signed."""

    location: CandidateLocation
    is_copy: bool
    has_sure_key: bool
    has_other_codes: bool
    screen_score: float
    source_digest: str
    payload: bytes

    @property
    def rank(self) -> tuple[bool, bool, bool, float, tuple[int, int]]:
        """The likeliest first: by the texts alone, never by who leads a cluster, which hidden posts decide too.

        Adverts written by one template differ in a code and little else: the same item stands before them."""
        return (
            not self.is_copy,
            not self.has_sure_key,
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
    """By text, whom the caller may see of those that are near, the likeliest first; but for ``own``, the object that a
    text is of.

    What may not be seen is left out before anything is counted, so that it changes nothing of what is found. One
    statement reads the buckets of all texts, few more their documents, what may be seen, and fingerprints."""
    shared = bucket_matches_of(signed_texts, using)
    looks = [
        _TextSearch(one, shared[one.document_id], excluded_keys[one.document_id]) for one in signed_texts
    ]
    _find_visible(looks, visibility, using)
    seen = {each.document_id for look in looks for each in look.visible_locations}
    found = fetch_all_in(using, FINGERPRINTS_SQL, sorted(seen), signed_texts[0].scheme.pk) if seen else []
    prints = {row[0]: row[1:] for row in found}
    return {
        look.signed_text.document_id: sorted(look.find(prints), key=lambda each: each.rank) for look in looks
    }


class _TextSearch:
    """One text's look around. ``seen``: those of its look-alikes that may be seen, those first that share most keys."""

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

        sure = np.isin(shared_keys.documents, list(self.sure_documents))
        older_first = 1 if self.algorithm.limit is not None else -1
        order = np.lexsort((older_first * shared_keys.documents, -shared_keys.counts, ~sure))
        enough = sure | (shared_keys.counts >= self.algorithm.min_shared)
        found: list[int] = shared_keys.documents[order][enough[order]].tolist()
        return found

    def add_visible(self, locations: Mapping[int, CandidateLocation]) -> None:
        """Go on with the next portion: ``places`` are those of its documents that may be seen."""
        portion, self.unchecked_documents = (
            self.unchecked_documents[:VISIBILITY_BATCH_SIZE],
            self.unchecked_documents[VISIBILITY_BATCH_SIZE:],
        )
        for document in portion:
            place = locations.get(document)
            if place is None or place.space_id != self.signed_text.space_id or place.key == self.excluded_key:
                continue
            if document not in self.sure_documents:
                self.remaining_count -= 1
            self.visible_locations.append(place)
            if not self.remaining_count:
                self.unchecked_documents = []
                return

    def find(self, fingerprints: Mapping[int, tuple[Any, ...]]) -> Iterable[SearchCandidate]:
        """Exact copies, namesakes, and those that pass the screen."""
        known = [
            (place, *fingerprints[place.document_id])
            for place in self.visible_locations
            if place.document_id in fingerprints
        ]
        rest = []
        for place, digest, exact, words, payload, codes in known:
            copy, namesake = exact == self.signed_text.exact_digest, place.document_id in self.sure_documents
            if copy:
                yield SearchCandidate(place, copy, namesake, False, 1.0, digest, bytes(payload))
            else:
                unlike = bool(codes and self.signed_text.codes) and codes != self.signed_text.codes
                rest.append((place, namesake, unlike, digest, words, bytes(payload)))
        if rest:
            yield from self._screen(rest)

    def _screen(
        self, rows_to_screen: Sequence[tuple[CandidateLocation, bool, bool, str, int, bytes]]
    ) -> Iterable[SearchCandidate]:
        likeness = self.algorithm.screen_many(self.signed_text.payload, [row[5] for row in rows_to_screen])
        keys = [self.shared_key_counts[row[0].document_id] for row in rows_to_screen]
        passed = self.algorithm.should_judge_many(
            likeness, keys, self.signed_text.word_count, [row[4] for row in rows_to_screen]
        )
        worth = ContentOverlapFilter(self.signed_text)
        rows = zip(rows_to_screen, keys, likeness.tolist(), passed.tolist())
        for (place, namesake, unlike, digest, words, payload), shared, like, passes in rows:
            if namesake or (passes and worth.passes(shared, words, payload)):
                yield SearchCandidate(place, False, namesake, unlike, like, digest, payload)


def _find_visible(searches: Sequence[_TextSearch], visibility: VisibilityFilter, using: str) -> None:
    """Have every text know whom of its look-alikes the caller may see."""
    asked: set[int] = set()
    found: dict[int, CandidateLocation] = {}
    while waiting := [look for look in searches if look.unchecked_documents]:
        new = {
            document for look in waiting for document in look.unchecked_documents[:VISIBILITY_BATCH_SIZE]
        } - asked
        asked |= new
        found |= {each.document_id: each for each in _load_visible_locations(new, visibility, using)}
        for look in waiting:
            look.add_visible(found)


def _load_visible_locations(
    documents: Collection[int], visibility: VisibilityFilter, using: str
) -> list[CandidateLocation]:
    """Those documents whose objects may be seen."""
    found = fetch_all_in(using, DOCUMENTS_SQL, sorted(documents))
    adapters = {kind: adapter_of(kind, using) for kind in {row[3] for row in found}}
    places = [
        CandidateLocation(document, space, first_seen, (adapter.model, object_id))
        for document, space, first_seen, kind, object_id in found
        if (adapter := adapters[kind])
    ]
    held = visibility.visible_keys([each.key for each in places], using)
    return [each for each in places if each.key in held]

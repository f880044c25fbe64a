"""The posts that a caller may see, as the posts that texts are compared with."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..comparison.bucket_matches import BucketLimit, BucketMatches, Nearby
from ..comparison.compared_texts import (
    Candidates,
    JudgeableText,
    PassingRow,
    ScreeningRow,
    SignedText,
    StoredFingerprint,
)
from ..comparison.packed_keys import LIVE_BIT, both_buckets
from ..comparison.work_limit import WorkLimit
from ..conf import Profile
from ..db.queries import documents as document_queries
from ..db.queries import fingerprints as fingerprint_queries
from ..index import TextSearch
from ..index import keys as storage
from ..models import Scheme
from ..pipeline.schemes import space_columns
from ..pipeline.stage_types import SignedDocument
from ..pipeline.stored_posts import StoredPosts, text_of_source
from ..registry import adapter_of
from ..visibility import ObjectKey, VisibilityFilter
from .prefilter import ContentOverlapFilter
from .request import MAX_ALIGNED

if TYPE_CHECKING:
    from ..comparison.bucket_matches import Numbers

logger = logging.getLogger(__name__)

VISIBILITY_BATCH_SIZE = 250
"""Number of documents in one visibility query: a little more than the number that is screened."""

EARLIEST_ALIGNED = 3
"""So many of them are the earliest posts that may be duplicates.

An author may publish many variants of a copy before the copy. They are more similar to it than its original is.
"""

MAX_BUCKET_SIZE = 256
"""So many documents are read of a full bucket, if the caller may not see all that were read at first."""

MAX_BUCKETS_READ_ON = 8
"""So many buckets of one text are read on. A copy shares nearly all of them."""


@dataclass(frozen=True, slots=True)
class VisiblePost:
    """A document whose object the caller may see: its space, its place in the static order and its object."""

    document_id: int
    space_id: int | None
    text_since: int
    first_seen: int
    content_type_id: int
    object_id: str
    key: ObjectKey

    @property
    def static_order(self) -> tuple[int, int, int]:
        return self.text_since, self.first_seen, self.document_id


class VisiblePosts(StoredPosts):
    """The posts of one call. Nothing is marked, and posts that the caller may not see change nothing.

    ``excluded_keys`` maps a document id to the object that the text belongs to. That object is never a
    candidate. ``aligns_beside_copies``: other candidates are aligned however many exact copies there are.
    ``work``: the limit of the work for one text. ``crowded``: the document ids of texts that share
    a passage with more live posts than were read, if the caller may not see some of them. If the key index does
    not answer, all texts are in it. So a visible post may be missing among the candidates.
    """

    def __init__(
        self,
        settings: Profile,
        scheme: Scheme,
        excluded_keys: Mapping[int, ObjectKey | None],
        visibility: VisibilityFilter,
        using: str,
        work: WorkLimit,
    ) -> None:
        super().__init__(settings, scheme, using, work)
        # As many are screened as for a saved post, and fewer are read.
        self.max_aligned, self.remembers_deleted = MAX_ALIGNED, False
        self.aligns_beside_copies = False
        self._visibility, self._excluded_keys = visibility, excluded_keys
        self._visible: dict[int, VisiblePost] = {}
        self._checked: set[int] = set()
        self._codes: dict[int, str] = {}
        self._objects: dict[ObjectKey, tuple[Model, Source] | None] = {}
        self._crowding: set[int] = set()
        self.crowded: set[int] = set()

    def read_buckets(self, signed: Sequence[SignedText], keys: Numbers) -> tuple[Numbers, Numbers]:
        import numpy as np

        # The texts are not stored. So all of them see the same documents.
        buckets = both_buckets(keys)
        read = self.bucket_reader(partial(self._read_for_page, signed), signed)
        positions, documents = read(buckets, self.bucket_limit)
        full = storage.full_buckets(positions, self.bucket_limit)
        if not len(full):
            return positions // 2, documents
        self._crowding.update(documents[np.isin(positions, full)].tolist())
        owners = np.repeat(np.arange(len(signed)), [2 * len(text.keys) for text in signed])
        with_hidden = self._with_hidden_documents(full, positions, documents)
        incomplete = _first_of_each(with_hidden, owners[with_hidden], MAX_BUCKETS_READ_ON)
        limit = BucketLimit.of(max(MAX_BUCKET_SIZE, self.bucket_limit.size))
        indexes, more_documents = read(buckets[incomplete], limit)
        more_positions = incomplete[indexes]
        self._crowding.update(more_documents.tolist())
        # Copies share most buckets, so an unread bucket rarely holds more. If it has a document of its own, it does.
        is_unread = np.isin(positions, np.setdiff1d(with_hidden, incomplete))
        of_other_posts = positions[is_unread & ~np.isin(documents, more_documents)]
        is_kept = ~np.isin(positions, incomplete)
        positions = np.concatenate([positions[is_kept], more_positions])
        documents = np.concatenate([documents[is_kept], more_documents])
        still_full = incomplete[storage.full_buckets(indexes, limit)]
        still_incomplete = np.union1d(
            self._with_hidden_documents(still_full, positions, documents), of_other_posts
        )
        # Live posts have the odd positions. Hidden posts of other people never make an answer partial.
        for owner in owners[still_incomplete[still_incomplete % 2 == LIVE_BIT]].tolist():
            self.crowded.add(signed[owner].document_id)
        order = np.argsort(positions, kind="stable")
        return positions[order] // 2, documents[order]

    def _read_for_page(
        self, signed: Sequence[SignedText], buckets: Numbers, limit: BucketLimit
    ) -> tuple[Numbers, Numbers]:
        positions, documents, is_complete = storage.read_buckets_for_page(self.using, buckets, limit)
        if not is_complete:
            self.crowded.update(text.document_id for text in signed)
        return positions, documents

    def _with_hidden_documents(self, asked: Numbers, positions: Numbers, documents: Numbers) -> Numbers:
        """Return those of the asked positions whose documents the caller may not all see, most hidden ones first."""
        import numpy as np

        is_asked = np.isin(positions, asked)
        positions, documents = positions[is_asked], documents[is_asked]
        self._check({*documents.tolist()})
        hidden, counts = np.unique(positions[~np.isin(documents, list(self._visible))], return_counts=True)
        return hidden[np.argsort(-counts, kind="stable")]

    def select_nearby(
        self, signed: Sequence[SignedText], matches: Mapping[int, BucketMatches]
    ) -> dict[int, Nearby]:
        # Hidden documents are left out before anything is counted, so they cannot change the answer.
        searches = [
            _NearbySearch(
                text,
                matches[text.document_id],
                self._excluded_keys[text.document_id],
                self.max_screened,
            )
            for text in signed
        ]
        while unfinished := [search for search in searches if search.unchecked]:
            self._check({document_id for search in unfinished for document_id in search.next_batch})
            for search in unfinished:
                search.take_visible(self._visible)
        nearby = {search.signed.document_id: search.nearby for search in searches}
        return self.with_text_hits(signed, nearby)

    def usable_hits(self, signed: SignedText, hits: Sequence[int]) -> Sequence[int]:
        self._check(hits)
        return [
            hit
            for hit in hits
            if (post := self._visible.get(hit))
            and post.space_id == signed.space_id
            and post.key != self._excluded_keys[signed.document_id]
        ]

    def read_text_hits(self, searches: Sequence[TextSearch]) -> Sequence[Sequence[int]]:
        # Two searches of each text: hidden posts, however many, displace no live one.
        asked = [search._replace(is_live=is_live) for search in searches for is_live in (True, False)]
        hits, is_complete = storage.search_texts_for_page(self.using, asked)
        for search, live_hits in zip(searches, hits[::2], strict=True):
            self._check(live_hits)
            is_crowded = len(live_hits) == search.size and not self._visible.keys() >= {*live_hits}
            if is_crowded or not is_complete:
                self.crowded.add(search.document)
        return [[*live_hits, *others] for live_hits, others in zip(hits[::2], hits[1::2], strict=True)]

    def hits_to_ask(self, signed: SignedText) -> int:
        # Some of them the caller may not see.
        return self.bucket_limit.size

    def screening_rows(self, documents: Collection[int]) -> dict[int, ScreeningRow]:
        if not documents:
            return {}
        self._check(documents)
        visible = self._visible.keys() & documents
        rows = fingerprint_queries.screening_rows_with_codes(self.using, visible, self.scheme.pk)
        self._codes |= {row[0]: row[-1] for row in rows}
        leaders = {leader for row in rows if row[0] in self._crowding for leader in row[6:8] if leader}
        self._check(leaders)
        return {row[0]: self._screening_row(ScreeningRow._make(row[:-1])) for row in rows}

    def _screening_row(self, row: ScreeningRow) -> ScreeningRow:
        """Return the row with the leaders that the caller may see, if its document stands in a full bucket.

        Of other rows the leaders are left out: hidden posts also decide which post leads.
        """
        leader, family = (
            leader if row.document_id in self._crowding and leader in self._visible else None
            for leader in (row.leader_id, row.family_id)
        )
        return row._replace(leader_id=leader, family_id=family)

    def family_members(self, leaders: Collection[int]) -> dict[int, list[int]]:
        members = super().family_members(leaders)
        self._crowding.update(document for documents in members.values() for document in documents)
        return members

    def rank(self, signed: SignedText, passing: Iterable[PassingRow]) -> list[ScreeningRow]:
        assert isinstance(signed, SignedDocument)
        overlap, own_key = ContentOverlapFilter(signed), self._excluded_keys[signed.document_id]
        useful = [
            (row, similarity)
            for row, similarity, key_count in passing
            if self._visible[row.document_id].key != own_key
            and overlap.passes(key_count, row.word_count, row.payload)
        ]
        rows = self._in_order(signed, useful)
        similarities = {row.document_id: similarity for row, similarity in useful}
        # Leaders are candidates like others: they are not aligned first.
        return [
            row._replace(leader_id=None, family_id=None)
            for row in self._with_earliest_posts(signed, rows, similarities)
        ]

    def rank_sure(self, signed: SignedText, rows: list[ScreeningRow]) -> list[ScreeningRow]:
        # Only some of them are read, and many posts may have one identity value.
        assert isinstance(signed, SignedDocument)
        own_key = self._excluded_keys[signed.document_id]
        rows = [row for row in rows if self._visible[row.document_id].key != own_key]
        if len(rows) < 2:
            return rows
        scores = signed.algorithm.screen_many(signed.payload, [row.payload for row in rows]).tolist()
        return self._in_order(signed, zip(rows, scores))

    def fingerprints(self, rows: Collection[ScreeningRow]) -> dict[int, StoredFingerprint]:
        posts = (self._visible[row.document_id] for row in rows)
        return {
            post.document_id: StoredFingerprint(
                *row[:5], None, post.space_id, post.content_type_id, post.object_id
            )
            for row, post in zip(rows, posts)
        }

    def letters(self, fingerprints: Sequence[StoredFingerprint]) -> dict[int, int]:
        posts = {one.document_id: self.read_post(one.document_id) for one in fingerprints}
        return {document_id: len(post[1].text) for document_id, post in posts.items() if post}

    def texts(self, fingerprints: Iterable[StoredFingerprint]) -> dict[int, JudgeableText]:
        texts = {}
        for fingerprint in fingerprints:
            if post := self.read_post(fingerprint.document_id):
                adapter = adapter_for(post[0])
                texts[fingerprint.document_id] = text_of_source(fingerprint, adapter, post[1], self.scheme)
        return texts

    def is_judged_by_payload(self, signed: SignedText, fingerprints: Iterable[StoredFingerprint]) -> bool:
        # The identity of a post is applied when its object is there.
        return not (signed.algorithm.needs_text or signed.algorithm.guard)

    def select_candidates(
        self, signed: Sequence[SignedDocument], candidates: Mapping[int, Candidates], limit: int
    ) -> dict[int, Candidates]:
        """Return the candidates to judge. Their objects are read, those of all texts together.

        At most ``limit`` exact copies are taken; they need no alignment. If fewer exist, or with
        ``aligns_beside_copies``, at most ten other candidates are taken, the most promising first.
        Candidates that cannot be read, or that have left the space, are left out.
        """
        chosen = {
            text.document_id: self._choose(text, candidates[text.document_id].fingerprints, limit)
            for text in signed
        }
        self._read({one.document_id for fingerprints in chosen.values() for one in fingerprints})
        for text in signed:
            self._drop_moved(text, chosen[text.document_id])
        changed = {
            copy.document_id
            for text in signed
            for copy in chosen[text.document_id]
            if copy.exact_digest == text.exact_digest and not self._is_unchanged(copy)
        }
        if not changed:
            return {
                document_id: Candidates([one for one in fingerprints if self.read_post(one.document_id)])
                for document_id, fingerprints in chosen.items()
            }
        # Copies that changed since they were signed are judged like other candidates. The selection is
        # repeated, so that they do not displace other posts.
        remaining = {
            document_id: Candidates(
                [
                    one._replace(exact_digest="") if one.document_id in changed else one
                    for one in of_text.fingerprints
                    if one.document_id not in changed or self.read_post(one.document_id)
                ]
            )
            for document_id, of_text in candidates.items()
        }
        return self.select_candidates(signed, remaining, limit + MAX_ALIGNED)

    @property
    def partial(self) -> set[int]:
        """The document ids of texts with candidates that are missing or were not aligned."""
        return self.crowded | self.work.screened.keys()

    def static_order(self, document_id: int) -> tuple[int, int, int]:
        """Return the place of a visible document in the static order."""
        return self._visible[document_id].static_order

    def read_post(self, document_id: int) -> tuple[Model, Source] | None:
        """Return the object of a selected document, and its source. Return None if it could not be read."""
        return self._objects.get(self._visible[document_id].key)

    def _choose(
        self, signed: SignedDocument, fingerprints: Sequence[StoredFingerprint], limit: int
    ) -> list[StoredFingerprint]:
        copies = [one for one in fingerprints if one.exact_digest == signed.exact_digest]
        copies = sorted(copies, key=lambda copy: self.static_order(copy.document_id))[:limit]
        # No match is better than an exact copy, unless its identity values differ from those of the text.
        if len(copies) == limit and not any(signed.identity) and not self.aligns_beside_copies:
            return copies
        others = [one for one in fingerprints if one.exact_digest != signed.exact_digest]
        return copies + others[:MAX_ALIGNED]

    def _with_earliest_posts(
        self, signed: SignedDocument, rows: Sequence[ScreeningRow], similarities: Mapping[int, float]
    ) -> list[ScreeningRow]:
        """Return the rows in their order, but move the earliest posts that may be duplicates among the aligned ones."""
        count = MAX_ALIGNED - EARLIEST_ALIGNED
        possible_duplicates = [
            row
            for row in rows[count:]
            if similarities[row.document_id]
            >= signed.algorithm.duplicate_threshold(min(signed.word_count, row.word_count))
        ]
        earliest = sorted(
            possible_duplicates,
            key=lambda row: (self._has_other_codes(signed, row), self.static_order(row.document_id)),
        )[:EARLIEST_ALIGNED]
        moved = {row.document_id for row in earliest}
        return [*rows[:count], *earliest, *(row for row in rows[count:] if row.document_id not in moved)]

    def _has_other_codes(self, signed: SignedDocument, row: ScreeningRow) -> bool:
        codes = self._codes[row.document_id]
        return bool(codes and signed.codes) and codes != signed.codes

    def _in_order(
        self, signed: SignedDocument, candidates: Iterable[tuple[ScreeningRow, float]]
    ) -> list[ScreeningRow]:
        """Return candidates, given with their similarity, the most promising first."""

        def sort_key(candidate: tuple[ScreeningRow, float]) -> tuple[bool, float, tuple[int, int, int]]:
            row, similarity = candidate
            # Adverts from one template differ in little more than a code. So posts about the same item come
            # first.
            return self._has_other_codes(signed, row), -similarity, self.static_order(row.document_id)

        return [row for row, _ in sorted(candidates, key=sort_key)]

    def _check(self, documents: Collection[int]) -> None:
        """Find out which documents have objects that the caller may see. Each is looked up once."""
        unknown = sorted(set(documents) - self._checked)
        for start in range(0, len(unknown), VISIBILITY_BATCH_SIZE):
            self._check_batch(unknown[start : start + VISIBILITY_BATCH_SIZE])

    def _check_batch(self, unknown: Sequence[int]) -> None:
        self._checked.update(unknown)
        rows = document_queries.places_of(self.using, unknown)
        adapters: dict[int, Adapter | None] = {
            content_type_id: adapter_of(content_type_id, self.using)
            for content_type_id in {row[4] for row in rows}
        }
        posts = [
            VisiblePost(
                document_id, space_id, since, number, content_type_id, object_id, (adapter.model, object_id)
            )
            for document_id, space_id, since, number, content_type_id, object_id in rows
            if (adapter := adapters[content_type_id])
        ]
        visible_keys = self._visibility.visible_keys([post.key for post in posts], self.using)
        self._visible |= {post.document_id: post for post in posts if post.key in visible_keys}

    def _read(self, documents: Collection[int]) -> None:
        wanted = [self._visible[document_id].key for document_id in sorted(documents)]
        keys = [key for key in wanted if key not in self._objects]
        if not keys:
            return
        objects = self._visibility.fetch_objects(keys, self.using)
        for key in keys:
            source = _read_source(objects[key]) if key in objects else None
            self._objects[key] = (objects[key], source) if source else None

    def _drop_moved(self, signed: SignedDocument, fingerprints: Iterable[StoredFingerprint]) -> None:
        """Drop the objects that have left the space of a text. They count as objects that cannot be read."""
        for one in fingerprints:
            post = self.read_post(one.document_id)
            if post and space_columns(adapter_for(post[0]), post[1].scope)["digest"] != signed.space_digest:
                self._objects[self._visible[one.document_id].key] = None

    def _is_unchanged(self, copy: StoredFingerprint) -> bool:
        """Return whether the post has the source that was signed.

        It may have become live or ceased to be live since.
        """
        post = self.read_post(copy.document_id)
        return post is not None and copy.source_digest in (
            post[1].digest,
            replace(post[1], live=False).digest,
        )


class _NearbySearch:
    """The search for the visible documents that share keys with one text."""

    def __init__(
        self, signed: SignedText, matches: BucketMatches, excluded_key: ObjectKey | None, max_screened: int
    ) -> None:
        self.signed, self._excluded_key = signed, excluded_key
        self._counts = dict(zip(matches.documents.tolist(), matches.counts.tolist()))
        self._sure = matches.sure_documents
        limit = signed.algorithm.limit
        self._remaining = max_screened if limit is None else min(max_screened, limit)
        self.unchecked = self._order(matches)
        self.nearby = Nearby({}, set())

    @property
    def next_batch(self) -> list[int]:
        """Return the documents to check next."""
        return self.unchecked[:VISIBILITY_BATCH_SIZE]

    def take_visible(self, visible: Mapping[int, VisiblePost]) -> None:
        """Take the visible documents of the next batch."""
        batch, self.unchecked = self.next_batch, self.unchecked[VISIBILITY_BATCH_SIZE:]
        for document_id in batch:
            post = visible.get(document_id)
            if post is None or post.space_id != self.signed.space_id or post.key == self._excluded_key:
                continue
            if document_id in self._sure:
                self.nearby.sure_documents.add(document_id)
                continue
            self.nearby.shared_counts[document_id] = self._counts[document_id]
            self._remaining -= 1
            if not self._remaining:
                self.unchecked = []
                return

    def _order(self, matches: BucketMatches) -> list[int]:
        """Return the documents that share enough keys: sure ones, then the ones with most shared keys."""
        import numpy as np

        algorithm = self.signed.algorithm
        is_sure = np.isin(matches.documents, list(self._sure))
        older_first = 1 if algorithm.limit is not None else -1
        order = np.lexsort((older_first * matches.documents, -matches.counts, ~is_sure))
        has_enough_keys = is_sure | (matches.counts >= algorithm.min_shared)
        documents: list[int] = matches.documents[order][has_enough_keys[order]].tolist()
        return documents


def _first_of_each(positions: Numbers, owners: Numbers, limit: int) -> Numbers:
    """Return the first ``limit`` positions of each owner."""
    import numpy as np

    order = np.argsort(owners, kind="stable")
    ranks = np.arange(len(owners)) - np.searchsorted(owners[order], owners[order])
    return positions[order[ranks < limit]]


def _read_source(instance: Model) -> Source | None:
    """Return the object's source. Return None and log a warning if it cannot be read."""
    try:
        return adapter_for(instance).source(instance, compared=True, live=True)
    except Exception as error:
        logger.warning(
            "neardup: %s %s cannot be read: %s", instance._meta.label, instance.pk, type(error).__name__
        )
        return None

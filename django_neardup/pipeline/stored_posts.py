"""The posts of the database: all that are stored of them, read for many documents with few statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..adapters import Adapter, Source, read_sources
from ..algorithms.base import Algorithm
from ..comparison.compared_texts import (
    JudgeableText,
    PairSide,
    Relations,
    ScreeningRow,
    SignedText,
    StoredFingerprint,
)
from ..comparison.packed_keys import both_buckets
from ..comparison.posts import MAX_FAMILY_SCREENED, ComparedPosts
from ..comparison.work_limit import WorkLimit
from ..conf import KEYS, Profile
from ..db.chunks import chunked
from ..db.queries import clusters as cluster_queries
from ..db.queries import documents as document_queries
from ..db.queries import fingerprints as fingerprint_queries
from ..index import TextSearch
from ..index import keys as storage
from ..models import FamilyMember, Scheme
from ..registry import adapter_of
from .scheme_cache import cached_space
from .schemes import algorithm_of
from .source_properties import ignored_classes_of, skip_reason
from .stage_types import SignedDocument
from .text_cache import cached_canonical_text
from .work_queue import mark_document

if TYPE_CHECKING:
    from ..comparison.bucket_matches import BucketMatches, Nearby, Numbers
    from .text_candidates import BucketReader


TURN_UNITS = 900_000
"""Work of aligning a text with its candidates in one turn (see ``comparison.work_limit``): less than a second."""

POSTS_READ = 16
"""Posts that are read together to learn the lengths of their texts. Some may have a megabyte."""

PostId = tuple[int, str]


class StoredPosts(ComparedPosts):
    """All posts of the database under one scheme. A post whose text has changed without a mark is marked."""

    def __init__(self, settings: Profile, scheme: Scheme, using: str, work: WorkLimit | None = None) -> None:
        super().__init__(
            settings.bucket,
            settings.max_aligned,
            bool(settings.memory_days),
            work or WorkLimit(TURN_UNITS),
        )
        self.scheme, self.using = scheme, using
        self._sources: dict[PostId, Source] = {}

    @classmethod
    def of(cls, signed: Sequence[SignedDocument], using: str) -> StoredPosts:
        """Return the posts with which these documents of one scheme are compared."""
        return cls(signed[0].adapter.settings, signed[0].scheme, using)

    def algorithm(self, ignored_classes: tuple[str, ...] | None) -> Algorithm:
        return algorithm_of(self.scheme, ignored_classes)

    def read_buckets(self, signed: Sequence[SignedText], keys: Numbers) -> tuple[Numbers, Numbers]:
        read = self.bucket_reader(partial(storage.read_buckets, self.using), signed)
        if len(signed) == 1:
            positions, documents = read(both_buckets(keys), self.bucket_limit)
            return positions // 2, documents
        from .batch_buckets import read_one_after_another

        return read_one_after_another(signed, keys, self.bucket_limit, read)

    def bucket_reader(self, read: BucketReader, signed: Sequence[SignedText]) -> BucketReader:
        """Return the reader of the buckets that name candidates. ``read`` reads all documents of a bucket."""
        if self.scheme.candidates == KEYS:
            return read
        from .text_candidates import sure_or_unsent

        return sure_or_unsent(read, signed, self.using)

    def select_nearby(
        self, signed: Sequence[SignedText], matches: Mapping[int, BucketMatches]
    ) -> dict[int, Nearby]:
        return self.with_text_hits(signed, super().select_nearby(signed, matches))

    def with_text_hits(self, signed: Sequence[SignedText], nearby: dict[int, Nearby]) -> dict[int, Nearby]:
        """Add the documents that a search of words names, if CANDIDATES is such a search."""
        if self.scheme.candidates == KEYS:
            return nearby
        # Of a deleted post that is remembered no text is left to search for.
        signed = [text for text in signed if text.text is not None]
        for text, hits in zip(signed, self._search_texts(signed), strict=True):
            shared_counts, sure_documents = nearby[text.document_id]
            for document in self.usable_hits(text, hits)[: self._max_hits(text)]:
                if document not in sure_documents:
                    # The search stands for the keys that a candidate shares.
                    least = text.algorithm.min_shared
                    shared_counts[document] = max(shared_counts.get(document, 0), least)
        return nearby

    def usable_hits(self, signed: SignedText, hits: Sequence[int]) -> Sequence[int]:
        """Return those of the documents that a search of words names with which the text may be compared."""
        return hits

    def read_text_hits(self, searches: Sequence[TextSearch]) -> Sequence[Sequence[int]]:
        """Return the documents that each search of words names, the best first."""
        return storage.search_texts(self.using, searches)

    def hits_to_ask(self, signed: SignedText) -> int:
        """Return how many documents a search of words is asked for."""
        return self._max_hits(signed)

    def _max_hits(self, signed: SignedText) -> int:
        return signed.algorithm.limit or self.max_aligned

    def _search_texts(self, signed: Sequence[SignedText]) -> Sequence[Sequence[int]]:
        searches = [
            TextSearch(
                self.scheme.candidates,
                text.text.language,
                text.text.plain,
                text.space_id,
                text.document_id,
                self.hits_to_ask(text),
            )
            for text in signed
            if text.text is not None
        ]
        return self.read_text_hits(searches)

    def relations_of(self, documents: Collection[int]) -> dict[int, Relations]:
        # One statement for a few hundred documents.
        relations_by_document: dict[int, Relations] = {}
        for kind, document, other, space in cluster_queries.relations(self.using, documents):
            relations = relations_by_document.setdefault(document, Relations())
            relations.has_relations = True
            if kind == cluster_queries.PAIR_RELATION:
                relations.paired_documents.add(other)
            elif kind == cluster_queries.MEMBERSHIP_RELATION:
                relations.leader_id = other
            if kind != cluster_queries.DECISION_RELATION:
                relations.spaces.add(space)
        return relations_by_document

    def screening_rows(self, documents: Collection[int]) -> dict[int, ScreeningRow]:
        # Their rows in the table of documents are not read: they are on other pages of the disk.
        if not documents:
            return {}
        rows = fingerprint_queries.screening_rows(self.using, documents, self.scheme.pk)
        return {row[0]: ScreeningRow._make(row) for row in rows}

    def family_members(self, leaders: Collection[int]) -> dict[int, list[int]]:
        members: dict[int, list[int]] = {}
        rows = FamilyMember.objects.using(self.using).filter(scheme=self.scheme.pk).order_by("document_id")
        for leader in sorted(leaders):
            documents = rows.filter(leader=leader).values_list("document", flat=True)
            members[leader] = list(documents[:MAX_FAMILY_SCREENED])
        return members

    def fingerprints(self, rows: Collection[ScreeningRow]) -> dict[int, StoredFingerprint]:
        objects = (
            document_queries.objects_of(self.using, sorted(row.document_id for row in rows)) if rows else {}
        )
        return {
            row.document_id: StoredFingerprint(*row[:5], row.leader_id, *objects[row.document_id])
            for row in rows
            if row.document_id in objects
        }

    def fingerprints_of(self, documents: Collection[int]) -> dict[int, StoredFingerprint]:
        return fingerprints_of(documents, self.scheme.pk, self.using)

    def letters(self, fingerprints: Sequence[StoredFingerprint]) -> dict[int, int]:
        # Texts that are aligned are not read twice. Others are dropped at once: there may be many long ones.
        self._sources, letters = {}, super().letters(fingerprints)
        for chunk in chunked(fingerprints, POSTS_READ):
            sources = read_sources(map(_post_id, chunk), self.using)
            for fingerprint in chunk:
                source = sources.get(_post_id(fingerprint))
                if source is not None:
                    letters[fingerprint.document_id] = len(source.text)
                    if self.work.may_fit(len(source.text)):
                        self._sources[_post_id(fingerprint)] = source
        return letters

    def texts(self, fingerprints: Iterable[StoredFingerprint]) -> dict[int, JudgeableText]:
        return read_texts(fingerprints, self.scheme, self.using, self._sources)

    def is_judged_by_payload(self, signed: SignedText, fingerprints: Iterable[StoredFingerprint]) -> bool:
        if not super().is_judged_by_payload(signed, fingerprints):
            return False
        content_types = {fingerprint.content_type_id for fingerprint in fingerprints}
        # Reading finds out which posts the site no longer compares.
        return all(adapter_of(content_type, self.using) is not None for content_type in content_types)


def fingerprints_of(documents: Collection[int], scheme: int, using: str) -> dict[int, StoredFingerprint]:
    """Return the fingerprints of documents under the scheme, with the leaders of their clusters.

    Leave out documents without a fingerprint, and deleted posts that are remembered.
    """
    rows = fingerprint_queries.with_objects(using, documents, scheme) if documents else []
    # A remembered deleted post has no source digest: its text is gone.
    return {row[0]: StoredFingerprint._make(row) for row in rows if row[1]}


def read_texts(
    fingerprints: Iterable[StoredFingerprint],
    scheme: Scheme,
    using: str,
    known_sources: Mapping[PostId, Source] = MappingProxyType({}),
) -> dict[int, JudgeableText]:
    """Read the current texts of fingerprints, by document id, with few queries per model.

    A document is left out if its object is gone, has left the space, is no longer compared or cannot be read. Such
    a document is marked. So is a document with another digest than the stored one. ``known_sources``: sources that
    were just read.
    """
    texts: dict[int, JudgeableText] = {}
    for fingerprint, source, text in _read_all(fingerprints, scheme, using, known_sources):
        document = fingerprint.document_id
        has_changed = text is None or text.side.stored_digest != text.side.read_digest
        if text is not None and not (has_changed and _has_left_space(fingerprint, source, using)):
            texts[document] = text
        if has_changed:
            # A recheck, even if the text becomes what it was: the pair with this document was not judged.
            mark_document(document, using, recheck=source is not None)
    return texts


def read_unchanged_texts(
    fingerprints: Iterable[StoredFingerprint], scheme: Scheme, using: str
) -> dict[int, JudgeableText]:
    """Read the texts of fingerprints that are as they were signed, by document id. Nothing is marked."""
    return {
        fingerprint.document_id: text
        for fingerprint, _, text in _read_all(fingerprints, scheme, using)
        if text is not None and text.side.stored_digest == text.side.read_digest
    }


def _has_left_space(fingerprint: StoredFingerprint, source: Source | None, using: str) -> bool:
    """Return whether a source belongs to another space than the stored document."""
    adapter = adapter_of(fingerprint.content_type_id, using)
    if adapter is None or source is None:
        return False
    return cached_space(adapter, source, using)[0] != fingerprint.space_id


def _post_id(fingerprint: StoredFingerprint) -> PostId:
    return fingerprint.content_type_id, fingerprint.object_id


def _read_all(
    fingerprints: Iterable[StoredFingerprint],
    scheme: Scheme,
    using: str,
    known_sources: Mapping[PostId, Source] = MappingProxyType({}),
) -> list[tuple[StoredFingerprint, Source | None, JudgeableText | None]]:
    """Return each fingerprint with source and text. They are None if there is nothing to read, or to compare."""
    requested = list(fingerprints)
    unknown = [post_id for post_id in map(_post_id, requested) if post_id not in known_sources]
    sources = {**known_sources, **read_sources(unknown, using)}
    read = []
    for fingerprint in requested:
        source = sources.get(_post_id(fingerprint))
        text = _read_text(fingerprint, adapter_of(fingerprint.content_type_id, using), source, scheme)
        read.append((fingerprint, source, text))
    return read


def _read_text(
    fingerprint: StoredFingerprint, adapter: Adapter | None, source: Source | None, scheme: Scheme
) -> JudgeableText | None:
    """Return the text of a source that was read again. Return None if there is nothing to compare."""
    if adapter is None or source is None:
        return None
    text = text_of_source(fingerprint, adapter, source, scheme)
    return None if skip_reason(adapter, source, text.text) else text


def text_of_source(
    fingerprint: StoredFingerprint, adapter: Adapter, source: Source, scheme: Scheme
) -> JudgeableText:
    """Return the text of the post of a fingerprint, as the adapter has read it now."""
    return JudgeableText(
        PairSide(fingerprint.document_id, fingerprint.source_digest, source.digest),
        source.identity,
        cached_canonical_text(adapter, source, source.digest, scheme),
        ignored_classes_of(adapter),
        source.author[:255],
    )

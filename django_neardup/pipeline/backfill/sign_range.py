"""The first half of a run: read and sign objects, and set aside documents that need no signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...db.chunks import chunked
from ...db.queries import fingerprints as fingerprint_queries
from ...models import Document, Scheme
from ..process_documents import remove_document
from ..read import read_many, split_by_length
from ..sign import sign_many
from ..stage_types import ReadDocument, SignedDocument, SkippedDocument
from ..work_queue import mark_document
from . import range_documents
from .batch_fallback import apply_to_all_or_each
from .passes import IndexPass

READ_SIZE = 50
"""Objects read at once. After each such portion the claim is renewed, however long the objects take."""


def sign_objects(
    index_pass: IndexPass,
    scheme: Scheme,
    first_seen_numbers: Mapping[Any, int],
    keep_alive: Callable[[], None],
) -> tuple[list[SignedDocument], list[int], list[Document]]:
    """Read the objects and sign the ones whose document needs a new signature.

    Return the signatures of leased documents, the ids of all documents, and the documents that another
    process has locked or marked meanwhile. Pass the latter to ``request_recheck``.

    Other documents are up to date, are not compared, or are left to the normal drain because their object
    cannot be read or is gone. ``first_seen_numbers`` is keyed by primary key. ``keep_alive`` is called after
    every few objects.
    """
    using, read_documents = index_pass.using, list[ReadDocument]()
    for documents in chunked(
        range_documents.get_or_create_documents(
            index_pass.adapter, first_seen_numbers, using, renumber=index_pass.is_first
        ),
        READ_SIZE,
    ):
        read_documents += read_many(documents, using)
        keep_alive()
    outdated = _select_outdated(read_documents, scheme, using)
    readable = [read_document for read_document in outdated if read_document.source is not None]
    results = [
        result
        for batch in split_by_length(readable)
        for result in apply_to_all_or_each(
            lambda documents_to_sign: _sign_or_skip(documents_to_sign, scheme, using), batch
        )
    ]
    processable_ids = {_document_id(result) for result in results}
    leased = _lease_documents(
        [
            read_document.document
            for read_document in outdated
            if read_document.document.pk in processable_ids
        ],
        using,
    )
    for result in results:
        if _document_id(result) in leased and isinstance(result, SkippedDocument):
            remove_document(result.read_document, using, Document.State.SKIPPED, result.reason)
    _release_unsigned(
        [
            read_document.document
            for read_document in outdated
            if read_document.document.pk not in processable_ids
        ],
        using,
    )
    signed = [
        result for result in results if isinstance(result, SignedDocument) and result.document_id in leased
    ]
    for result in signed:
        result.requested_version = leased[result.document_id].wanted
    locked_documents = [
        read_document.document
        for read_document in outdated
        if read_document.document.pk in processable_ids - leased.keys()
    ]
    return signed, [read_document.document.pk for read_document in read_documents], locked_documents


def _sign_or_skip(
    read_documents: Sequence[ReadDocument], scheme: Scheme, using: str
) -> list[SignedDocument | SkippedDocument]:
    signed, skipped = sign_many(read_documents, scheme, using)
    for signed_document in signed:
        signed_document.batch = None  # for long texts it contains every word
    return [
        *signed,
        *(
            skipped_document
            for skipped_document in skipped
            if not _is_skipped(skipped_document.read_document.document)
        ),
    ]


def _is_skipped(document: Document) -> bool:
    return document.pending_since is None and document.state == Document.State.SKIPPED


def _document_id(result: SignedDocument | SkippedDocument) -> int:
    return result.document_id if isinstance(result, SignedDocument) else result.read_document.document.pk


def _lease_documents(documents_to_lease: Sequence[Document], using: str) -> dict[int, Document]:
    """Return by id the documents that this run holds a lease on.

    Some were leased when they were created, by this run or by a killed one. The others are leased now. If a
    worker processes one of them at this moment, the fence detects it.
    """
    leased_at_creation = [
        document
        for document in documents_to_lease
        if document.version == 0 and document.leased_until is not None
    ]
    ids = {document.pk for document in leased_at_creation}
    newly_leased = range_documents.lease_for_signing(
        [document for document in documents_to_lease if document.pk not in ids], using
    )
    return {document.pk: document for document in (*leased_at_creation, *newly_leased)}


def _release_unsigned(unsigned: Sequence[Document], using: str) -> None:
    """Leave documents that cannot be signed to the normal drain."""
    range_documents.release_documents(
        [document.pk for document in unsigned if document.pending_since is not None], using
    )
    for document in unsigned:
        if document.pending_since is None and document.state != Document.State.SKIPPED:
            mark_document(document.pk, using)


def _select_outdated(
    read_documents: Sequence[ReadDocument], scheme: Scheme, using: str
) -> list[ReadDocument]:
    """Return the documents whose text differs from the indexed one, and the documents with a pending request."""
    stored_digests = _finished_digests(
        [read_document.document.pk for read_document in read_documents if read_document.document.version],
        scheme,
        using,
    )
    return [
        read_document for read_document in read_documents if not _is_up_to_date(read_document, stored_digests)
    ]


def _is_up_to_date(read_document: ReadDocument, stored_digests: Mapping[int, str]) -> bool:
    document, source = read_document.document, read_document.source
    if document.pending_since is not None or document.recheck or source is None:
        return False
    return document.state == Document.State.INDEXED and stored_digests.get(document.pk) == source.digest


def _finished_digests(document_ids: Sequence[int], scheme: Scheme, using: str) -> dict[int, str]:
    """Return the source digests of documents that are signed and concluded."""
    return fingerprint_queries.concluded_digests(using, document_ids, scheme.pk)

"""Write the keys of a run to the index in key order, and then the fingerprints that declare them.

A key of a document without a fingerprint is ignored by its readers. So a run that is interrupted between the
two does no harm. Documents that were signed live meanwhile keep their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ...adapters import Adapter
from ...comparison.packed_keys import unpack_keys
from ...db.chunks import chunked
from ...db.queries import documents as document_queries
from ...db.queries import fingerprints as fingerprint_queries
from ...index import keys as storage
from ...models import Document
from ..content_objects import content_type_of
from ..locks import call_with_retries, write_transaction
from ..stage_types import SignedDocument
from ..store import store_many
from .batch_fallback import apply_to_all_or_each
from .run_posts import RunPosts
from .spool import Spool

SLICE_SIZE = 25_000
"""Approximate number of keys in one transaction.

On SQLite no other process writes meanwhile, and each key is a Python object.
"""

BATCH = 500
"""Documents whose fingerprints are written in one transaction."""


def write_keys(spool: Spool, posts: RunPosts, using: str, is_retry: bool) -> Iterator[int]:
    """Write the keys of a run, after adding them to ``posts``.

    Yield the number of keys in each transaction. ``is_retry``: some of the keys may exist already.
    """
    for keys, documents in spool.key_slices(SLICE_SIZE):
        posts.add_keys(keys, documents)
        call_with_retries(storage.add_run, using, keys, documents, assume_new=not is_retry)
        yield len(keys)


def store_signed(signed: Sequence[SignedDocument], using: str) -> list[SignedDocument]:
    """Write fence, fingerprint and contacts of documents whose keys are written.

    Return the documents that were stored. The others were processed by a newer turn: their keys of this run
    are removed. Raise ``SchemeChanged`` if another scheme has become active.
    """
    stored_documents: list[SignedDocument] = []
    try:
        for batch in chunked(signed, BATCH):
            stored_documents += apply_to_all_or_each(
                lambda portion: store_many(portion, using, keys_written=True), batch
            )
    finally:
        stored_ids = {signed_document.document_id for signed_document in stored_documents}
        for signed_document in signed:
            if signed_document.document_id not in stored_ids:
                remove_unowned_keys(signed_document.document_id, signed_document.keys.tolist(), using)
    return stored_documents


def remove_unowned_keys(document: int, keys: Iterable[int], using: str) -> None:
    """Remove keys of the document that its fingerprints do not contain."""
    call_with_retries(_remove_unowned_keys, document, set(keys), using)


def delete_orphaned_keys(
    adapter: Adapter, documents: Collection[int], using: str, keep_alive: Callable[[], None]
) -> None:
    """Remove keys that a killed run left for the documents and that no fingerprint declares.

    Documents with an id between them whose objects have gone since are cleaned as well. The key table is
    scanned once, and once more for every 500 documents with surplus keys. ``keep_alive`` is called before
    each scan.
    """
    if not documents:
        return
    lowest_id, highest_id = min(documents), max(documents)
    gone = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), state=Document.State.GONE, pending_since=None
    )
    document_ids = {*documents, *gone.filter(pk__range=(lowest_id, highest_id)).values_list("pk", flat=True)}
    declared_counts = fingerprint_queries.key_counts(using, sorted(document_ids))
    keep_alive()
    stored_counts = storage.key_counts(using, lowest_id, highest_id)
    surplus_ids = {
        document
        for document in document_ids & stored_counts.keys()
        if stored_counts[document] > declared_counts.get(document, 0)
    }
    for portion in chunked(sorted(surplus_ids), storage.MAX_DOCUMENTS):
        keep_alive()
        for document, keys in storage.keys_of(using, portion).items():
            remove_unowned_keys(document, keys, using)


def _remove_unowned_keys(document: int, keys: set[int], using: str) -> None:
    with write_transaction(using):
        # No turn writes its keys meanwhile.
        document_queries.lock(using, document)
        fingerprints = fingerprint_queries.keys_by_scheme(using, [document])
        declared_keys = {key for *_, packed in fingerprints for key in unpack_keys(packed)}
        storage.replace_keys(using, document, keys - declared_keys, ())

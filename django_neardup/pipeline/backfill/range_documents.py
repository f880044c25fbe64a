"""Documents of a range: create the missing ones, and request turns for documents that must be processed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connections
from django.db.models import BigIntegerField, Case, F, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from ...adapters import Adapter
from ...db.backends import get_backend
from ...db.chunks import CHUNK_SIZE, chunked
from ...db.queries import documents as document_queries
from ...models import LIVE_FIRST_SEEN, Document
from ...models.fields import DatabaseClock
from ..content_objects import canonical_id, content_type_of, document_key_of
from ..locks import call_with_retries, write_transaction
from ..work_queue import mark_document

READ_FIELDS = (
    "id", "wanted", "pending_since", "content_type_id", "object_id", "state", "recheck", "first_seen",
)  # fmt: skip
"""The fields of a document that are read before it is leased."""

READ_COLUMNS = [field.attname for field in Document._meta.concrete_fields if field.attname in READ_FIELDS]


def get_or_create_documents(
    adapter: Adapter,
    first_seen_numbers: Mapping[Any, int],
    using: str,
    renumber: bool,
) -> list[Document]:
    """Return the documents of the objects in their order.

    Missing ones are created with the first-seen numbers, pending. ``renumber``: documents that were processed
    live get their number as well, and a turn for its consequences.
    """
    documents = _read_documents(adapter, list(first_seen_numbers), using)
    missing = [key for key in first_seen_numbers if canonical_id(key) not in documents]
    for portion in chunked(missing, CHUNK_SIZE // 4):  # four parameters each, see CHUNK_SIZE
        call_with_retries(
            _create_documents, adapter, {key: first_seen_numbers[key] for key in portion}, using
        )
    if renumber:
        _renumber(documents, first_seen_numbers, using)
    documents |= _read_documents(adapter, missing, using)
    return [
        documents[object_id] for object_id in map(canonical_id, first_seen_numbers) if object_id in documents
    ]


def request_turns(documents: Sequence[Document], using: str) -> list[Document]:
    """Request a turn for each of the documents, and return those.

    Two kinds of documents are left out:

    - documents that were marked since they were read,
    - documents that another process has locked. Call ``request_recheck`` for them.
    """
    by_request: defaultdict[int, list[Document]] = defaultdict(list)
    for document in documents:
        by_request[document.wanted].append(document)
    # Without SKIP LOCKED, take one row at a time: a transaction that waits for a lock must hold no other
    # row.
    size = CHUNK_SIZE if get_backend(using).can_take_free_rows else 1
    return [
        document
        for same_request in by_request.values()
        for portion in chunked(same_request, size)
        for document in call_with_retries(_request_turns, portion, using)
    ]


def request_recheck(documents: Iterable[Document], using: str) -> None:
    """Request a turn for each document that was not marked since it was read."""
    for document in documents:
        # One row at a time: the update may wait for a lock, and a process that waits while it holds other
        # rows can deadlock. The row needs a mark, because the process that had locked it may not have
        # marked it, or may have rolled back.
        rows = Document.objects.using(using).filter(pk=document.pk, wanted=document.wanted)
        call_with_retries(
            rows.update,
            wanted=F("wanted") + 1,
            attempts=0,
            pending_since=Coalesce("pending_since", DatabaseClock()),
        )


def mark_all(documents: Sequence[Document], using: str) -> None:
    """Request a turn for each of the documents, also if it waits for a lock."""
    marked = {document.pk for document in request_turns(documents, using)}
    for document in documents:
        if document.pk not in marked:
            mark_document(document.pk, using)


def release_documents(documents: Iterable[int], using: str) -> None:
    """Release pending documents that a killed process may have leased.

    Its attempts do not count: those of the range do. If the process lives, a text is compared twice, which
    does no harm.
    """
    for portion in chunked(sorted(documents)):
        call_with_retries(_release_documents, portion, using)


def _read_documents(adapter: Adapter, keys: Sequence[Any], using: str) -> dict[str, Document]:
    content_type = content_type_of(adapter.model, using).pk
    object_ids = [canonical_id(key) for key in keys]
    rows = document_queries.by_objects(using, READ_COLUMNS, content_type, object_ids)
    documents = [Document.from_db(using, READ_COLUMNS, row) for row in rows]
    return {document.object_id: document for document in documents}


def _create_documents(adapter: Adapter, first_seen_numbers: Mapping[Any, int], using: str) -> None:
    created = connections[using].ops.adapt_datetimefield_value(timezone.now())
    document_queries.create_pending(
        using,
        content_type_of(adapter.model, using).pk,
        [(*document_key_of(key, adapter.model), number) for key, number in first_seen_numbers.items()],
        created,
        is_first=all(number < LIVE_FIRST_SEEN for number in first_seen_numbers.values()),
    )


def _renumber(documents: Mapping[str, Document], first_seen_numbers: Mapping[Any, int], using: str) -> None:
    for key, number in first_seen_numbers.items():
        document = documents.get(canonical_id(key))
        # The document was processed live before the backfill reached it.
        if document is not None and document.first_seen == LIVE_FIRST_SEEN != number:
            rows = Document.objects.using(using).filter(pk=document.pk)
            # An edit keeps its time.
            unedited = Case(
                When(former_texts__isnull=True, then=Value(0, BigIntegerField())), default=F("text_since")
            )
            rows.update(first_seen=number, text_since=unedited, recheck=True)
            document.first_seen, document.recheck = number, True


def _request_turns(documents: Sequence[Document], using: str) -> list[Document]:
    with write_transaction(using):
        free_ids = _lock_free(
            Document.objects.using(using).filter(
                pk__in=[document.pk for document in documents], wanted=documents[0].wanted
            ),
            using,
        )
        Document.objects.using(using).filter(pk__in=free_ids).update(
            wanted=F("wanted") + 1, attempts=0, pending_since=Coalesce("pending_since", DatabaseClock())
        )
    return [document for document in documents if document.pk in free_ids]


def _release_documents(documents: Sequence[int], using: str) -> None:
    with write_transaction(using):
        free_ids = _lock_free(Document.objects.using(using).filter(pk__in=documents), using)
        Document.objects.using(using).filter(pk__in=free_ids).update(leased_until=None, attempts=0)


def _lock_free(rows: QuerySet[Document], using: str) -> set[int]:
    """Lock the rows and return their ids. Rows that another transaction has locked are left out.

    Where the database cannot leave them out, return all ids and lock none.
    """
    if get_backend(using).can_skip_locked:
        rows = rows.select_for_update(skip_locked=True)
    return set(rows.order_by("pk").values_list("pk", flat=True))

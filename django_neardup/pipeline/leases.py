"""Lease, renew and finish many documents per statement.

No statement waits for a row while it holds other rows: that could deadlock with a request that marks
documents.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q

from ..conf import get_site_settings
from ..db.backends import get_backend
from ..db.chunks import chunked
from ..db.queries import documents as document_queries
from ..models import Document
from ..models.fields import DatabaseClock
from ..models.index import WorkQueueRow
from .locks import call_with_retries
from .stage_types import SignedDocument

PROCESSED_FIELDS = {
    "id", "content_type_id", "object_id", "space_id", "live", "state", "reason", "recheck", "version", "wanted",
    "done", "attempts", "unaligned",
}  # fmt: skip
"""Fields of a document that its processing needs. The others are not read."""

DOCUMENT_COLUMNS = [
    field.attname for field in Document._meta.concrete_fields if field.attname in PROCESSED_FIELDS
]
LEASE_ATTRIBUTE = "_neardup_lease"
"""The attribute in which a leased row keeps its ``Lease``."""

INDEXED = Document.State.INDEXED


class Lease(NamedTuple):
    """The start of a lease, by this process's own monotonic clock, and its length in seconds."""

    started: float
    seconds: float


class Completion(NamedTuple):
    """The request that is answered, and the state and reason to show from now on.

    ``state`` None leaves both unchanged. A state other than "indexed" also sets ``live`` to false.
    """

    requested_version: int
    state: str | None = None
    reason: str = ""


def is_free() -> Q:
    """Return the condition that a row is not leased."""
    # By the database's clock: the clocks of workers may differ. If it was set back, leases end too far ahead.
    return Q(leased_until=None) | Q(leased_until__lte=DatabaseClock()) | Q(leased_until__gt=_latest_end())


def is_leased() -> Q:
    """Return the condition that a row is leased: some process is working on it."""
    return Q(leased_until__gt=DatabaseClock(), leased_until__lte=_latest_end())


def _latest_end() -> Any:
    return DatabaseClock() + get_site_settings().max_lease_milliseconds


def available_rows(
    model: type[WorkQueueRow], using: str, limit: int, excluded_content_types: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Return ``(id, attempts)`` of pending rows that are not leased, at most ``limit``.

    Rows that were never tried come first, the oldest before the others. Rows of the posts of
    ``excluded_content_types`` are left out.
    """
    return document_queries.available_rows(using, model._meta.db_table, limit, excluded_content_types)


def lease_many(documents: Sequence[int], using: str, seconds: float) -> list[Document]:
    """Lease documents for ``seconds`` by the database's clock, and return them in the given order.

    Documents that another worker has leased, or has locked at this moment, are left out.
    """
    if not documents:
        return []
    milliseconds, new_lease = int(seconds * 1000), Lease(time.monotonic(), seconds)
    positions = {document: position for position, document in enumerate(documents)}
    rows = get_backend(using).lease(document_queries.TABLE, DOCUMENT_COLUMNS, documents, milliseconds)
    leased = sorted((_to_document(row, using) for row in rows), key=lambda row: positions[row.pk])
    for document in leased:
        document.__dict__[LEASE_ATTRIBUTE] = new_lease
    return leased


def renew_leases(leased_rows: Iterable[WorkQueueRow], using: str) -> None:
    """Renew leases that have passed half of their time.

    Call it between the stages of long batches and repairs. Skip rows that another worker has leased
    meanwhile, that were marked meanwhile, or that are locked at this moment.
    """
    now = time.monotonic()
    due: dict[tuple[str, float, int], list[WorkQueueRow]] = {}
    for row in leased_rows:
        # Rows that were read without a lease have no such attribute.
        lease = row.__dict__.get(LEASE_ATTRIBUTE)
        if lease is not None and now - lease.started > lease.seconds / 2:
            due.setdefault((row._meta.db_table, lease.seconds, row.attempts), []).append(row)
    for (table, seconds, attempts), rows in due.items():
        call_with_retries(
            _renew_leases, table, [row.pk for row in rows], attempts, int(seconds * 1000), using
        )
        for row in rows:
            row.__dict__[LEASE_ATTRIBUTE] = Lease(now, seconds)


def _renew_leases(table: str, ids: Sequence[int], attempts: int, milliseconds: int, using: str) -> None:
    backend = get_backend(using)
    if not backend.can_take_free_rows:
        # Without SKIP LOCKED only a statement of one row cannot wait while it holds another.
        document_queries.renew_leases(using, table, ids, attempts, milliseconds, rows_per_statement=1)
        return
    with transaction.atomic(using=using):
        free = document_queries.lock_free_rows(using, table, ids) if backend.can_skip_locked else ids
        document_queries.renew_leases(using, table, sorted(free), attempts, milliseconds)


def finish_many(signed: Sequence[SignedDocument], using: str) -> None:
    """Finish signed documents and end their leases. This never waits for a row while it holds others.

    Every request up to each one's ``requested_version`` is answered.
    """
    finish_documents(
        {document.document_id: Completion(document.requested_version, INDEXED) for document in signed},
        using,
    )


def finish_documents(completions: dict[int, Completion], using: str) -> None:
    """End the processing of documents, by document id. A document with a newer request stays pending."""
    remaining = list(completions)
    if len(completions) > 1 and get_backend(using).can_take_free_rows:
        remaining = call_with_retries(_finish_unlocked, completions, using)
    for document in remaining:
        call_with_retries(_finish, [document], completions[document], using)


def _finish_unlocked(completions: dict[int, Completion], using: str) -> list[int]:
    """Finish the documents with free rows in one transaction, and return the ids of the others."""
    with transaction.atomic(using=using):
        # SQLite has one writer at a time: inside the transaction every row is free.
        unlocked = (
            document_queries.lock_free_rows(using, document_queries.TABLE, completions)
            if get_backend(using).can_skip_locked
            else set(completions)
        )
        documents_by_completion: dict[Completion, list[int]] = {}
        for document in sorted(unlocked):
            documents_by_completion.setdefault(completions[document], []).append(document)
        for completion, documents in documents_by_completion.items():
            for chunk in chunked(documents):
                _finish(chunk, completion, using)
    return [document for document in completions if document not in unlocked]


def _finish(documents: Sequence[int], completion: Completion, using: str) -> None:
    state = () if completion.state is None else (completion.state, completion.reason)
    document_queries.finish(
        using, documents, completion.requested_version, state, is_live=completion.state == INDEXED
    )


def _to_document(row: Sequence[Any], using: str) -> Document:
    document = Document.from_db(using, DOCUMENT_COLUMNS, row)
    # SQLite and MariaDB return 0 and 1, and the rows bypass Django's converters.
    document.live, document.recheck = bool(document.live), bool(document.recheck)
    if isinstance(document.unaligned, str):
        document.unaligned = json.loads(document.unaligned)
    return document

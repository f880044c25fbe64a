"""Lease, renew and finish many documents per statement.

No statement waits for a row while it holds other rows: that could deadlock with a request that marks
documents.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connections, transaction

from ..db.chunks import chunked
from ..db.sql import execute, fetch_all, fetch_all_in, placeholders, supports_skip_locked, vendor
from ..models import Cluster, Document
from ..models.fields import CLOCK_SQL
from ..models.index import WorkQueueRow
from .locks import call_with_retries
from .stage_types import SignedDocument

PROCESSED_FIELDS = {
    "id", "content_type_id", "object_id", "space_id", "live", "state", "recheck", "version", "wanted", "done",
    "attempts",
}  # fmt: skip
"""Fields of a document that its processing needs. The others are not read."""

DOCUMENT_COLUMNS = [
    field.attname for field in Document._meta.concrete_fields if field.attname in PROCESSED_FIELDS
]
QUOTED_COLUMNS = ", ".join(f'"{name}"' for name in DOCUMENT_COLUMNS)
IS_AVAILABLE = '"pending_since" IS NOT NULL AND ("leased_until" IS NULL OR "leased_until" < {clock})'
"""Pending, and not leased by another worker."""
HAS_CONTENT_TYPE: dict[type[WorkQueueRow], str] = {
    Document: '"content_type_id" IN ({})',
    Cluster: 'EXISTS (SELECT 1 FROM "neardup_document" d WHERE d."id" = "leader_id" '
    'AND d."content_type_id" IN ({}))',
}
LEASE_DOCUMENTS = (
    'UPDATE "neardup_document" SET "leased_until" = {clock} + %s, "attempts" = "attempts" + 1 '
    'WHERE "id" IN ({ids})'
)
RENEW_LEASES = (
    'UPDATE "{table}" SET "leased_until" = {clock} + %s '
    'WHERE "leased_until" IS NOT NULL AND "attempts" = %s AND "id" IN ({{ids}})'
)
"""Skips rows with another number of ``attempts``.

Leasing adds an attempt and marking resets the attempts. So a row with another number of attempts was leased
by another worker, or marked meanwhile.
"""
LEASE_ATTRIBUTE = "_neardup_lease"
"""The attribute in which a leased row keeps its ``Lease``."""
FINISH_DOCUMENTS = (
    'UPDATE "neardup_document" SET "done" = %s, "attempts" = 0, "leased_until" = NULL, '
    '"pending_since" = CASE WHEN "wanted" > %s THEN "pending_since" END, '
    '"recheck" = CASE WHEN "wanted" > %s THEN "recheck" ELSE FALSE END{more} WHERE "done" < %s AND "id" IN ({ids})'
)
SET_STATE = ', "state" = %s, "reason" = %s'
SET_STATE_NOT_LIVE = f'{SET_STATE}, "live" = FALSE'


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


def available_rows(
    model: type[WorkQueueRow], using: str, limit: int, excluded_content_types: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Return ``(id, attempts)`` of pending rows that are not leased, oldest first, at most ``limit``.

    Rows of the posts of ``excluded_content_types`` are left out.
    """
    exclusion = (
        f" AND NOT {HAS_CONTENT_TYPE[model].format(placeholders(len(excluded_content_types)))}"
        if excluded_content_types
        else ""
    )
    return fetch_all(
        using,
        f'SELECT "id", "attempts" FROM "{model._meta.db_table}" '
        f"WHERE {IS_AVAILABLE.format(clock=_clock_sql(using))}{exclusion} "
        f'ORDER BY "pending_since", "id" LIMIT {int(limit)}',
        [*excluded_content_types],
    )


def lease_many(documents: Sequence[int], using: str, seconds: float) -> list[Document]:
    """Lease documents for ``seconds`` by the database's clock, and return them in the given order.

    Documents that another worker has leased, or has locked at this moment, are left out.
    """
    milliseconds, new_lease = int(seconds * 1000), Lease(time.monotonic(), seconds)
    lease_rows = {"postgresql": _lease_postgresql, "sqlite": _lease_sqlite}.get(vendor(using), _lease_mysql)
    positions = {document: position for position, document in enumerate(documents)}
    leased = sorted(
        map(_row_converter(using), lease_rows(documents, using, milliseconds)),
        key=lambda row: positions[row.pk],
    )
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
    statement = RENEW_LEASES.format(table=table, clock=_clock_sql(using))
    if not supports_skip_locked(using) and vendor(using) != "sqlite":
        # Without SKIP LOCKED only a statement of one row cannot wait while it holds another.
        for row_id in ids:
            execute(using, statement.format(ids="%s"), [milliseconds, attempts, row_id])
        return
    with transaction.atomic(using=using):
        unlocked = _lock_unlocked(ids, using, table) if supports_skip_locked(using) else ids
        for chunk in chunked(sorted(unlocked)):
            execute(using, statement.format(ids=placeholders(len(chunk))), [milliseconds, attempts, *chunk])


def finish_many(signed: Sequence[SignedDocument], using: str) -> None:
    """Finish signed documents and end their leases. This never waits for a row while it holds others.

    Every request up to each one's ``requested_version`` is answered.
    """
    finish_documents(
        {
            document.document_id: Completion(
                document.requested_version, INDEXED, "truncated" if document.is_truncated else ""
            )
            for document in signed
        },
        using,
    )


def finish_documents(completions: dict[int, Completion], using: str) -> None:
    """End the processing of documents, by document id. A document with a newer request stays pending."""
    remaining = list(completions)
    if len(completions) > 1 and (supports_skip_locked(using) or vendor(using) == "sqlite"):
        remaining = call_with_retries(_finish_unlocked, completions, using)
    for document in remaining:
        call_with_retries(_finish, [document], completions[document], using)


def _finish_unlocked(completions: dict[int, Completion], using: str) -> list[int]:
    """Finish the documents with free rows in one transaction, and return the ids of the others."""
    with transaction.atomic(using=using):
        # SQLite has one writer at a time: inside the transaction every row is free.
        unlocked = _lock_unlocked(completions, using) if supports_skip_locked(using) else set(completions)
        documents_by_completion: dict[Completion, list[int]] = {}
        for document in sorted(unlocked):
            documents_by_completion.setdefault(completions[document], []).append(document)
        for completion, documents in documents_by_completion.items():
            for chunk in chunked(documents):
                _finish(chunk, completion, using)
    return [document for document in completions if document not in unlocked]


def _finish(documents: Sequence[int], completion: Completion, using: str) -> None:
    state_columns = (
        "" if completion.state is None else SET_STATE if completion.state == INDEXED else SET_STATE_NOT_LIVE
    )
    state_values = [] if completion.state is None else [completion.state, completion.reason]
    statement = FINISH_DOCUMENTS.format(more=state_columns, ids=placeholders(len(documents)))
    execute(
        using,
        statement,
        [completion.requested_version] * 3 + state_values + [completion.requested_version, *documents],
    )


def _lock_unlocked(ids: Iterable[int], using: str, table: str = "neardup_document") -> set[int]:
    statement = f'SELECT "id" FROM "{table}" WHERE "id" IN ({{}}) ORDER BY "id" FOR UPDATE SKIP LOCKED'
    return {row[0] for row in fetch_all_in(using, statement, sorted(ids))}


def _lease_postgresql(documents: Sequence[int], using: str, milliseconds: int) -> list[tuple[Any, ...]]:
    clock = _clock_sql(using)
    available_ids = (
        f'SELECT "id" FROM "neardup_document" WHERE "id" IN ({placeholders(len(documents))}) '
        f"AND {IS_AVAILABLE.format(clock=clock)} "
        'ORDER BY "id" FOR UPDATE SKIP LOCKED'
    )
    return fetch_all(
        using,
        f"{LEASE_DOCUMENTS.format(clock=clock, ids=available_ids)} RETURNING {QUOTED_COLUMNS}",
        [milliseconds, *documents],
    )


def _lease_sqlite(documents: Sequence[int], using: str, milliseconds: int) -> list[tuple[Any, ...]]:
    # SQLite before 3.35 has no RETURNING.
    if not connections[using].features.can_return_columns_from_insert:
        return _lease_one_by_one(documents, using, milliseconds)
    clock = _clock_sql(using)
    statement = (
        f"{LEASE_DOCUMENTS.format(clock=clock, ids=placeholders(len(documents)))} "
        f"AND {IS_AVAILABLE.format(clock=clock)}"
    )
    return fetch_all(using, f"{statement} RETURNING {QUOTED_COLUMNS}", [milliseconds, *documents])


def _lease_mysql(documents: Sequence[int], using: str, milliseconds: int) -> list[tuple[Any, ...]]:
    if not supports_skip_locked(using) or len(documents) == 1:
        return _lease_one_by_one(documents, using, milliseconds)
    clock = _clock_sql(using)
    # MariaDB has no UPDATE … RETURNING: read the rows under their locks, then update them.
    with transaction.atomic(using=using):
        rows = fetch_all(
            using,
            f'SELECT {QUOTED_COLUMNS} FROM "neardup_document" WHERE "id" IN ({placeholders(len(documents))}) '
            f'AND {IS_AVAILABLE.format(clock=clock)} ORDER BY "id" FOR UPDATE SKIP LOCKED',
            documents,
        )
        document_ids = [row[DOCUMENT_COLUMNS.index("id")] for row in rows]
        if document_ids:
            execute(
                using,
                LEASE_DOCUMENTS.format(clock=clock, ids=placeholders(len(document_ids))),
                [milliseconds, *document_ids],
            )
    # The rows were read before the update added the attempt.
    attempts_index = DOCUMENT_COLUMNS.index("attempts")
    return [(*row[:attempts_index], row[attempts_index] + 1, *row[attempts_index + 1 :]) for row in rows]


def _lease_one_by_one(documents: Sequence[int], using: str, milliseconds: int) -> list[tuple[Any, ...]]:
    clock = _clock_sql(using)
    statement = f"{LEASE_DOCUMENTS.format(clock=clock, ids='%s')} AND {IS_AVAILABLE.format(clock=clock)}"
    leased = [document for document in documents if execute(using, statement, [milliseconds, document])]
    return fetch_all_in(
        using, f'SELECT {QUOTED_COLUMNS} FROM "neardup_document" WHERE "id" IN ({{}})', leased
    )


def _row_converter(using: str) -> Any:
    def to_document(row: Sequence[Any]) -> Document:
        document = Document.from_db(using, DOCUMENT_COLUMNS, row)
        # SQLite and MariaDB return 0 and 1, and the rows bypass Django's converters.
        document.live, document.recheck = bool(document.live), bool(document.recheck)
        return document

    return to_document


def _clock_sql(using: str) -> str:
    return CLOCK_SQL[vendor(using)]

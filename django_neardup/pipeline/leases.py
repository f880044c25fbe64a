"""What waits, and leases and ends of many documents: never does a statement wait for a row while it holds others."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connections, transaction

from ..models import Cluster, Document
from ..models.document import Ledger
from ..models.fields import CLOCK_SQL
from ..portions import portions
from .locks import retrying
from .records import Signed
from .sql import execute, holes, rows, rows_in, skips_locked, vendor

KNOWN = {
    "id", "content_type_id", "object_id", "space_id", "live", "state", "recheck", "version", "wanted", "done",
    "attempts",
}  # fmt: skip
"""What a turn knows of its document."""

COLUMNS = [field.attname for field in Document._meta.concrete_fields if field.attname in KNOWN]
SHOWN = ", ".join(f'"{name}"' for name in COLUMNS)
FREE = '"pending_since" IS NOT NULL AND ("leased_until" IS NULL OR "leased_until" < {clock})'
OF_KINDS: dict[type[Ledger], str] = {
    Document: '"content_type_id" IN ({})',
    Cluster: 'EXISTS (SELECT 1 FROM "neardup_document" d WHERE d."id" = "representative_id" '
    'AND d."content_type_id" IN ({}))',
}
LEASE = 'UPDATE "neardup_document" SET "leased_until" = {clock} + %s, "attempts" = "attempts" + 1 WHERE "id" IN ({ids})'
RENEW = (
    'UPDATE "{table}" SET "leased_until" = {clock} + %s '
    'WHERE "leased_until" IS NOT NULL AND "attempts" = %s AND "id" IN ({{ids}})'
)
HELD = "_neardup_lease"
END = (
    'UPDATE "neardup_document" SET "done" = %s, "attempts" = 0, "leased_until" = NULL, '
    '"pending_since" = CASE WHEN "wanted" > %s THEN "pending_since" END, '
    '"recheck" = CASE WHEN "wanted" > %s THEN "recheck" ELSE FALSE END{more} WHERE "done" < %s AND "id" IN ({ids})'
)
SHOW = ', "state" = %s, "reason" = %s'
LEAVE = f'{SHOW}, "live" = FALSE'


INDEXED = Document.State.INDEXED


class Lease(NamedTuple):
    """Since when (by this process's own clock) and for how many seconds a row is held."""

    since: float
    seconds: float


class End(NamedTuple):
    """The request that is answered, and the state and the reason that are shown from now on; None leaves both as they
    are. What is not indexed is not live."""

    wanted: int
    state: str | None = None
    reason: str = ""


def waiting(
    model: type[Ledger], using: str, limit: int, without: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Rows that wait and are not leased, oldest first, and their attempts so far; none of posts of the content types
    ``without``."""
    but = f" AND NOT {OF_KINDS[model].format(holes(len(without)))}" if without else ""
    return rows(
        using,
        f'SELECT "id", "attempts" FROM "{model._meta.db_table}" WHERE {FREE.format(clock=_clock(using))}{but} '
        f'ORDER BY "pending_since", "id" LIMIT {int(limit)}',
        [*without],
    )


def lease_many(documents: Sequence[int], using: str, seconds: float) -> list[Document]:
    """Take those documents for that time by the database's clock, in the order given; those that others have, or
    hold just now, are left out."""
    until, held = int(seconds * 1000), Lease(time.monotonic(), seconds)
    lease = {"postgresql": _lease_postgresql, "sqlite": _lease_sqlite}.get(vendor(using), _lease_mysql)
    place = {document: number for number, document in enumerate(documents)}
    found = sorted(map(_document(using), lease(documents, using, until)), key=lambda row: place[row.pk])
    for document in found:
        document.__dict__[HELD] = held
    return found


def keep(leased: Iterable[Ledger], using: str) -> None:
    """Renew the leases of which half is over; not those that another worker has by now, of rows that were marked
    meanwhile, or that somebody holds just now. Called between the stages of long batches and repairs."""
    now = time.monotonic()
    due: dict[tuple[str, float, int], list[Ledger]] = {}
    for row in leased:
        held = row.__dict__.get(HELD)
        if held is not None and now - held.since > held.seconds / 2:
            due.setdefault((row._meta.db_table, held.seconds, row.attempts), []).append(row)
    for (table, seconds, attempts), late in due.items():
        retrying(_renew, table, [row.pk for row in late], attempts, int(seconds * 1000), using)
        for row in late:
            row.__dict__[HELD] = Lease(now, seconds)


def _renew(table: str, ids: Sequence[int], attempts: int, until: int, using: str) -> None:
    renew = RENEW.format(table=table, clock=_clock(using))
    if not skips_locked(using) and vendor(using) != "sqlite":
        for each in ids:
            execute(using, renew.format(ids="%s"), [until, attempts, each])
        return
    with transaction.atomic(using=using):
        free = _locked(ids, using, table) if skips_locked(using) else ids
        for portion in portions(sorted(free)):
            execute(using, renew.format(ids=holes(len(portion))), [until, attempts, *portion])


def finish_many(signed: Sequence[Signed], using: str) -> None:
    """All that was wanted up to each one's ``wanted`` is done: its lease ends. Never waits for a row while it holds
    others."""
    end(
        {one.document: End(one.wanted, INDEXED, "truncated" if one.truncated else "") for one in signed},
        using,
    )


def end(ends: dict[int, End], using: str) -> None:
    """End the turns of those documents; what has come since goes on waiting."""
    left = list(ends)
    if len(ends) > 1 and (skips_locked(using) or vendor(using) == "sqlite"):
        left = retrying(_end_free, ends, using)
    for document in left:
        retrying(_end, [document], ends[document], using)


def _end_free(ends: dict[int, End], using: str) -> list[int]:
    """End those whose rows are free, in one transaction; the rest."""
    with transaction.atomic(using=using):
        free = _locked(ends, using) if skips_locked(using) else set(ends)
        groups: dict[End, list[int]] = {}
        for document in sorted(free):
            groups.setdefault(ends[document], []).append(document)
        for how, documents in groups.items():
            for portion in portions(documents):
                _end(portion, how, using)
    return [document for document in ends if document not in free]


def _end(documents: Sequence[int], how: End, using: str) -> None:
    more = "" if how.state is None else SHOW if how.state == INDEXED else LEAVE
    shown = [] if how.state is None else [how.state, how.reason]
    statement = END.format(more=more, ids=holes(len(documents)))
    execute(using, statement, [how.wanted] * 3 + shown + [how.wanted, *documents])


def _locked(ids: Iterable[int], using: str, table: str = "neardup_document") -> set[int]:
    statement = f'SELECT "id" FROM "{table}" WHERE "id" IN ({{}}) ORDER BY "id" FOR UPDATE SKIP LOCKED'
    return {row[0] for row in rows_in(using, statement, sorted(ids))}


def _lease_postgresql(documents: Sequence[int], using: str, until: int) -> list[tuple[Any, ...]]:
    clock = _clock(using)
    free = (
        f'SELECT "id" FROM "neardup_document" WHERE "id" IN ({holes(len(documents))}) AND {FREE.format(clock=clock)} '
        'ORDER BY "id" FOR UPDATE SKIP LOCKED'
    )
    return rows(using, f"{LEASE.format(clock=clock, ids=free)} RETURNING {SHOWN}", [until, *documents])


def _lease_sqlite(documents: Sequence[int], using: str, until: int) -> list[tuple[Any, ...]]:
    if not connections[using].features.can_return_columns_from_insert:
        return _lease_one_by_one(documents, using, until)
    clock = _clock(using)
    statement = f"{LEASE.format(clock=clock, ids=holes(len(documents)))} AND {FREE.format(clock=clock)}"
    return rows(using, f"{statement} RETURNING {SHOWN}", [until, *documents])


def _lease_mysql(documents: Sequence[int], using: str, until: int) -> list[tuple[Any, ...]]:
    if not skips_locked(using) or len(documents) == 1:
        return _lease_one_by_one(documents, using, until)
    clock = _clock(using)
    with transaction.atomic(using=using):
        found = rows(
            using,
            f'SELECT {SHOWN} FROM "neardup_document" WHERE "id" IN ({holes(len(documents))}) '
            f'AND {FREE.format(clock=clock)} ORDER BY "id" FOR UPDATE SKIP LOCKED',
            documents,
        )
        taken = [row[COLUMNS.index("id")] for row in found]
        if taken:
            execute(using, LEASE.format(clock=clock, ids=holes(len(taken))), [until, *taken])
    place = COLUMNS.index("attempts")
    return [(*row[:place], row[place] + 1, *row[place + 1 :]) for row in found]


def _lease_one_by_one(documents: Sequence[int], using: str, until: int) -> list[tuple[Any, ...]]:
    clock = _clock(using)
    statement = f"{LEASE.format(clock=clock, ids='%s')} AND {FREE.format(clock=clock)}"
    taken = [document for document in documents if execute(using, statement, [until, document])]
    return rows_in(using, f'SELECT {SHOWN} FROM "neardup_document" WHERE "id" IN ({{}})', taken)


def _document(using: str) -> Any:
    def made(row: Sequence[Any]) -> Document:
        document = Document.from_db(using, COLUMNS, row)
        document.live, document.recheck = bool(document.live), bool(document.recheck)
        return document

    return made


def _clock(using: str) -> str:
    return CLOCK_SQL[vendor(using)]

"""Changes of keys that an index outside the database may not return yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..backends import get_backend
from ..backends.base import Row
from ..chunks import chunked
from ..sql import execute, fetch_all, fetch_all_in

REMOVED_KEYS_TABLE = "neardup_removedkey"
INSERT = 'INSERT INTO "neardup_keychange" ("document", "removed", "since", "is_bulk") VALUES '
OLDEST = (
    'SELECT "id", "document", "removed", "since", "is_bulk" FROM "neardup_keychange" ORDER BY "id" LIMIT %s'
)
BULK = 'SELECT 1 FROM "neardup_keychange" WHERE "is_bulk" = %s LIMIT 1'
WAITING = (
    'SELECT COUNT(*), MIN("since"), {clock} FROM '
    '(SELECT "since" FROM "neardup_keychange" ORDER BY "id" LIMIT %s) part'
)
DECLARED_KEYS = 'SELECT "document_id", "keys" FROM "neardup_fingerprint" WHERE "document_id" IN ({})'
DECLARED_RANGE = (
    'SELECT "document_id", "keys" FROM "neardup_fingerprint" WHERE "document_id" > %s AND "document_id" <= %s'
)
LAST_OF_RANGE = (
    'SELECT MAX("document_id") FROM (SELECT DISTINCT "document_id" FROM "neardup_fingerprint" '
    'WHERE "document_id" > %s ORDER BY "document_id" LIMIT %s) part'
)


def record(using: str, changes: Sequence[tuple[int, bytes]], *, is_bulk: bool = False) -> None:
    """Record changes: documents, and the packed keys that each has lost.

    ``is_bulk``: the keys that they have got are only in their fingerprints.
    """
    backend = get_backend(using)
    values = f"(%s, {backend.binary}, {backend.clock}, %s)"
    for chunk in chunked(changes, 200):
        parameters = [
            value
            for document, removed in chunk
            for value in (document, backend.binary_parameter(removed), is_bulk)
        ]
        execute(using, INSERT + ", ".join([values] * len(chunk)), parameters)


def reserve(using: str) -> int:
    """Return a number above that of every change so far. No change gets it."""
    record(using, [(0, b"")])
    ((number,),) = fetch_all(using, 'SELECT MAX("id") FROM "neardup_keychange" WHERE "document" = 0')
    delete(using, [number])
    return int(number)


def oldest(using: str, limit: int) -> list[Row]:
    """Return id, document, packed removed keys, time and ``is_bulk`` of the oldest changes."""
    return fetch_all(using, OLDEST, [limit])


def is_bulk_waiting(using: str) -> bool:
    """Return whether a change waits whose keys are only in the fingerprint."""
    return bool(fetch_all(using, BULK, [True]))


def delete(using: str, ids: Sequence[int]) -> None:
    """Delete changes by id."""
    for chunk in chunked(ids):
        # Each id is named: a range would lock the gaps into which others insert.
        statement, parameters = get_backend(using).with_list(
            'DELETE FROM "neardup_keychange" WHERE "id" IN ({})', chunk
        )
        execute(using, statement, parameters)


def waiting(using: str, limit: int) -> tuple[int, int]:
    """Return how many changes wait, at most ``limit``, and for how many milliseconds the oldest has waited."""
    ((number, since, now),) = fetch_all(using, WAITING.format(clock=get_backend(using).clock), [limit])
    return number, 0 if since is None else int(now) - since


def clock(using: str) -> int:
    """Return the time by the database's clock, in milliseconds since 1970."""
    ((now,),) = fetch_all(using, f"SELECT {get_backend(using).clock}")
    return int(now)


def declared_keys(using: str, documents: Iterable[int]) -> list[Row]:
    """Return document and packed keys of every fingerprint of the documents."""
    return fetch_all_in(using, DECLARED_KEYS, documents)


def declared_range(using: str, after: int, last: int) -> list[Row]:
    """Return the same of all documents above ``after``, up to ``last``."""
    return fetch_all(using, DECLARED_RANGE, [after, last])


def last_of_range(using: str, after: int, limit: int) -> int | None:
    """Return the last of the next ``limit`` documents with fingerprints above ``after``. Return None without any."""
    ((last,),) = fetch_all(using, LAST_OF_RANGE, [after, limit])
    return None if last is None else int(last)

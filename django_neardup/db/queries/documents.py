"""Documents: the work queue, the claim of a version, deleted posts that are remembered, and reposts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..backends import get_backend
from ..backends.base import Backend, Row, placeholders, quoted_columns
from ..chunks import CHUNK_SIZE, chunked
from ..sql import execute, execute_many, fetch_all, fetch_all_in

TABLE = "neardup_document"

MARKED_COLUMNS = (
    "content_type_id", "object_id", "object_key", "author", "live", "state", "reason", "recheck", "version",
    "first_seen", "created", "wanted", "done", "attempts",
)  # fmt: skip
"""Columns of a document that is created by its first mark. ``CLOCK_COLUMNS`` follow."""
CLOCK_COLUMNS = ("pending_since", "save_time", "text_since")
"""Columns of a new document that are set to the clock of the database."""

BEGUN_COLUMNS = ("text_since", "save_begun")
"""The same of a document that is created before its post is."""

CREATED_COLUMNS = (
    "content_type_id", "object_id", "object_key", "first_seen", "created", "author", "live", "state", "reason",
    "recheck", "version", "wanted", "done", "attempts", "pending_since", "text_since",
)  # fmt: skip

HAS_CONTENT_TYPE = {
    TABLE: '"content_type_id" IN ({})',
    "neardup_cluster": 'EXISTS (SELECT 1 FROM "neardup_document" d WHERE d."id" = "leader_id" '
    'AND d."content_type_id" IN ({}))',
}
RENEW_LEASES = (
    'UPDATE "{table}" SET "leased_until" = {clock} + %s '
    'WHERE "leased_until" IS NOT NULL AND "attempts" = %s AND "id" IN ({ids})'
)
FINISH = (
    'UPDATE "neardup_document" SET "done" = %s, "attempts" = 0, "leased_until" = NULL, '
    '"pending_since" = CASE WHEN "wanted" > %s THEN "pending_since" END, '
    '"save_time" = CASE WHEN "wanted" > %s THEN "save_time" END, '
    '"edit_time" = CASE WHEN "version" > %s THEN "edit_time" END, '
    '"recheck" = CASE WHEN "wanted" > %s THEN "recheck" ELSE FALSE END{more} WHERE "done" < %s AND "id" IN ({ids})'
)
SET_STATE = ', "state" = %s, "reason" = %s'
SET_STATE_NOT_LIVE = f'{SET_STATE}, "live" = FALSE'

IS_SAVE_OVERDUE = '"save_begun" IS NOT NULL AND ("save_begun" < {clock} - %s OR "save_begun" > {clock} + %s)'
"""The save began longer ago than a number of milliseconds, or later than in so many: then a clock was set back."""
OPEN_SAVE_MARKS = 3
"""How often an open save is marked. It may be committed after the first time."""
MAX_OPEN_SAVES = 3 * OPEN_SAVE_MARKS
"""The most that ``open_saves`` still counts after a worker has marked them."""
MARK_OPEN_SAVES = (
    'UPDATE "neardup_document" SET "wanted" = "wanted" + 1, "attempts" = 0, '
    '"pending_since" = COALESCE("pending_since", {clock}), "save_time" = COALESCE("save_time", "save_begun"), '
    # In this order: MariaDB assigns from left to right.
    '"save_begun" = CASE WHEN "open_saves" > 1 THEN {clock} END, '
    # Saves that the database has refused add up, and each is marked in vain.
    f'"open_saves" = CASE WHEN "open_saves" > {MAX_OPEN_SAVES} THEN {MAX_OPEN_SAVES} '
    'WHEN "open_saves" > 1 THEN "open_saves" - 1 ELSE 0 END WHERE "id" = %s AND {is_overdue}'
)

UPDATE_VERSION = (
    'UPDATE "neardup_document" SET "version" = %s, "space_id" = %s, "live" = %s, "author" = %s, "forget_at" = NULL '
    'WHERE "id" = %s AND "version" <= %s AND "done" <= %s'
)
"""A worker whose lease has ended may come late: a newer request was stored, or was answered without a write."""
ACTIVE_SCHEME = 'SELECT 1 FROM "neardup_scheme" WHERE "id" = %s AND "secret" = %s AND "state" = \'active\''
KEY_PHRASES = 'FROM "neardup_keyphrase" WHERE "active" AND ("profile" = \'\' OR "profile" = %s)'
SPACE = 'SELECT 1 FROM "neardup_space" WHERE "id" = %s AND "digest" = %s'
CLAIM_VERSION = f"{UPDATE_VERSION} AND EXISTS ({ACTIVE_SCHEME}) AND EXISTS ({SPACE})"
CLAIM_VERSION_WITHOUT_PHRASES = f"{CLAIM_VERSION} AND NOT EXISTS (SELECT 1 {KEY_PHRASES})"
CLAIM_ERASED_VERSION = (
    'UPDATE "neardup_document" SET "version" = %s, "forget_at" = NULL, "repeats_id" = NULL, "repeats_exactly" = NULL, '
    '"unaligned" = NULL WHERE "id" = %s AND "version" <= %s AND "done" <= %s'
)

REMEMBER = (
    'UPDATE "neardup_document" SET "version" = %s, "state" = \'gone\', "repeats_id" = NULL, '
    '"repeats_exactly" = NULL, "reason" = CASE WHEN "forget_at" IS NULL THEN %s ELSE "reason" END, '
    '"forget_at" = COALESCE("forget_at", %s) WHERE "id" = %s AND "version" <= %s AND "done" <= %s'
)
FORGET = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE '
    'WHERE "id" = %s AND "state" = \'gone\' AND "forget_at" IS NOT NULL'
)
ERASE = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE, "version" = "wanted", '
    '"author" = \'\', "former_texts" = NULL, "unaligned" = NULL WHERE "id" = %s'
)
LOST_REPOSTS = (
    'SELECT d."id", d."repeats_id" FROM "neardup_document" d '
    'LEFT JOIN "neardup_document" r ON r."id" = d."repeats_id" '
    'WHERE d."repeats_id" IS NOT NULL AND r."forget_at" IS NULL'
)
CLEAR_LOST_REPOST = (
    'UPDATE "neardup_document" SET "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "repeats_id" = %s'
)
SET_REPOST = (
    'UPDATE "neardup_document" '
    'SET "repeats_id" = %s, "repeats_exactly" = %s WHERE "id" = %s AND "version" = %s'
)
CLEAR_REPOST = (
    'UPDATE "neardup_document" SET "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "version" = %s AND "repeats_id" IS NOT NULL'
)
REPOST_FACTS = (
    'SELECT d."id", d."text_since", d."first_seen", f."codes", f."source_digest" FROM "neardup_document" d '
    'JOIN "neardup_fingerprint" f ON f."document_id" = d."id" WHERE f."scheme_id" = %s '
    'AND (d."forget_at" IS NULL OR d."forget_at" > %s) AND d."id" IN ({})'
)


def begin_save(using: str, values: Sequence[Any], *, is_new: bool) -> None:
    """Note that a save begins: create a document with the values of ``MARKED_COLUMNS``, or count one more save.

    ``open_saves`` is the number of marks that each save still needs. ``is_new``: the object is probably saved for
    the first time, so it has no document yet.
    """
    backend = get_backend(using)
    changes = {
        "save_begun": f'COALESCE("{TABLE}"."save_begun", {backend.clock})',
        "open_saves": f'"{TABLE}"."open_saves" + {OPEN_SAVE_MARKS}',
    }
    if is_new or not _change(backend, values, changes):
        created = {"open_saves": str(OPEN_SAVE_MARKS), **dict.fromkeys(BEGUN_COLUMNS, backend.clock)}
        _create_or_change(backend, values, created, changes)


def end_save(using: str, values: Sequence[Any]) -> bool:
    """Request processing of a document with a save noted by ``begin_save``.

    Return False if the document is gone.
    """
    backend = get_backend(using)
    has_others = f'"open_saves" > {OPEN_SAVE_MARKS}'
    changes = {
        "wanted": '"wanted" + 1',
        "attempts": "0",
        "object_key": "%s",
        "pending_since": f'COALESCE("pending_since", {backend.clock})',
        "save_time": backend.clock,
        # In this order: MariaDB assigns from left to right.
        "save_begun": f'CASE WHEN {has_others} THEN "save_begun" END',
        "open_saves": f'CASE WHEN {has_others} THEN "open_saves" - {OPEN_SAVE_MARKS} ELSE 0 END',
    }
    return _change(backend, values, changes, [values[MARKED_COLUMNS.index("object_key")]])


def overdue_saves(using: str, milliseconds: int, limit: int) -> list[int]:
    """Return the documents of saves that began longer ago than that and were not marked, oldest first."""
    condition = IS_SAVE_OVERDUE.format(clock=get_backend(using).clock)
    statement = f'SELECT "id" FROM "{TABLE}" WHERE {condition} ORDER BY "save_begun" LIMIT {int(limit)}'
    return [row[0] for row in fetch_all(using, statement, [milliseconds] * 2)]


def mark_open_saves(using: str, document: int, milliseconds: int) -> bool:
    """Mark a document with an open save that is overdue. Return False if it is no longer overdue.

    The save may be slow and not committed yet. So it stays open, and is overdue again after the same time, until it was
    marked ``OPEN_SAVE_MARKS`` times.
    """
    clock = get_backend(using).clock
    statement = MARK_OPEN_SAVES.format(clock=clock, is_overdue=IS_SAVE_OVERDUE.format(clock=clock))
    return bool(execute(using, statement, [document, milliseconds, milliseconds]))


def mark(using: str, values: Sequence[Any]) -> None:
    """Create a document with the values of ``MARKED_COLUMNS``, or request processing of the existing one."""
    backend = get_backend(using)
    recheck, pending_since, save_time, object_key = (
        backend.inserted.format(f'"{name}"')
        for name in ("recheck", "pending_since", "save_time", "object_key")
    )
    # An edited post gets all its attempts again.
    changes = {
        "wanted": f'"{TABLE}"."wanted" + 1',
        "attempts": "0",
        # A search finds no document without it, and would mark the post for ever.
        "object_key": object_key,
        "recheck": f'("{TABLE}"."recheck" OR {recheck})',
        "pending_since": f'COALESCE("{TABLE}"."pending_since", {pending_since})',
        # Only a save can bring another text.
        "save_time": f'CASE WHEN {recheck} THEN "{TABLE}"."save_time" ELSE {save_time} END',
    }
    _create_or_change(backend, values, dict.fromkeys(CLOCK_COLUMNS, backend.clock), changes)


def _change(
    backend: Backend, values: Sequence[Any], changes: Mapping[str, str], parameters: Sequence[Any] = ()
) -> bool:
    """Change the document of an object, if there is one, and return whether there is.

    ``changes``: SQL expressions by column, with these parameters.

    It costs less than an upsert, which has many parameters to adapt and parse.
    """
    assignments = ", ".join(f'"{column}" = {expression}' for column, expression in changes.items())
    statement = f'UPDATE "{TABLE}" SET {assignments} WHERE "content_type_id" = %s AND "object_id" = %s'
    return bool(backend.execute(statement, [*parameters, *values[:2]]))


def _create_or_change(
    backend: Backend, values: Sequence[Any], created: Mapping[str, str], changes: Mapping[str, str]
) -> None:
    """Create a document with the values of ``MARKED_COLUMNS``, or change the one of that object.

    ``created`` and ``changes``: SQL expressions by column, of a new document and of an existing one.
    """
    backend.execute(
        f'INSERT INTO "{TABLE}" ({quoted_columns([*MARKED_COLUMNS, *created])}) '
        f"VALUES ({placeholders(len(MARKED_COLUMNS))}, {', '.join(created.values())}) "
        f"{backend.on_conflict(['content_type_id', 'object_id'], changes)}",
        values,
    )


def create_pending(
    using: str,
    content_type: int,
    objects: Sequence[tuple[str, int | None, int]],
    created: Any,
    *,
    is_first: bool,
) -> None:
    """Create documents that wait for a worker. Existing documents do not change.

    ``objects``: object id, integer key and first-seen number of each. ``is_first``: the first backfill creates
    them, so their texts are older than all saved texts.
    """
    backend = get_backend(using)
    row = (
        f"({int(content_type)}, %s, %s, %s, %s, '', FALSE, 'pending', '', FALSE, 0, 1, 0, 0, {backend.clock}, "
        f"{'0' if is_first else backend.clock})"
    )
    begin, end = backend.ignored
    backend.execute(
        f'INSERT {begin}INTO "{TABLE}" ({quoted_columns(CREATED_COLUMNS)}) '
        f"VALUES {', '.join([row] * len(objects))}{end}",
        [value for each in objects for value in (*each, created)],
    )


def by_objects(using: str, columns: Sequence[str], content_type: int, object_ids: Sequence[str]) -> list[Row]:
    """Return columns of the documents of objects."""
    select = (
        f'SELECT {quoted_columns(columns)} FROM "{TABLE}" WHERE "content_type_id" = %s AND "object_id" IN'
    )
    return [
        row
        for portion in chunked(object_ids)
        for row in fetch_all(using, f"{select} ({placeholders(len(portion))})", [content_type, *portion])
    ]


def lock(using: str, document: int) -> None:
    """Lock a document by a write that changes nothing."""
    execute(using, f'UPDATE "{TABLE}" SET "id" = "id" WHERE "id" = %s', [document])


def available_rows(
    using: str, table: str, limit: int, excluded_content_types: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Return ``(id, attempts)`` of pending rows that are not leased, at most ``limit``.

    Rows that were never tried come first, the oldest before the others. Rows of the posts of
    ``excluded_content_types`` are left out.
    """
    exclusion = (
        f" AND NOT {HAS_CONTENT_TYPE[table].format(placeholders(len(excluded_content_types)))}"
        if excluded_content_types
        else ""
    )
    available = f'SELECT "id", "attempts" FROM "{table}" WHERE {get_backend(using).is_available}{exclusion}'
    order = f' ORDER BY "pending_since", "id" LIMIT {int(limit)}'
    oldest = fetch_all(using, available + order, [*excluded_content_types])
    tried = [row for row in oldest if row[1] > 0]
    untried = [row for row in oldest if row[1] == 0]
    if tried and len(oldest) == limit:
        # A post that was tried before may kill workers. After the others it cannot take them along, and it is
        # not always in work when the machine is restarted. In one statement, with an order by attempts, the
        # database would sort the whole queue.
        untried = fetch_all(using, f'{available} AND "attempts" = 0{order}', [*excluded_content_types])
    return [*untried, *tried][:limit]


def has_pending(using: str, tables: Iterable[str]) -> bool:
    """Return whether any row of the tables is pending."""
    parts = ", ".join(
        f'(SELECT 1 FROM "{table}" WHERE "pending_since" IS NOT NULL ORDER BY "pending_since" LIMIT 1)'
        for table in tables
    )
    return fetch_all(using, f"SELECT COALESCE({parts})") != [(None,)]


def renew_leases(
    using: str,
    table: str,
    ids: Sequence[int],
    attempts: int,
    milliseconds: int,
    rows_per_statement: int = CHUNK_SIZE,
) -> None:
    """Renew leases of rows with that number of ``attempts``.

    Leasing adds an attempt and marking resets the attempts. So a row with another number of attempts was leased
    by another worker, or marked meanwhile.
    """
    clock = get_backend(using).clock
    for chunk in chunked(ids, rows_per_statement):
        statement = RENEW_LEASES.format(table=table, clock=clock, ids=placeholders(len(chunk)))
        execute(using, statement, [milliseconds, attempts, *chunk])


def lock_free_rows(using: str, table: str, ids: Iterable[int]) -> set[int]:
    """Lock the rows that no other transaction has locked, and return their ids."""
    statement = f'SELECT "id" FROM "{table}" WHERE "id" IN ({{}}) ORDER BY "id" FOR UPDATE SKIP LOCKED'
    return {row[0] for row in fetch_all_in(using, statement, sorted(ids))}


def finish(
    using: str, ids: Sequence[int], requested_version: int, state: Sequence[str] = (), *, is_live: bool = True
) -> None:
    """Record that every request up to a version is answered, and end the leases.

    ``state``: the new state and its reason, or nothing to leave both.
    """
    more = "" if not state else SET_STATE if is_live else SET_STATE_NOT_LIVE
    execute(
        using,
        FINISH.format(more=more, ids=placeholders(len(ids))),
        [*[requested_version] * 5, *state, requested_version, *ids],
    )


def lock_space(using: str, space: int) -> None:
    """Lock a space by a write."""
    execute(using, 'UPDATE "neardup_space" SET "lock" = "lock" + 1 WHERE "id" = %s', [space])


def stored_versions(using: str, ids: Sequence[int], *, skip_locked: bool) -> dict[int, tuple[int, int]]:
    """Return version and last answered request by id.

    ``skip_locked`` locks the free rows, and leaves out the others.
    """
    statement = 'SELECT "id", "version", "done" FROM "neardup_document" WHERE "id" IN ({})'
    locking = ' ORDER BY "id" FOR UPDATE SKIP LOCKED' if skip_locked else ""
    return {row[0]: (row[1], row[2]) for row in fetch_all_in(using, statement + locking, ids)}


def update_versions(using: str, values: Sequence[Sequence[Any]]) -> None:
    """Write version, space, liveness and author of documents.

    Each with its id, the greatest version before, and the request.
    """
    execute_many(using, UPDATE_VERSION, values)


def is_active_scheme(using: str, scheme: int, secret: str) -> bool:
    """Return whether the scheme is active and has that secret."""
    return bool(fetch_all(using, ACTIVE_SCHEME, [scheme, secret]))


def is_space(using: str, space: int, digest: str) -> bool:
    """Return whether the space exists with that digest."""
    return bool(fetch_all(using, SPACE, [space, digest]))


def active_phrases(using: str, profile: str) -> list[str]:
    """Return the active key phrases of a profile, oldest first."""
    return [text for (text,) in fetch_all(using, f'SELECT "text" {KEY_PHRASES} ORDER BY "id"', [profile])]


def claim_version(using: str, values: Sequence[Any], *, assumed_no_phrases: bool) -> bool:
    """Write version, space, liveness and author of a document, if the assumptions of its worker still hold.

    ``values``: the values of ``update_versions``, id and secret of the scheme, id and digest of the space, and, with
    ``assumed_no_phrases``, the profile. Return False, with nothing written, otherwise.
    """
    return bool(
        execute(using, CLAIM_VERSION_WITHOUT_PHRASES if assumed_no_phrases else CLAIM_VERSION, values)
    )


def claim_erased_version(using: str, document: int, version: int, max_version: int) -> bool:
    """Claim the version of a document with deleted rows. Return False if it is above ``max_version``."""
    return bool(execute(using, CLAIM_ERASED_VERSION, [version, document, max_version, version]))


def remember(using: str, document: int, version: int, deletion_time: str, forget_at: Any) -> bool:
    """Turn a document into the memory of a deleted post. Return False if a newer request was processed.

    "live" still says whether the post was shown before. To process it again does not prolong its time.
    """
    return bool(execute(using, REMEMBER, [version, deletion_time, forget_at, document, version, version]))


def forget(using: str, document: int, *, stop_workers: bool = False) -> bool:
    """Forget a deleted post. Return False if it was not remembered.

    ``stop_workers``: also erase a document without memory, and stop workers that read the post before its deletion.
    """
    return bool(execute(using, ERASE if stop_workers else FORGET, [document]))


def clear_lost_reposts(using: str) -> int:
    """Clear the original of reposts if it is no longer remembered. Return the number of these posts."""
    return sum(execute(using, CLEAR_LOST_REPOST, row) for row in fetch_all(using, LOST_REPOSTS))


def set_repost(using: str, document: int, version: int, original: int, exact: bool) -> None:
    """Store which deleted post a document repeats, unless a newer request was processed."""
    execute(using, SET_REPOST, [original, exact, document, version])


def clear_repost(using: str, document: int, version: int) -> None:
    """Store that a document repeats no deleted post, unless a newer request was processed."""
    execute(using, CLEAR_REPOST, [document, version])


def repost_facts(using: str, ids: Sequence[int], scheme: int, now: Any) -> list[Row]:
    """Return id, text age, codes and source digest of documents that are not to be forgotten."""
    return fetch_all_in(using, REPOST_FACTS, ids, scheme, now) if ids else []


def objects_of(using: str, ids: Sequence[int]) -> dict[int, Row]:
    """Return space, content type and object id by document."""
    statement = (
        'SELECT "id", "space_id", "content_type_id", "object_id" FROM "neardup_document" WHERE "id" IN ({})'
    )
    return {row[0]: row[1:] for row in fetch_all_in(using, statement, ids)}


def places_of(using: str, ids: Sequence[int]) -> list[Row]:
    """Return id, space, text age, content type and object id of documents. The age takes two columns."""
    statement = (
        'SELECT "id", "space_id", "text_since", "first_seen", "content_type_id", "object_id" FROM "neardup_document" '
        'WHERE "id" IN ({})'
    )
    return fetch_all_in(using, statement, ids)

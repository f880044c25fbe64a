"""Fingerprints, contacts, and what a screening of candidates reads of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from ..backends import get_backend
from ..backends.base import Backend, Row, placeholders, quoted_columns
from ..backends.postgresql import array_literal
from ..chunks import CHUNK_SIZE, chunked
from ..sql import execute, execute_many, fetch_all, fetch_all_in
from .documents import CLAIM_VERSION, CLAIM_VERSION_WITHOUT_PHRASES

FINGERPRINTS_PER_STATEMENT = 100
"""Fingerprints written by one statement."""

COLUMNS = (
    "document_id", "scheme_id", "version", "source_digest", "exact_digest", "word_count", "payload", "keys", "codes",
)  # fmt: skip
BINARY_COLUMNS = ("payload", "keys")
CONFLICT_COLUMNS = ("document_id", "scheme_id")

STORE_IN_ONE_STATEMENT = (
    'WITH taken AS ({fence} RETURNING "id"), written AS ('
    'INSERT INTO "neardup_key" ("key", "document") SELECT asked.key, taken."id" '
    "FROM taken, unnest(%s::bigint[]) AS asked(key) ON CONFLICT DO NOTHING), printed AS ("
    'INSERT INTO "neardup_fingerprint" ({columns}) SELECT taken."id", {holes} FROM taken {conflict}){contacts} '
    "SELECT 1 FROM taken"
)
"""All parts write for the row that ``taken`` returns. If the version cannot be claimed, nothing is written."""
INSERT_CONTACTS_TOO = (
    ', told AS (INSERT INTO "neardup_contact" ("hash", "document_id", "kind") '
    'SELECT each.hash, taken."id", each.kind FROM taken, unnest(%s::bigint[], %s::text[]) AS each(hash, kind))'
)

LEADER = (
    '(SELECT c."leader_id" FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" '
    'WHERE m."document_id" = f."document_id")'
)
"""A subquery per row. With a join, PostgreSQL may read all memberships of a site for a few hundred rows."""
FAMILY = (
    '(SELECT m."leader_id" FROM "neardup_familymember" m '
    'WHERE m."document_id" = f."document_id" AND m."scheme_id" = f."scheme_id")'
)
SCREENING_COLUMNS = (
    'f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", f."keys", '
    f"{LEADER}, {FAMILY}"
)
OF_DOCUMENTS = 'FROM "neardup_fingerprint" f WHERE f."scheme_id" = %s AND f."document_id" IN ({})'
SCREENING_ROWS = f"SELECT {SCREENING_COLUMNS} {OF_DOCUMENTS}"
SCREENING_ROWS_WITH_CODES = f'SELECT {SCREENING_COLUMNS}, f."codes" {OF_DOCUMENTS}'
WITH_OBJECTS = (
    f'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", {LEADER}, '
    'd."space_id", d."content_type_id", d."object_id" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."document_id" IN ({})'
)
OF_DELETED_POSTS = (
    'SELECT f."document_id", f."exact_digest", f."word_count", f."payload", f."codes", '
    'd."author", d."live", d."reason" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."source_digest" = \'\' AND d."forget_at" > %s AND f."document_id" IN ({})'
)
SOURCE_DIGESTS = (
    'SELECT "document_id", "source_digest" FROM "neardup_fingerprint" '
    'WHERE "scheme_id" = %s AND "document_id" IN ({})'
)
SETTLED_DIGESTS = (
    'SELECT f."document_id", f."source_digest" FROM "neardup_fingerprint" f '
    'JOIN "neardup_document" d ON d."id" = f."document_id" JOIN "neardup_scheme" s ON s."id" = f."scheme_id" '
    'WHERE s."id" = %s AND s."state" = \'active\' AND d."state" = \'indexed\' AND f."version" <= d."done" '
    'AND f."document_id" IN ({})'
)
FORGET_TEXT = (
    'UPDATE "neardup_fingerprint" SET "source_digest" = \'\', "codes" = %s, "keys" = %s '
    'WHERE "document_id" = %s AND "scheme_id" = %s'
)


def write(using: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert fingerprints, values of ``COLUMNS``, or replace those of the same document and scheme.

    ``payload`` and ``keys`` are bytes.
    """
    backend = get_backend(using)
    for chunk in chunked(rows, FINGERPRINTS_PER_STATEMENT):
        values = [value for row in chunk for value in _with_binary(backend, row)]
        backend.execute(_upsert_statement(using, len(chunk)), values)


def can_store_in_one_statement(using: str) -> bool:
    """Return whether one statement, as its own transaction, can store a new document."""
    connection = get_backend(using).connection
    return get_backend(using).has_arrays and connection.get_autocommit() and not connection.in_atomic_block


def store_in_one_statement(
    using: str,
    claim: Sequence[Any],
    fingerprint: Sequence[Any],
    keys: Sequence[int],
    contacts: Sequence[tuple[int, str]],
    *,
    assumed_no_phrases: bool,
) -> bool:
    """Claim a version, and store keys, fingerprint and contacts of a document that has none, by one statement.

    ``claim``: the parameters of the claim. Return False, with nothing written, if the version cannot be claimed.
    """
    contact_values = (
        [array_literal([value for value, _ in contacts]), "{" + ",".join(kind for _, kind in contacts) + "}"]
        if contacts
        else []
    )
    fingerprint_values = _with_binary(get_backend(using), fingerprint)[1:]
    values = [*claim, array_literal(keys), *fingerprint_values, *contact_values]
    return bool(fetch_all(using, _one_statement(using, assumed_no_phrases, bool(contacts)), values))


@lru_cache
def _one_statement(using: str, assumed_no_phrases: bool, has_contacts: bool) -> str:
    columns, _, conflict = _upsert_parts(get_backend(using))
    return STORE_IN_ONE_STATEMENT.format(
        fence=CLAIM_VERSION_WITHOUT_PHRASES if assumed_no_phrases else CLAIM_VERSION,
        columns=columns,
        holes=placeholders(len(COLUMNS) - 1),
        conflict=conflict,
        contacts=INSERT_CONTACTS_TOO if has_contacts else "",
    )


@lru_cache(maxsize=FINGERPRINTS_PER_STATEMENT)
def _upsert_statement(using: str, count: int) -> str:
    """Return the statement that writes ``count`` fingerprints."""
    columns, row, conflict = _upsert_parts(get_backend(using))
    return (
        f'INSERT INTO "neardup_fingerprint" ({columns}) VALUES {", ".join([f"({row})"] * count)} {conflict}'
    )


def _upsert_parts(backend: Backend) -> tuple[str, str, str]:
    """Return the columns, their placeholders, and the clause for rows that exist already."""
    row = ", ".join(backend.binary if name in BINARY_COLUMNS else "%s" for name in COLUMNS)
    changes = {name: backend.inserted.format(f'"{name}"') for name in COLUMNS if name not in CONFLICT_COLUMNS}
    return quoted_columns(COLUMNS), row, backend.on_conflict(CONFLICT_COLUMNS, changes)


def _with_binary(backend: Backend, row: Sequence[Any]) -> list[Any]:
    return [
        backend.binary_parameter(value) if name in BINARY_COLUMNS else value
        for name, value in zip(COLUMNS, row, strict=True)
    ]


def stored_texts(using: str, documents: Sequence[int]) -> list[Row]:
    """Return document, scheme, packed keys and exact digest of the fingerprints."""
    columns = '"document_id", "scheme_id", "keys", "exact_digest"'
    statement = f'SELECT {columns} FROM "neardup_fingerprint" WHERE "document_id" IN ({{}})'
    return fetch_all_in(using, statement, documents)


def delete(using: str, rows: Sequence[tuple[int, int]]) -> None:
    """Delete fingerprints by document and scheme."""
    statement = 'DELETE FROM "neardup_fingerprint" WHERE "document_id" = %s AND "scheme_id" = %s'
    execute_many(using, statement, rows)


def delete_of(using: str, document: int, kept_scheme: int = 0) -> list[bytes]:
    """Delete the fingerprints of a document, but that of ``kept_scheme``. Return their packed keys."""
    condition, values = '"document_id" = %s AND "scheme_id" <> %s', [document, kept_scheme]
    rows = fetch_all(using, f'SELECT "keys" FROM "neardup_fingerprint" WHERE {condition}', values)
    execute(using, f'DELETE FROM "neardup_fingerprint" WHERE {condition}', values)
    return [keys for (keys,) in rows]


def codes_of(using: str, document: int) -> list[Row]:
    """Return scheme, codes, source digest and packed keys of the fingerprints of a document."""
    columns = '"scheme_id", "codes", "source_digest", "keys"'
    statement = f'SELECT {columns} FROM "neardup_fingerprint" WHERE "document_id" = %s'
    return fetch_all(using, statement, [document])


def forget_text(using: str, document: int, scheme: int, code_digest: str, keys: bytes) -> None:
    """Replace the codes by a digest and the packed keys by others. Remove the source digest: the text is gone."""
    packed_keys = get_backend(using).binary_parameter(keys)
    execute(using, FORGET_TEXT, [code_digest, packed_keys, document, scheme])


def source_digests(using: str, documents: Sequence[int], scheme: int) -> dict[int, str]:
    """Return the source digests of the documents that have a fingerprint."""
    return dict(fetch_all_in(using, SOURCE_DIGESTS, documents, scheme))


def settled_digests(using: str, documents: Sequence[int], scheme: int) -> dict[int, str]:
    """Return the source digests of indexed documents whose fingerprint no open request changes.

    The result is empty if the scheme is not active.
    """
    return dict(fetch_all_in(using, SETTLED_DIGESTS, documents, scheme))


def screening_rows(using: str, documents: Collection[int], scheme: int) -> list[Row]:
    """Return document, both digests, word count, payload, keys, and the leaders of its cluster and family.

    The table of documents is not read: its rows are on other pages of the disk.
    """
    return _as_bytes(fetch_all_in(using, SCREENING_ROWS, sorted(documents), scheme), 4, 5)


def with_objects(using: str, documents: Collection[int], scheme: int) -> list[Row]:
    """Return document, both digests, word count, payload, leader, space, content type and object id."""
    return _as_bytes(fetch_all_in(using, WITH_OBJECTS, sorted(documents), scheme), 4)


def screening_rows_with_codes(using: str, documents: Collection[int], scheme: int) -> list[Row]:
    """Return the same, and codes."""
    return _as_bytes(fetch_all_in(using, SCREENING_ROWS_WITH_CODES, sorted(documents), scheme), 4, 5)


def of_deleted_posts(using: str, documents: Sequence[int], scheme: int, now: Any) -> list[Row]:
    """Return fingerprints of remembered deleted posts.

    Each has document, exact digest, word count, payload, codes, author, liveness and reason.
    """
    return fetch_all_in(using, OF_DELETED_POSTS, documents, scheme, now) if documents else []


def _as_bytes(rows: Sequence[Row], *columns: int) -> list[Row]:
    """Return the rows with the given columns as bytes, for drivers that return another type.

    A driver returns the same type in every row of a column.
    """
    if not rows or all(type(rows[0][index]) is bytes for index in columns):
        return list(rows)
    return [
        tuple(bytes(value) if index in columns else value for index, value in enumerate(row)) for row in rows
    ]


def contacts_of(using: str, documents: Sequence[int]) -> set[tuple[int, int]]:
    """Return document and hash of the contacts."""
    statement = 'SELECT "document_id", "hash" FROM "neardup_contact" WHERE "document_id" IN ({})'
    return set(fetch_all_in(using, statement, documents))


def delete_contacts(using: str, rows: Sequence[tuple[int, int]]) -> None:
    """Delete contacts by hash and document."""
    execute_many(using, 'DELETE FROM "neardup_contact" WHERE "hash" = %s AND "document_id" = %s', rows)


def delete_contacts_of(using: str, document: int) -> None:
    """Delete all contacts of a document."""
    execute(using, 'DELETE FROM "neardup_contact" WHERE "document_id" = %s', [document])


def insert_contacts(using: str, rows: Iterable[tuple[int, int, str]]) -> None:
    """Insert contacts: hash, document and kind."""
    # Every row has three values.
    for chunk in chunked(list(rows), CHUNK_SIZE // 3):
        execute(
            using,
            'INSERT INTO "neardup_contact" ("hash", "document_id", "kind") VALUES '
            + ", ".join([f"({placeholders(3)})"] * len(chunk)),
            [value for row in chunk for value in row],
        )

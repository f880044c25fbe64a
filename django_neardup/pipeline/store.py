"""Step A: commit keys and fingerprints before anything looks for candidates.

Of two copies that are saved in the same second, each would otherwise look before the other is stored. In this
order the later one finds the earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import connections, transaction

from ..conf import get_profile
from ..db.chunks import CHUNK_SIZE, chunked
from ..db.sql import (
    array_literal,
    binary_parameter,
    execute,
    execute_many,
    fetch_all,
    fetch_all_in,
    placeholders,
    supports_skip_locked,
    vendor,
)
from ..index import keys as storage
from ..index.key_table import ROWS as IN_ROWS
from ..models import Document
from .locks import call_with_retries, write_transaction
from .stage_types import SignedDocument
from .version_guard import claim_statement, claim_unlocked_versions, claim_version

FINGERPRINTS_PER_STATEMENT = 100
"""Fingerprints written by one statement."""

FINGERPRINT_COLUMNS = (
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
"""Stores a new document on PostgreSQL.

All parts write for the row that ``taken`` returns. If the version cannot be claimed, nothing is written.
"""
INSERT_CONTACTS = (
    ', told AS (INSERT INTO "neardup_contact" ("hash", "document_id", "kind") '
    'SELECT each.hash, taken."id", each.kind FROM taken, unnest(%s::bigint[], %s::text[]) AS each(hash, kind))'
)
CLAIM_ERASED_VERSION = (
    'UPDATE "neardup_document" SET "version" = %s, "forget_at" = NULL, "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "version" <= %s'
)


def store_many(
    signed: Sequence[SignedDocument], using: str, keys_written: bool = False
) -> list[SignedDocument]:
    """Step A: commit version, keys, fingerprint and contacts of each document.

    Return the documents stored.

    Documents for which a newer request was processed are left out: they need nothing more. This never waits
    for a row while it holds others. Raise SchemeChanged if the scheme is no longer the active one. Then
    process the documents again.

    ``keys_written``: the keys of all documents are committed already. Of a new document none was removed
    since.
    """
    if len(signed) < 2 or not (supports_skip_locked(using) or vendor(using) == "sqlite"):
        return [
            document for document in signed if call_with_retries(_store_one, document, using, keys_written)
        ]
    stored_together, remaining = call_with_retries(_store_unlocked, signed, using, keys_written)
    one_by_one = [
        document for document in remaining if call_with_retries(_store_one, document, using, keys_written)
    ]
    stored_ids = {document.document_id for document in (*stored_together, *one_by_one)}
    return [document for document in signed if document.document_id in stored_ids]


def erase_document(document: Document, using: str) -> bool | None:
    """Delete keys, fingerprints and contacts of a document.

    Return False if it was never signed. Return None if a newer request was processed meanwhile.
    """
    with transaction.atomic(using=using, durable=True):
        if document.version == 0 and execute(using, CLAIM_ERASED_VERSION, [document.wanted, document.pk, 0]):
            return False
        if not execute(using, CLAIM_ERASED_VERSION, [document.wanted, document.pk, document.wanted]):
            return None
        delete_index_rows(document.pk, using)
    return True


def delete_index_rows(document: int, using: str, kept_scheme: int = 0) -> None:
    """Delete keys, fingerprints and contacts of a document in a transaction that has locked its row.

    Keep the keys and the fingerprint of ``kept_scheme``.
    """
    which, values = '"document_id" = %s AND "scheme_id" <> %s', [document, kept_scheme]
    for (keys,) in fetch_all(using, f'SELECT "keys" FROM "neardup_fingerprint" WHERE {which}', values):
        storage.replace_keys(using, document, storage.unpack_keys(keys), ())
    execute(using, f'DELETE FROM "neardup_fingerprint" WHERE {which}', values)
    execute(using, 'DELETE FROM "neardup_contact" WHERE "document_id" = %s', [document])


def _store_one(signed: SignedDocument, using: str, keys_written: bool) -> bool:
    if (
        signed.is_new
        and not keys_written
        and _can_store_in_one_statement(using)
        and _store_in_one_statement(signed, using)
    ):
        return True
    with transaction.atomic(using=using, durable=True):
        if not claim_version(signed, using):
            return False
        _write_rows([signed], using, keys_written)
    return True


def _can_store_in_one_statement(using: str) -> bool:
    """Return whether one statement, as its own transaction, can store a new document."""
    connection = connections[using]
    return (
        connection.vendor == "postgresql"
        and get_profile().storage == IN_ROWS
        and connection.get_autocommit()
        and not connection.in_atomic_block
    )


def _store_in_one_statement(signed: SignedDocument, using: str) -> bool:
    """Store a document that was never signed, with one statement.

    Return False, and write nothing, if another worker has signed it.
    """
    statement, claim_values = claim_statement(signed, 0)
    hashes = sorted(signed.contacts)
    contact_values = (
        [
            array_literal(hashes),
            "{" + ",".join(signed.contacts[contact_hash] for contact_hash in hashes) + "}",
        ]
        if hashes
        else []
    )
    values = [
        *claim_values,
        array_literal(signed.keys.tolist()),
        *_fingerprint_values(signed, using)[1:],
        *contact_values,
    ]
    return bool(fetch_all(using, _one_statement_sql(statement, bool(hashes)), values))


@lru_cache
def _one_statement_sql(claim: str, has_contacts: bool) -> str:
    columns, _, conflict = _upsert_parts("postgresql")
    return STORE_IN_ONE_STATEMENT.format(
        fence=claim,
        columns=columns,
        holes=placeholders(len(FINGERPRINT_COLUMNS) - 1),
        conflict=conflict,
        contacts=INSERT_CONTACTS if has_contacts else "",
    )


def _store_unlocked(
    signed: Sequence[SignedDocument], using: str, keys_written: bool
) -> tuple[list[SignedDocument], list[SignedDocument]]:
    """Store the documents with free rows in one transaction. Return them, and the documents left."""
    with write_transaction(using):
        claimed, remaining = claim_unlocked_versions(signed, using)
        if claimed:
            _write_rows(claimed, using, keys_written)
    return claimed, remaining


def _write_rows(signed: Sequence[SignedDocument], using: str, keys_written: bool) -> None:
    """Write keys, fingerprints and contacts of documents with claimed versions."""
    # A new document has no rows to read and replace.
    former_ids = [document.document_id for document in signed if not document.is_new]
    stored_keys = _read_stored_keys(former_ids, signed[0].scheme.pk, using) if former_ids else {}
    _replace_keys(signed, stored_keys, using, keys_written)
    for chunk in chunked(signed, FINGERPRINTS_PER_STATEMENT):
        _write_fingerprints(chunk, using)
    if former_ids or any(document.contacts for document in signed):
        _replace_contacts(signed, former_ids, using)


def _read_stored_keys(documents: Sequence[int], scheme: int, using: str) -> dict[int, set[int]]:
    """Return the stored keys of documents. Delete their fingerprints of retired schemes."""
    statement = (
        'SELECT "document_id", "scheme_id", "keys" FROM "neardup_fingerprint" WHERE "document_id" IN ({})'
    )
    stored_keys: dict[int, set[int]] = {}
    retired = []
    for document, stored_scheme, keys in fetch_all_in(using, statement, documents):
        stored_keys.setdefault(document, set()).update(storage.unpack_keys(keys))
        if stored_scheme != scheme:
            retired.append((document, stored_scheme))
    execute_many(
        using, 'DELETE FROM "neardup_fingerprint" WHERE "document_id" = %s AND "scheme_id" = %s', retired
    )
    return stored_keys


def _replace_keys(
    signed: Sequence[SignedDocument], stored_keys: Mapping[int, set[int]], using: str, keys_written: bool
) -> None:
    if len(signed) == 1 and not keys_written:
        (document,) = signed
        storage.replace_keys(
            using, document.document_id, stored_keys.get(document.document_id, ()), document.keys.tolist()
        )
        return
    added_pairs, removed_pairs = [], []
    for document in signed:
        new_keys, old_keys = set(document.keys.tolist()), stored_keys.get(document.document_id, set())
        # The caller wrote all keys. Of a document signed before, another worker may have removed some since.
        if not (keys_written and document.is_new):
            added_pairs += [(key, document.document_id) for key in new_keys - old_keys]
        removed_pairs += [(key, document.document_id) for key in old_keys - new_keys]
    if removed_pairs:
        storage.remove_run(using, *zip(*removed_pairs))
    if added_pairs:
        storage.add_run(using, *zip(*added_pairs))


def _write_fingerprints(signed: Sequence[SignedDocument], using: str) -> None:
    execute(
        using,
        _upsert_statement(vendor(using), len(signed)),
        [value for document in signed for value in _fingerprint_values(document, using)],
    )


@lru_cache(maxsize=FINGERPRINTS_PER_STATEMENT)
def _upsert_statement(vendor: str, count: int) -> str:
    """Return the statement that writes ``count`` fingerprints."""
    columns, row, conflict = _upsert_parts(vendor)
    return (
        f'INSERT INTO "neardup_fingerprint" ({columns}) VALUES {", ".join([f"({row})"] * count)} {conflict}'
    )


def _upsert_parts(vendor: str) -> tuple[str, str, str]:
    """Return its columns, their placeholders, and the clause for rows that exist already."""
    if vendor == "mysql":
        # Without the introducer MariaDB takes the bytes for text, and warns of invalid characters.
        binary, inserted_column, conflict = "_binary %s", "VALUES({})", "ON DUPLICATE KEY UPDATE"
    else:
        binary, inserted_column, conflict = (
            "%s",
            "excluded.{}",
            'ON CONFLICT ("document_id", "scheme_id") DO UPDATE SET',
        )
    row = ", ".join(binary if name in BINARY_COLUMNS else "%s" for name in FINGERPRINT_COLUMNS)
    quoted = {name: f'"{name}"' for name in FINGERPRINT_COLUMNS}
    changes = (
        f"{quoted[name]} = {inserted_column.format(quoted[name])}"
        for name in FINGERPRINT_COLUMNS
        if name not in CONFLICT_COLUMNS
    )
    return ", ".join(quoted.values()), row, f"{conflict} {', '.join(changes)}"


def _fingerprint_values(signed: SignedDocument, using: str) -> list[Any]:
    return [
        signed.document_id, signed.scheme.pk, signed.requested_version, signed.source_digest,
        signed.exact_digest, signed.word_count,
        binary_parameter(using, signed.payload), binary_parameter(using, signed.keys.tobytes()), signed.codes,
    ]  # fmt: skip


def _replace_contacts(signed: Sequence[SignedDocument], documents: Sequence[int], using: str) -> None:
    statement = 'SELECT "document_id", "hash" FROM "neardup_contact" WHERE "document_id" IN ({})'
    stored = set(fetch_all_in(using, statement, documents))
    kinds_by_contact = {
        (signed_document.document_id, value): kind
        for signed_document in signed
        for value, kind in signed_document.contacts.items()
    }
    removed = sorted((value, document) for document, value in stored - kinds_by_contact.keys())
    execute_many(using, 'DELETE FROM "neardup_contact" WHERE "hash" = %s AND "document_id" = %s', removed)
    added = sorted((value, document) for document, value in kinds_by_contact.keys() - stored)
    # Every row has three values.
    for chunk in chunked(added, CHUNK_SIZE // 3):
        execute(
            using,
            'INSERT INTO "neardup_contact" ("hash", "document_id", "kind") VALUES '
            + ", ".join([f"({placeholders(3)})"] * len(chunk)),
            [
                column
                for value, document_id in chunk
                for column in (value, document_id, kinds_by_contact[document_id, value])
            ],
        )

"""The first write of step A: claim the document's version, so that every older attempt stops.

A worker caches the scheme, the space and whether there are key phrases. The same statement checks that all
three are still true.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..db.sql import execute, execute_many, fetch_all, fetch_all_in, supports_skip_locked
from .key_phrases import FROM_ACTIVE_PHRASES
from .stage_types import SignedDocument

UPDATE_VERSION = (
    'UPDATE "neardup_document" SET "version" = %s, "space_id" = %s, "live" = %s, "author" = %s, "forget_at" = NULL '
    'WHERE "id" = %s AND "version" <= %s'
)
SELECT_ACTIVE_SCHEME = (
    'SELECT 1 FROM "neardup_scheme" WHERE "id" = %s AND "secret" = %s AND "state" = \'active\''
)
SELECT_KEY_PHRASE = f"SELECT 1 {FROM_ACTIVE_PHRASES}"
SELECT_SPACE = 'SELECT 1 FROM "neardup_space" WHERE "id" = %s AND "digest" = %s'
CLAIM_VERSION = f"{UPDATE_VERSION} AND EXISTS ({SELECT_ACTIVE_SCHEME}) AND EXISTS ({SELECT_SPACE})"
CLAIM_VERSION_WITHOUT_PHRASES = f"{CLAIM_VERSION} AND NOT EXISTS ({SELECT_KEY_PHRASE})"
SELECT_VERSIONS = 'SELECT "id", "version" FROM "neardup_document" WHERE "id" IN ({})'
SELECT_UNLOCKED_VERSIONS = f'{SELECT_VERSIONS} ORDER BY "id" FOR UPDATE SKIP LOCKED'


class SchemeChanged(Exception):
    """Something that the worker had cached is no longer true: process the documents again.

    The scheme is no longer active, a space was deleted, or key phrases were added.
    """


def claim_version(signed: SignedDocument, using: str) -> bool:
    """Claim the version of one document.

    Return False if a newer request was processed. This may wait for the row.

    Set ``signed.is_new`` to False if another worker has signed the document since it was leased.
    """
    if signed.is_new and _try_claim(signed, using, max_version=0):
        return True
    signed.is_new = False
    if _try_claim(signed, using, max_version=signed.requested_version):
        return True
    _check_scheme_unchanged([signed], using)
    return False


def claim_unlocked_versions(
    signed: Sequence[SignedDocument], using: str
) -> tuple[list[SignedDocument], list[SignedDocument]]:
    """Claim the versions of documents whose rows are free.

    Return the documents claimed, and the documents to claim one by one because their rows are locked.
    """
    # SQLite has one writer at a time: in a transaction that has begun to write, every row is free.
    statement = SELECT_UNLOCKED_VERSIONS if supports_skip_locked(using) else SELECT_VERSIONS
    versions = dict(fetch_all_in(using, statement, sorted(document.document_id for document in signed)))
    claimed = [
        document
        for document in signed
        if versions.get(document.document_id, document.requested_version + 1) <= document.requested_version
    ]
    for document in claimed:
        document.is_new = versions[document.document_id] == 0
    if claimed:
        _check_scheme_unchanged(claimed, using)
    execute_many(
        using,
        UPDATE_VERSION,
        [
            _document_values(document, document.requested_version)
            for document in sorted(claimed, key=lambda document: document.document_id)
        ],
    )
    return claimed, [document for document in signed if document.document_id not in versions]


def claim_statement(signed: SignedDocument, max_version: int) -> tuple[str, list[object]]:
    """Return the statement that claims the version, and its parameters.

    It changes nothing if the document's version is above ``max_version``.
    """
    parameters = [*_document_values(signed, max_version), *_scheme_values(signed), *_space_values(signed)]
    if signed.assumed_no_phrases:
        return CLAIM_VERSION_WITHOUT_PHRASES, [*parameters, signed.scheme.profile]
    return CLAIM_VERSION, parameters


def _try_claim(signed: SignedDocument, using: str, max_version: int) -> bool:
    return bool(execute(using, *claim_statement(signed, max_version)))


def _scheme_values(signed: SignedDocument) -> list[object]:
    return [signed.scheme.pk, signed.scheme.secret]


def _space_values(signed: SignedDocument) -> list[object]:
    return [signed.space_id, signed.space_digest]


def _document_values(signed: SignedDocument, max_version: int) -> list[object]:
    return [
        signed.requested_version,
        signed.space_id,
        signed.is_live,
        signed.author,
        signed.document_id,
        max_version,
    ]


def _check_scheme_unchanged(signed: Sequence[SignedDocument], using: str) -> None:
    if not fetch_all(using, SELECT_ACTIVE_SCHEME, _scheme_values(signed[0])):
        raise SchemeChanged
    for document in {document.space_id: document for document in signed}.values():
        if not fetch_all(using, SELECT_SPACE, _space_values(document)):
            raise SchemeChanged
    if any(document.assumed_no_phrases for document in signed) and fetch_all(
        using, SELECT_KEY_PHRASE, [signed[0].scheme.profile]
    ):
        raise SchemeChanged

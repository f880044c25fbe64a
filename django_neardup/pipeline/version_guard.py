"""The first write of step A: claim the document's version, so that every older attempt stops.

A worker caches the scheme, the space and whether there are key phrases. The same statement checks that all
three are still true.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..db.backends import get_backend
from ..db.queries import documents as document_queries
from .stage_types import SignedDocument


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
    versions = document_queries.stored_versions(
        using,
        sorted(document.document_id for document in signed),
        skip_locked=get_backend(using).can_skip_locked,
    )
    claimed = [
        document
        for document in signed
        if document.document_id in versions
        and max(versions[document.document_id]) <= document.requested_version
    ]
    for document in claimed:
        document.is_new = versions[document.document_id][0] == 0
    if claimed:
        _check_scheme_unchanged(claimed, using)
    document_queries.update_versions(
        using,
        [
            _document_values(document, document.requested_version)
            for document in sorted(claimed, key=lambda document: document.document_id)
        ],
    )
    return claimed, [document for document in signed if document.document_id not in versions]


def claim_values(signed: SignedDocument, max_version: int) -> list[object]:
    """Return the parameters of the statement that claims the version.

    It changes nothing if the document's version is above ``max_version``.
    """
    return [
        *_document_values(signed, max_version),
        signed.scheme.pk,
        signed.scheme.secret,
        signed.space_id,
        signed.space_digest,
        *([signed.scheme.profile] if signed.assumed_no_phrases else []),
    ]


def _try_claim(signed: SignedDocument, using: str, max_version: int) -> bool:
    values = claim_values(signed, max_version)
    return document_queries.claim_version(using, values, assumed_no_phrases=signed.assumed_no_phrases)


def _document_values(signed: SignedDocument, max_version: int) -> list[object]:
    return [
        signed.requested_version,
        signed.space_id,
        signed.is_live,
        signed.author,
        signed.document_id,
        max_version,
        signed.requested_version,
    ]


def _check_scheme_unchanged(signed: Sequence[SignedDocument], using: str) -> None:
    scheme = signed[0].scheme
    if not document_queries.is_active_scheme(using, scheme.pk, scheme.secret):
        raise SchemeChanged
    for document in {document.space_id: document for document in signed}.values():
        if not document_queries.is_space(using, document.space_id, document.space_digest):
            raise SchemeChanged
    assumed_no_phrases = any(document.assumed_no_phrases for document in signed)
    if assumed_no_phrases and document_queries.active_phrases(using, scheme.profile):
        raise SchemeChanged

"""Step A: commit keys and fingerprints before anything looks for candidates.

Of two copies that are saved in the same second, each would otherwise look before the other is stored. In this
order the later one finds the earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from ..comparison.packed_keys import unpack_compared_keys, unpack_keys
from ..db.backends import get_backend
from ..db.queries import documents as document_queries
from ..db.queries import families as family_queries
from ..db.queries import fingerprints as fingerprint_queries
from ..index import keys as storage
from ..index.index_class import uses_key_table
from ..models import Document
from .locks import call_with_retries, write_transaction
from .stage_types import SignedDocument, StoredText
from .text_age import record_edits, remember_text, set_first_times
from .version_guard import claim_unlocked_versions, claim_values, claim_version


def store_many(signed: Sequence[SignedDocument], using: str) -> list[SignedDocument]:
    """Step A: commit version, keys, fingerprint and contacts of each document.

    Return the documents stored.

    Documents for which a newer request was processed are left out: they need nothing more. This never waits
    for a row while it holds others. Raise SchemeChanged if the scheme is no longer the active one. Then
    process the documents again.
    """
    if len(signed) < 2 or not get_backend(using).can_take_free_rows:
        return [document for document in signed if call_with_retries(_store_one, document, using)]
    stored_together, remaining = call_with_retries(_store_unlocked, signed, using)
    one_by_one = [document for document in remaining if call_with_retries(_store_one, document, using)]
    stored_ids = {document.document_id for document in (*stored_together, *one_by_one)}
    return [document for document in signed if document.document_id in stored_ids]


def erase_document(document: Document, using: str) -> bool | None:
    """Delete keys, fingerprints and contacts of a document.

    Return False if it was never signed. Return None if a newer request was processed meanwhile.
    """
    with transaction.atomic(using=using, durable=True):
        if document.version == 0 and document_queries.claim_erased_version(
            using, document.pk, document.wanted, 0
        ):
            return False
        if not document_queries.claim_erased_version(using, document.pk, document.wanted, document.wanted):
            return None
        remember_text(document.pk, using)
        delete_index_rows(document.pk, using)
    return True


def delete_index_rows(document: int, using: str, kept_scheme: int = 0) -> None:
    """Delete keys, fingerprints and contacts of a document in a transaction that has locked its row.

    Keep the keys and the fingerprint of ``kept_scheme``.
    """
    for keys in fingerprint_queries.delete_of(using, document, kept_scheme):
        storage.replace_keys(using, document, unpack_keys(keys), ())
    fingerprint_queries.delete_contacts_of(using, document)


def _store_one(signed: SignedDocument, using: str) -> bool:
    if (
        signed.is_new
        and _can_store_in_one_statement(signed, using)
        and _store_in_one_statement(signed, using)
    ):
        return True
    with transaction.atomic(using=using, durable=True):
        if not claim_version(signed, using):
            return False
        _write_rows([signed], using)
    return True


def _can_store_in_one_statement(signed: SignedDocument, using: str) -> bool:
    """Return whether one statement, as its own transaction, can store a new document with its keys."""
    return (
        signed.edited_at is None
        and uses_key_table(using)
        and fingerprint_queries.can_store_in_one_statement(using)
    )


def _store_in_one_statement(signed: SignedDocument, using: str) -> bool:
    """Store a document that was never signed, with one statement.

    Return False, and write nothing, if another worker has signed it.
    """
    return fingerprint_queries.store_in_one_statement(
        using,
        claim_values(signed, 0),
        _fingerprint_values(signed),
        signed.stored_keys.tolist(),
        sorted(signed.contacts.items()),
        assumed_no_phrases=signed.assumed_no_phrases,
    )


def _store_unlocked(
    signed: Sequence[SignedDocument], using: str
) -> tuple[list[SignedDocument], list[SignedDocument]]:
    """Store the documents with free rows in one transaction. Return them, and the documents left."""
    with write_transaction(using):
        claimed, remaining = claim_unlocked_versions(signed, using)
        if claimed:
            _write_rows(claimed, using)
    return claimed, remaining


def _write_rows(signed: Sequence[SignedDocument], using: str) -> None:
    """Write keys, fingerprints and contacts of documents with claimed versions."""
    # A new document has no rows to read and replace.
    former_ids = [document.document_id for document in signed if not document.is_new]
    scheme = signed[0].scheme.pk
    stored_keys, stored_texts = _read_stored_texts(former_ids, scheme, using) if former_ids else ({}, {})
    record_edits(signed, stored_texts, using)
    set_first_times(signed, using)
    _replace_keys(signed, stored_keys, using)
    fingerprint_queries.write(using, [_fingerprint_values(document) for document in signed])
    if former_ids or any(document.contacts for document in signed):
        _replace_contacts(signed, former_ids, using)


def _read_stored_texts(
    documents: Sequence[int], scheme: int, using: str
) -> tuple[dict[int, set[int]], dict[int, StoredText]]:
    """Return the stored keys of documents, and their texts. Delete their fingerprints of retired schemes.

    The texts are those of the scheme. A document without one has the text of a retired scheme, with no keys that
    could be compared.
    """
    stored_keys: dict[int, set[int]] = {}
    stored_texts: dict[int, StoredText] = {}
    retired = []
    for document, stored_scheme, packed_keys, exact_digest in fingerprint_queries.stored_texts(
        using, documents
    ):
        stored_keys.setdefault(document, set()).update(unpack_keys(packed_keys))
        if stored_scheme == scheme:
            stored_texts[document] = StoredText(exact_digest, unpack_compared_keys(packed_keys))
        else:
            retired.append((document, stored_scheme))
            stored_texts.setdefault(document, StoredText(exact_digest, set()))
    fingerprint_queries.delete(using, retired)
    family_queries.delete_of_schemes(using, retired)
    return stored_keys, stored_texts


def _replace_keys(signed: Sequence[SignedDocument], stored_keys: Mapping[int, set[int]], using: str) -> None:
    if len(signed) == 1:
        (document,) = signed
        storage.replace_keys(
            using,
            document.document_id,
            stored_keys.get(document.document_id, ()),
            document.stored_keys.tolist(),
        )
        return
    added_pairs, removed_pairs = [], []
    for document in signed:
        new_keys, old_keys = set(document.stored_keys.tolist()), stored_keys.get(document.document_id, set())
        added_pairs += [(key, document.document_id) for key in new_keys - old_keys]
        removed_pairs += [(key, document.document_id) for key in old_keys - new_keys]
    if removed_pairs:
        storage.remove_run(using, *zip(*removed_pairs))
    if added_pairs:
        assume_new = all(document.is_new for document in signed)
        storage.add_run(using, *zip(*added_pairs), assume_new=assume_new)


def _fingerprint_values(signed: SignedDocument) -> list[Any]:
    return [
        signed.document_id, signed.scheme.pk, signed.requested_version, signed.source_digest,
        signed.exact_digest, signed.word_count, signed.payload, signed.stored_keys.tobytes(), signed.codes,
    ]  # fmt: skip


def _replace_contacts(signed: Sequence[SignedDocument], documents: Sequence[int], using: str) -> None:
    stored = fingerprint_queries.contacts_of(using, documents)
    kinds_by_contact = {
        (signed_document.document_id, value): kind
        for signed_document in signed
        for value, kind in signed_document.contacts.items()
    }
    removed = sorted((value, document) for document, value in stored - kinds_by_contact.keys())
    fingerprint_queries.delete_contacts(using, removed)
    added = sorted((value, document) for document, value in kinds_by_contact.keys() - stored)
    fingerprint_queries.insert_contacts(
        using, [(value, document, kinds_by_contact[document, value]) for value, document in added]
    )

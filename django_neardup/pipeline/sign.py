"""Step A of a turn: the object is read, signed, and its keys are committed before anybody looks for candidates."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import transaction

from ..adapters import Adapter, Source
from ..models import Contact, Document, Fingerprint, Scheme, Space
from ..signatures.base import Algorithm
from ..signatures.neardup_keys import exact_key
from ..storage import keys as storage
from ..text.contacts import canonical_contact
from ..text.document import Document as Text
from ..text.hashing import hash_word, mix
from .phrases import phrases_in
from .schemes import algorithm_of, space_of

CODES = 2000
"""Characters kept of a text's codes."""

MOST_CONTACTS = 500
"""Contacts, key phrases and names kept of a document, in this order."""

LEAST_CONTENT = 2
"""Content words below which a text says nothing of itself."""


@dataclass(frozen=True)
class Signed:
    """A signed source: what step A stores and step B compares by.

    ``sure_keys``: those of ``keys`` of which one shared is enough (of equal identity, of an exact copy). ``contacts``:
    kinds by hash.
    """

    adapter: Adapter
    source: Source
    scheme: Scheme
    space: Space
    text: Text
    digest: str
    keys: tuple[int, ...]
    sure_keys: tuple[int, ...]
    payload: bytes
    contacts: Mapping[int, str]

    @property
    def algorithm(self) -> Algorithm:
        return algorithm_of(
            self.scheme, None if self.adapter.excused is None else tuple(self.adapter.excused)
        )

    @property
    def exact_digest(self) -> str:
        return self.text.exact.hex()


def why_skipped(adapter: Adapter, source: Source, text: Text | None) -> str:
    """Why a source is not compared; empty where it is."""
    if not source.compared:
        return "not compared"
    if (
        text is not None
        and not any(source.identity)
        and (text.words < adapter.least_words or text.content_words < LEAST_CONTENT)
    ):
        return "too short"
    return ""


def sign(adapter: Adapter, source: Source, scheme: Scheme, text: Text, using: str) -> Signed:
    """Keys, payload and contacts of a canonised source. Keys are hashed with scheme and space."""
    space = space_of(adapter, source, using)
    secret = bytes.fromhex(scheme.secret)
    algorithm = algorithm_of(scheme)
    place = mix(scheme.pk, space.pk)
    found = algorithm.keys(text)
    sure = {hash_word(f"identity\0{value}", secret) for value in source.identity if value}
    if not _holds_copies(algorithm, exact_key(text), found):
        sure.add(exact_key(text))
    keys, sure_keys = ({storage.signed(mix(place, key)) for key in each} for each in ({*found, *sure}, sure))
    contacts = {
        contact_hash(kind, value, secret): kind
        for kind, value in contacts_of(source, text, adapter.profile, using)[:MOST_CONTACTS]
    }
    return Signed(
        adapter, source, scheme, space, text, source.digest, tuple(sorted(keys)), tuple(sorted(sure_keys)),
        algorithm.packed(text), contacts,
    )  # fmt: skip


def _holds_copies(algorithm: Algorithm, copy: int, found: Collection[int]) -> bool:
    """Whether the algorithm's own keys bring every exact copy: theirs is among them, and one is enough."""
    return copy in found and algorithm.min_shared == 1 and algorithm.limit is None


def contact_hash(kind: str, value: str, secret: bytes) -> int:
    """Under what a contact, a name or a key phrase is stored."""
    return storage.signed(hash_word(f"{kind}\0{value}", secret))


def contacts_of(source: Source, text: Text, profile: str, using: str) -> list[tuple[str, str]]:
    """What ties the post to others, by kind: declared contacts and those in the text, in one form; the staff's key
    phrases and people's names found in it. A declared person is a name."""
    people = {contact: Text(contact, language=text.language).names for contact in source.contacts}
    declared = (canonical_contact(contact) for contact, names in people.items() if not names)
    contacts = dict.fromkeys([*filter(None, declared), *text.contacts])
    names = dict.fromkeys([*chain.from_iterable(people.values()), *text.names])
    return [
        *((Contact.Kind.CONTACT, contact) for contact in contacts),
        *((Contact.Kind.PHRASE, phrase) for phrase in phrases_in(text, profile, using)),
        *((Contact.Kind.NAME, name) for name in names),
    ]


def store(document: Document, wanted: int, signed: Signed, using: str) -> bool:
    """Commit that signature as the document's; False where a newer turn has been here."""
    with transaction.atomic(using=using, durable=True):
        if not take_fence(
            document,
            wanted,
            using,
            space=signed.space,
            live=signed.source.live,
            author=signed.source.author[:255],
        ):
            return False
        _erase_other_schemes(document, signed.scheme, using)
        old = Fingerprint.objects.using(using).filter(document=document, scheme=signed.scheme).first()
        storage.replace(using, document.pk, storage.unpack(old.keys) if old else (), signed.keys)
        _replace_contacts(document, signed.contacts, using)
        row = old or Fingerprint(document=document, scheme=signed.scheme)
        row.version, row.finished = wanted, False
        row.source_digest, row.exact_digest = signed.digest, signed.exact_digest
        row.word_count, row.payload = signed.text.words, signed.payload
        row.keys = storage.pack(signed.keys)
        row.codes = " ".join(sorted(signed.text.codes))[:CODES]
        row.save(using=using)
    return True


def _erase_other_schemes(document: Document, scheme: Scheme, using: str) -> None:
    """What a retired scheme has left of the document goes when the active one signs it."""
    others = Fingerprint.objects.using(using).filter(document=document).exclude(scheme=scheme)
    for fingerprint in others:
        storage.replace(using, document.pk, storage.unpack(fingerprint.keys), ())
        fingerprint.delete(using=using)


def erase(document: Document, wanted: int, using: str) -> bool:
    """Take keys, fingerprints and contacts of a document away; False where a newer turn has been here."""
    with transaction.atomic(using=using, durable=True):
        if not take_fence(document, wanted, using):
            return False
        fingerprints = Fingerprint.objects.using(using).filter(document=document)
        for keys in fingerprints.values_list("keys", flat=True):
            storage.replace(using, document.pk, storage.unpack(keys), ())
        fingerprints.delete()
        _replace_contacts(document, {}, using)
    return True


def take_fence(document: Document, wanted: int, using: str, **changes: Any) -> bool:
    """The first write of step A: from here on every older turn of the document stops."""
    rows = Document.objects.using(using).filter(pk=document.pk, version__lte=wanted)
    return bool(rows.update(version=wanted, **changes))


def _replace_contacts(document: Document, contacts: Mapping[int, str], using: str) -> None:
    rows = Contact.objects.using(using)
    present = set(rows.filter(document=document).values_list("hash", flat=True))
    if present - contacts.keys():
        rows.filter(document=document, hash__in=present - contacts.keys()).delete()
    rows.bulk_create(
        [
            Contact(hash=value, kind=kind, document=document)
            for value, kind in contacts.items()
            if value not in present
        ]
    )

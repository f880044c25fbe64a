"""What two compared documents share apart from their texts. Everything here only reads.

That is: keys, contacts, names, key phrases, identity, and decisions that cover both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q

from ..algorithms.base import Algorithm
from ..algorithms.statistics import StatisticsMissing
from ..models import Contact, Decision, Document, KeyPhrase, Scheme
from ..reports.shared_keys import SharedKeys, find_shared_keys
from ..reports.stored_facts import PastDecision, StoredFacts
from ..reports.text_comparison import SharedValues
from ..text.canonical_text import CanonicalText as Text
from .content_objects import canonical_id, content_type_of
from .decision_lookup import DecisionScope
from .hash_secrets import secret_of
from .key_phrases import normalize_phrase
from .source_properties import contact_hash, contacts_of

UNEQUAL, EQUAL, UNKNOWN = "unequal", "equal", "unknown"
"""Results of comparing two declared values. Unknown: at least one of them is empty."""


@dataclass(frozen=True)
class ComparedText:
    """One side of a comparison: its text, and the contacts and the identity that its adapter declares."""

    text: Text
    contacts: Sequence[str]
    identity: Sequence[str]


@dataclass(frozen=True)
class SharedEvidence:
    """What two texts share.

    - ``shared_keys``: None if the statistics that the keys depend on are gone.
    - ``identity``: a result of ``compare_values`` for each field.
    """

    shared_keys: SharedKeys | None
    contacts: SharedValues
    names: SharedValues
    identity: tuple[str, ...]


def find_shared_evidence(a: ComparedText, b: ComparedText, algorithm: Algorithm) -> SharedEvidence:
    """Return what two texts share, by the texts and their adapters only."""
    contacts_a, contacts_b = _contacts_by_kind(a), _contacts_by_kind(b)
    return SharedEvidence(
        _find_shared_keys(a, b, algorithm),
        SharedValues.from_values(contacts_a[Contact.Kind.CONTACT], contacts_b[Contact.Kind.CONTACT]),
        SharedValues.from_values(contacts_a[Contact.Kind.NAME], contacts_b[Contact.Kind.NAME]),
        tuple(compare_values(value_a, value_b) for value_a, value_b in zip(a.identity, b.identity)),
    )


def _find_shared_keys(a: ComparedText, b: ComparedText, algorithm: Algorithm) -> SharedKeys | None:
    try:
        return find_shared_keys(a.text, b.text, algorithm, (a.identity, b.identity))
    except StatisticsMissing:
        return None


def _contacts_by_kind(compared_text: ComparedText) -> dict[str, list[str]]:
    """Return contacts and names by kind, in the form in which they are stored."""
    text = compared_text.text
    by_kind: dict[str, list[str]] = {Contact.Kind.CONTACT: [], Contact.Kind.NAME: []}
    for kind, value in contacts_of(
        compared_text.contacts, text.contacts, (), text.person_names, text.language
    ):
        by_kind[kind].append(value)
    return by_kind


def compare_values(a: str, b: str) -> str:
    """Compare two declared values. Return UNKNOWN if one is empty."""
    if not a or not b:
        return UNKNOWN
    return EQUAL if a == b else UNEQUAL


def contact_hashes(contacts: Sequence[str], scheme: Scheme) -> dict[str, int]:
    """Return the numbers under which contacts are stored."""
    secret = secret_of(scheme)
    return {contact: contact_hash(Contact.Kind.CONTACT, contact, secret) for contact in contacts}


def shared_phrases(a: Document, b: Document, scheme: Scheme, using: str) -> SharedValues:
    """Return active key phrases found in both documents, and found in only one of them. Uses two queries."""
    rows = Contact.objects.using(using).filter(document__in=[a, b], kind=Contact.Kind.PHRASE)
    hashes_by_document: dict[int, set[int]] = {a.pk: set(), b.pk: set()}
    for document, value in rows.values_list("document", "hash"):
        hashes_by_document[document].add(value)
    if not hashes_by_document[a.pk] | hashes_by_document[b.pk]:
        return SharedValues()
    active = KeyPhrase.objects.using(using).filter(active=True, profile__in=["", scheme.profile])
    secret = secret_of(scheme)
    texts = list(active.order_by("pk").values_list("text", flat=True))
    hash_by_text = {text: contact_hash(Contact.Kind.PHRASE, normalize_phrase(text), secret) for text in texts}
    return SharedValues.from_values(
        *([text for text in texts if hash_by_text[text] in hashes_by_document[side.pk]] for side in (a, b))
    )


def decisions_between(a: Document, b: Document, using: str) -> list[Decision]:
    """Return every decision that covers both documents, withdrawn ones too, newest first.

    Uses two queries.
    """
    rows = Decision.objects.using(using).filter(Q(members__document=a) & Q(pk__in=_decision_ids_of(b, using)))
    key = (min(a.pk, b.pk), max(a.pk, b.pk))
    decisions = rows.prefetch_related("members").order_by("-pk")
    return [decision for decision in decisions if DecisionScope.from_decision(decision).covers(*key)]


def _decision_ids_of(document: Document, using: str) -> object:
    return Decision.objects.using(using).filter(members__document=document).values("pk")


@dataclass(frozen=True)
class ComparedObject:
    """One side of a comparison, with data of its object.

    These are the names of its identity fields, its author, and its model and primary key.
    """

    compared_text: ComparedText
    identity_names: Sequence[str]
    author: str
    model: type[Model]
    key: Any


def load_stored_facts(
    a: ComparedObject, b: ComparedObject, algorithm: Algorithm, scheme: Scheme, using: str
) -> StoredFacts:
    """Return the stored facts about two objects.

    An object that was never indexed has no stored rows: only the facts of the texts are returned.
    """
    evidence = find_shared_evidence(a.compared_text, b.compared_text, algorithm)
    document_a, document_b = (_find_document(item, using) for item in (a, b))
    identity, author = tuple(zip(a.identity_names, evidence.identity)), compare_values(a.author, b.author)
    if document_a is None or document_b is None or document_a.pk == document_b.pk:
        return StoredFacts(evidence.shared_keys, identity, SharedValues(), author, "", ())
    return StoredFacts(
        evidence.shared_keys,
        identity,
        shared_phrases(document_a, document_b, scheme, using),
        author,
        "A" if document_a.text_age < document_b.text_age else "B",
        tuple(_past_decision(item) for item in decisions_between(document_a, document_b, using)),
    )


def _find_document(compared_object: ComparedObject, using: str) -> Document | None:
    content_type = content_type_of(compared_object.model, using)
    rows = Document.objects.using(using).filter(
        content_type=content_type, object_id=canonical_id(compared_object.key)
    )
    return rows.first()


def _past_decision(decision: Decision) -> PastDecision:
    when = decision.created.date().isoformat()
    return PastDecision(decision.kind, decision.by_name, when, decision.note, decision.withdrawn is not None)

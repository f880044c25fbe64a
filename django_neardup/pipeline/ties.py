"""What is known of two compared documents beside their texts: keys that met, contacts, names, key phrases, identity,
what people decided. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from ..comparison.compare import Held
from ..comparison.meeting import Met, met
from ..models import Contact, Decision, Document, KeyPhrase, Scheme
from ..signatures.base import Algorithm
from ..signatures.statistics import StatisticsMissing
from ..text.document import Document as Text
from .phrases import value_of
from .sign import contact_hash, contacts_of
from .told import Told

UNEQUAL, EQUAL, UNKNOWN = "unequal", "equal", "unknown"
"""What two declared values are to each other; unknown: not both are given."""


@dataclass(frozen=True)
class Party:
    """One of the two: its text as it was compared, and the contacts and identity that its adapter declares."""

    text: Text
    contacts: Sequence[str]
    identity: Sequence[str]


@dataclass(frozen=True)
class Ties:
    """``met``: None where the statistics that the keys depend on are gone. ``identity``: a word for each field."""

    met: Met | None
    contacts: Held
    names: Held
    identity: tuple[str, ...]


def ties(a: Party, b: Party, algorithm: Algorithm) -> Ties:
    """What ties two texts, as far as they and their adapters say it."""
    left, right = _told(a), _told(b)
    return Ties(
        _met(a, b, algorithm),
        Held.of(left[Contact.Kind.CONTACT], right[Contact.Kind.CONTACT]),
        Held.of(left[Contact.Kind.NAME], right[Contact.Kind.NAME]),
        tuple(compared(one, two) for one, two in zip(a.identity, b.identity)),
    )


def _met(a: Party, b: Party, algorithm: Algorithm) -> Met | None:
    try:
        return met(a.text, b.text, algorithm, (a.identity, b.identity))
    except StatisticsMissing:
        return None


def _told(party: Party) -> dict[str, list[str]]:
    """Contacts and names by kind, as they are stored."""
    text = party.text
    found: dict[str, list[str]] = {Contact.Kind.CONTACT: [], Contact.Kind.NAME: []}
    for kind, value in contacts_of(party.contacts, text.contacts, (), text.names, text.language):
        found[kind].append(value)
    return found


def compared(one: str, two: str) -> str:
    """What two declared values are to each other."""
    if not one or not two:
        return UNKNOWN
    return EQUAL if one == two else UNEQUAL


def hashes_of(contacts: Sequence[str], scheme: Scheme) -> dict[str, int]:
    """Under what those contacts are stored."""
    secret = bytes.fromhex(scheme.secret)
    return {contact: contact_hash(Contact.Kind.CONTACT, contact, secret) for contact in contacts}


def phrases_of(a: Document, b: Document, scheme: Scheme, using: str) -> Held:
    """The staff's active key phrases that both hold, and those that one does: two queries."""
    rows = Contact.objects.using(using).filter(document__in=[a, b], kind=Contact.Kind.PHRASE)
    held: dict[int, set[int]] = {a.pk: set(), b.pk: set()}
    for document, value in rows.values_list("document", "hash"):
        held[document].add(value)
    if not held[a.pk] | held[b.pk]:
        return Held()
    active = KeyPhrase.objects.using(using).filter(active=True, profile__in=["", scheme.profile])
    secret = bytes.fromhex(scheme.secret)
    texts = list(active.order_by("pk").values_list("text", flat=True))
    named = {text: contact_hash(Contact.Kind.PHRASE, value_of(text), secret) for text in texts}
    return Held.of(*([text for text in texts if named[text] in held[each.pk]] for each in (a, b)))


def decisions_between(a: Document, b: Document, using: str) -> list[Decision]:
    """Every decision that speaks of those two, the newest first, those taken back too; two queries."""
    rows = Decision.objects.using(using).filter(Q(members__document=a) & Q(pk__in=_speaking_of(b, using)))
    key = (min(a.pk, b.pk), max(a.pk, b.pk))
    found = rows.prefetch_related("members").order_by("-pk")
    return [each for each in found if Told.of(each).speaks_of(*key)]


def _speaking_of(document: Document, using: str) -> object:
    return Decision.objects.using(using).filter(members__document=document).values("pk")

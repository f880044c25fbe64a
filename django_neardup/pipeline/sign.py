"""What is said of a source beside its keys: why it is skipped, and the contacts that tie it to others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..adapters import Adapter, Source
from ..models import Contact
from ..storage import keys as storage
from ..text.contacts import canonical_contact
from ..text.document import Document as Text
from ..text.hashing import hash_word
from ..text.may_name import may_name
from ..text.plain import plain_text
from ..text.traced import Untraced

MOST_CONTACTS = 500
"""Contacts, key phrases and names kept of a document, in this order."""

LEAST_CONTENT = 2
"""Content words below which a text says nothing of itself."""


def why_skipped(adapter: Adapter, source: Source, text: Text | None) -> str:
    """Why a source is not compared; empty where it is."""
    if not source.compared:
        return "not compared"
    if text is not None and is_too_short(adapter, source, text.words, text.content_words):
        return "too short"
    return ""


def is_too_short(adapter: Adapter, source: Source, words: int, content_words: int) -> bool:
    """Whether a text of so many words says too little, and no identity speaks for it."""
    return not any(source.identity) and (words < adapter.least_words or content_words < LEAST_CONTENT)


def contact_hash(kind: str, value: str, secret: bytes) -> int:
    """Under what a contact, a name or a key phrase is stored."""
    return storage.signed(hash_word(f"{kind}\0{value}", secret))


def contacts_of(
    declared: Sequence[str],
    contacts: Sequence[str],
    phrases: Sequence[str],
    names: Sequence[str],
    language: str,
) -> list[tuple[str, str]]:
    """What ties the post to others, by kind: declared contacts and those in the text, in one form; the staff's key
    phrases and people's names found in it. A declared person is a name."""
    people = {
        each: Text(each, language=language).names
        if may_name(plain_text(each, form=Untraced).text, language)
        else ()
        for each in declared
    }
    known = (canonical_contact(each) for each, found in people.items() if not found)
    return [
        *((Contact.Kind.CONTACT, contact) for contact in dict.fromkeys([*filter(None, known), *contacts])),
        *((Contact.Kind.PHRASE, phrase) for phrase in phrases),
        *((Contact.Kind.NAME, name) for name in dict.fromkeys([*chain(*people.values()), *names])),
    ]

"""Properties of a source apart from its keys: why it is skipped, and its contacts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..adapters import Adapter, Source
from ..comparison.packed_keys import to_signed
from ..models import Contact
from ..text.canonical_text import CanonicalText as Text
from ..text.hashing import hash_word
from ..text.normalization.offsets import PlainText
from ..text.normalization.plain_text import plain_text
from ..text.tokens.contacts import canonical_contact
from ..text.tokens.name_prefilter import can_contain_name

MAX_CONTACTS = 500
"""Contacts, key phrases and names that are stored of a document, in this order."""

NOT_COMPARED, TOO_SHORT, TOO_LONG = "not compared", "too short", "too long"
"""Reasons of documents that are skipped."""

MIN_CONTENT_WORDS = 2
"""Content words that a text needs, or it is too short to compare."""


def ignored_classes_of(adapter: Adapter) -> tuple[str, ...] | None:
    """Return the classes of differences that the adapter ignores. None means those of the scheme."""
    return None if adapter.ignored_differences is None else tuple(adapter.ignored_differences)


def skip_reason(adapter: Adapter, source: Source, text: Text | None) -> str:
    """Return why a source is not compared. Return an empty text if it is compared."""
    if not source.compared:
        return NOT_COMPARED
    if text is not None and text.too_long:
        return TOO_LONG
    if text is not None and is_too_short(adapter, source, text.word_count, text.content_word_count):
        return TOO_SHORT
    return ""


def is_too_short(adapter: Adapter, source: Source, words: int, content_words: int) -> bool:
    """Return whether a text has too few words to compare.

    A source with an identity value is never too short.
    """
    return not any(source.identity) and (
        words < adapter.settings.min_words or content_words < MIN_CONTENT_WORDS
    )


def contact_hash(kind: str, value: str, secret: bytes) -> int:
    """Return the number under which a contact, a name or a key phrase is stored."""
    return to_signed(hash_word(f"{kind}\0{value}", secret))


def contacts_of(
    declared: Sequence[str],
    contacts: Sequence[str],
    phrases: Sequence[str],
    names: Sequence[str],
    language: str,
) -> list[tuple[str, str]]:
    """Return what ties a post to others, as pairs of a kind and a value.

    These are contacts, declared and found in the text, in one form; the staff's key phrases in it; and
    people's names in it. A declared contact that is a person's name counts as a name.
    """
    names_by_contact = {
        declared_contact: Text(declared_contact, language=language).person_names
        if can_contain_name(plain_text(declared_contact, text_class=PlainText).text, language)
        else ()
        for declared_contact in declared
    }
    canonical_contacts = (
        canonical_contact(declared_contact)
        for declared_contact, found_names in names_by_contact.items()
        if not found_names
    )
    return [
        *(
            (Contact.Kind.CONTACT, contact)
            for contact in dict.fromkeys([*filter(None, canonical_contacts), *contacts])
        ),
        *((Contact.Kind.PHRASE, phrase) for phrase in phrases),
        *((Contact.Kind.NAME, name) for name in dict.fromkeys([*chain(*names_by_contact.values()), *names])),
    ]

"""What is stored of two objects beside their texts, for a report: keys that met, key phrases, what people decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from ..comparison.compare import Held
from ..comparison.known import Known, Said
from ..models import Decision, Document, Scheme
from ..signatures.base import Algorithm
from .objects import canonical_id, content_type_of
from .ties import Party, compared, decisions_between, phrases_of, ties


@dataclass(frozen=True)
class Stored:
    """One of the two: as it was read, the names of its identity fields, its author and the object's model and key."""

    party: Party
    names: Sequence[str]
    author: str
    model: type[Model]
    key: Any


def known_of(a: Stored, b: Stored, algorithm: Algorithm, scheme: Scheme, using: str) -> Known:
    """All that is known of those two; the rows of objects that were never indexed are none."""
    found = ties(a.party, b.party, algorithm)
    one, two = (_document(each, using) for each in (a, b))
    identity, author = tuple(zip(a.names, found.identity)), compared(a.author, b.author)
    if one is None or two is None or one.pk == two.pk:
        return Known(found.met, identity, Held(), author, "", ())
    return Known(
        found.met,
        identity,
        phrases_of(one, two, scheme, using),
        author,
        "A" if (one.first_seen, one.pk) < (two.first_seen, two.pk) else "B",
        tuple(_said(each) for each in decisions_between(one, two, using)),
    )


def _document(stored: Stored, using: str) -> Document | None:
    kind = content_type_of(stored.model, using)
    rows = Document.objects.using(using).filter(content_type=kind, object_id=canonical_id(stored.key))
    return rows.first()


def _said(decision: Decision) -> Said:
    when = decision.created.date().isoformat()
    return Said(decision.kind, decision.by_name, when, decision.note, decision.withdrawn is not None)

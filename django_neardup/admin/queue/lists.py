"""What a list of the queue holds: all that waits, or that of one author or one contact, and what was searched for."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from ...models import Document
from ..asked import OF_ONE
from .items import Waiting
from .searching import searched


def documents_of_list(name: str, using: str) -> QuerySet[Any] | None:
    """The documents that an author's or a contact's list is narrowed to; None for the whole queue."""
    kind, _colon, value = name.partition(":")
    if kind not in OF_ONE:
        return None
    where: dict[str, Any] = {"author": value} if kind == "author" else {"contacts__hash": int(value)}
    return Document.objects.using(using).filter(**where).values("pk")


def waiting_of(name: str, chosen: Any, request: HttpRequest, site: Any, using: str) -> Waiting:
    """A list of that name with what its address has chosen."""
    found, asked = documents_of_list(name, using), chosen.get("q", "").strip()
    if asked:
        documents = searched(asked, request, site, using)
        found = documents if found is None else documents.filter(pk__in=found)
    return Waiting(using, chosen, chosen.get("o", "first"), found)

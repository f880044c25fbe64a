"""Posts that are deleted or hidden while their profile lacks statistics: what takes them away needs no signature."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from ..models import Document
from ..models.fields import DatabaseClock
from .turn import read_source, take_from_view

WITH_TRACES = (Document.State.INDEXED, Document.State.QUARANTINED)
"""States of documents that may have a place in a group."""

Request = tuple[int, int, int | None]
"""A document, the number of the request and its time."""

_seen: dict[str, set[Request]] = {}
"""By database, requests of posts that wait for statistics and are there still: each is looked at once."""


def leaving(kinds: Collection[int], using: str) -> list[int]:
    """Of the indexed documents of those content types that wait: those whose turn takes them out of the index.

    One that is hidden and compared all the same stops leading here, and goes on waiting."""
    if not kinds:
        _seen.pop(using, None)
        return []
    waiting = _requests(kinds, using)
    new = sorted(waiting - _seen.get(using, set()))
    gone = {request for request in new if _leaves(request[0], using)}
    _seen[using] = waiting - gone
    return sorted(document for document, _, _ in gone)


def _requests(kinds: Collection[int], using: str) -> set[Request]:
    free = Q(leased_until=None) | Q(leased_until__lt=DatabaseClock())
    rows = Document.objects.using(using).filter(free, content_type__in=kinds, state__in=WITH_TRACES)
    return set(rows.filter(pending_since__isnull=False).values_list("pk", "wanted", "pending_since"))


def _leaves(number: int, using: str) -> bool:
    document = Document.objects.using(using).get(pk=number)
    adapter, source = read_source(document, using, strict=False)
    if adapter is None or source is None or not source.compared:
        return True
    if document.live and not source.live:
        take_from_view(document, adapter, using)
    return False

"""Quarantine: posts that were tried too often are set aside, so that they hold up no other.

A post whose processing raises an error stays there until it is edited. A post whose worker died may be
innocent: the machine was restarted, or another program took its memory. It is tried again daily.
"""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from ..conf import get_site_settings
from ..models import Document
from ..models.fields import DatabaseClock
from .work_queue import finish_row

RETRY_MILLISECONDS = 24 * 3600 * 1000
"""Milliseconds after which a post whose worker died is tried again."""

MAX_RETRIES = 100
"""Posts that are marked again at once, at most."""

MIN_LEASES = 2
"""The least number of leases before a row is given up. A smaller ``MAX_ATTEMPTS`` counts as this.

The death of a worker says nothing about one post of a batch, so each is tried once more on its own.
"""


def max_leases() -> int:
    """Return after how many leases without a result a row is given up."""
    return max(get_site_settings().max_attempts, MIN_LEASES)


def quarantine(document: Document, reason: str, using: str, *, is_retried: bool = False) -> None:
    """Set a leased document aside. ``is_retried``: it is tried again daily.

    If it was marked meanwhile, it stays pending.
    """
    # The lease ends now. In a document that is not pending, an end says that its worker died, and when.
    end = {"leased_until": DatabaseClock()} if is_retried else {}
    finish_row(
        Document, document.pk, document.wanted, using, state=Document.State.QUARANTINED, reason=reason, **end
    )


def quarantined(using: str) -> QuerySet[Document]:
    """Return the documents in quarantine."""
    return Document.objects.using(using).filter(state=Document.State.QUARANTINED)


def retry_given_up(using: str) -> int:
    """Mark documents that were given up a day ago, at most ``MAX_RETRIES``, and return their number.

    One lease is left to each.
    """
    now = DatabaseClock()
    # If the clock was set back, it was given up in the future.
    is_due = Q(leased_until__lt=now - RETRY_MILLISECONDS) | Q(leased_until__gt=now + RETRY_MILLISECONDS)
    due = quarantined(using).filter(is_due, pending_since=None)
    # One row a statement: a statement that waits for a row while it holds others can deadlock with a request.
    documents = list(due.order_by("pk").values_list("pk", flat=True)[:MAX_RETRIES])
    for pk in documents:
        due.filter(pk=pk).update(
            wanted=F("wanted") + 1,
            attempts=max_leases() - 1,
            pending_since=now,
            leased_until=None,
            recheck=True,
        )
    return len(documents)

"""The progress of ``neardup_index`` per model.

It is stored in the scheme, and changed under the lock of its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import F

from ..models import Scheme


@contextmanager
def lock_scheme(scheme: int, using: str) -> Iterator[Scheme]:
    """Open a durable transaction that first locks the scheme's row.

    Yield the scheme as read under the lock.
    """
    with transaction.atomic(using=using, durable=True):
        rows = Scheme.objects.using(using).filter(pk=scheme)
        # A write that changes nothing locks the row on every database.
        rows.update(generation=F("generation"))
        yield rows.defer("synonyms").get()


def progress_of(scheme: Scheme, label: str) -> dict[str, Any]:
    """Return the stored progress of the model with this label."""
    return dict(scheme.progress.get(label, {}))


def save_progress(scheme: Scheme, label: str, **changes: Any) -> None:
    """Add values to the stored progress of a model. Call it under the lock."""
    scheme.progress[label] = {**progress_of(scheme, label), **changes}
    scheme.save(update_fields=["progress"])

"""How far ``neardup_index`` has come with a model: a few words in the scheme, changed under its row's lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import F

from ..models import Scheme


@contextmanager
def locked(scheme: int, using: str) -> Iterator[Scheme]:
    """A durable transaction that begins by locking that scheme's row, which is then read."""
    with transaction.atomic(using=using, durable=True):
        rows = Scheme.objects.using(using).filter(pk=scheme)
        rows.update(generation=F("generation"))
        yield rows.defer("synonyms").get()


def progress_of(scheme: Scheme, label: str) -> dict[str, Any]:
    """What is noted of the model of that label."""
    return dict(scheme.progress.get(label, {}))


def keep_progress(scheme: Scheme, label: str, **changes: Any) -> None:
    """Note these of the model beside what is noted; under the lock."""
    scheme.progress[label] = {**progress_of(scheme, label), **changes}
    scheme.save(update_fields=["progress"])

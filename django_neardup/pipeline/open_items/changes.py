"""The log of documents around which rows of the review queue are outdated.

Entries are only ever added, so that writers never wait for each other or for a refresh.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models

from ...adapters import adapters_of
from ...models import ChangedDocument
from ..content_objects import documents_of


def log_changed_documents(documents: Iterable[int], using: str) -> None:
    """Log documents with other pairs, or another cluster, family or state. Call it in the same transaction."""
    rows = [ChangedDocument(document=document) for document in sorted(set(documents))]
    if rows:
        ChangedDocument.objects.using(using).bulk_create(rows, batch_size=500)


def log_changed_posts(posts: Iterable[models.Model], using: str) -> None:
    """Do the same for the documents of objects. Objects of models without an adapter have none."""
    registered = [post for post in posts if adapters_of(post)]
    log_changed_documents((document.pk for document in documents_of(registered, using).values()), using)

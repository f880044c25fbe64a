"""What no signal told: bulk updates, raw SQL, crashes between a commit and its mark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import models

from ..adapters import Adapter, Source, registered
from ..columns import as_key
from ..models import Document, Fingerprint, Scheme
from .ledger import mark_document, mark_key
from .objects import canonical_id, content_type_of
from .progress import progress_of
from .schemes import active_scheme, canonise, present_scheme
from .sign import why_skipped
from .sql import streamed

BATCH = 500


@dataclass
class Differences:
    """What ``reconcile`` found: objects without a document, objects with another text, documents without an object."""

    missing: int = 0
    stale: int = 0
    orphaned: int = 0

    @property
    def total(self) -> int:
        return self.missing + self.stale + self.orphaned


def batches(adapter: Adapter, using: str, after: Any = None, size: int = BATCH) -> Iterator[list[Any]]:
    """The primary keys of every object in batches, in keyset order, those after ``after``."""
    rows = adapter.model._base_manager.using(using).order_by("pk").values_list("pk", flat=True)
    while keys := list((rows if after is None else rows.filter(pk__gt=after))[:size]):
        yield keys
        after = keys[-1]


def ordered_batches(adapter: Adapter, using: str, size: int = BATCH) -> Iterator[list[Any]]:
    """The same in the adapter's own ``order``, from the start, where the primary key tells no age."""
    rows = adapter.model._base_manager.using(using).order_by(adapter.order, "pk").values_list("pk", flat=True)
    batch: list[Any] = []
    for key in streamed(rows, using, size):
        batch.append(key)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def reconcile(adapter: Adapter, using: str, dry_run: bool = False) -> Iterator[tuple[int, Differences]]:
    """Compare every object with its document, and mark what differs; yields batch sizes and what was found so far.
    ``dry_run``: nothing is written."""
    scheme, found = (present_scheme if dry_run else active_scheme)(adapter.settings, using), Differences()
    for keys in batches(adapter, using):
        known = _documents(adapter, keys, using)
        stored = _digests(known.values(), scheme, using)
        sources = adapter.sources(keys, using)
        for key in keys:
            document = known.get(canonical_id(key))
            if document is None:
                found.missing += 1
            elif not _agrees(adapter, sources.get(key), document, stored, scheme):
                found.stale += 1
            else:
                continue
            if not dry_run:
                mark_key(adapter, key, using, recheck=document is not None)
        yield len(keys), found
    for orphan in _orphans(adapter, using):
        found.orphaned += 1
        if not dry_run:
            mark_document(orphan, using)
    yield 0, found


def find_missing(using: str, slice_size: int = BATCH, cursors: dict[str, Any] | None = None) -> int:
    """The idle pass: mark objects without a document, a bounded slice a model and call; how many.

    ``cursors`` is kept by the caller from call to call. Models that no backfill has come through are left alone.
    """
    cursors, marked = {} if cursors is None else cursors, 0
    for model, adapter in registered().items():
        label = model._meta.label_lower
        if not progress_of(active_scheme(adapter.settings, using), label).get("again"):
            continue
        keys = next(batches(adapter, using, cursors.get(label), slice_size), [])
        cursors[label] = keys[-1] if len(keys) == slice_size else None
        known = _documents(adapter, keys, using)
        for key in keys:
            if canonical_id(key) not in known:
                mark_key(adapter, key, using)
                marked += 1
    return marked


def _documents(adapter: Adapter, keys: list[Any], using: str) -> dict[str, Document]:
    rows = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), object_id__in=[canonical_id(key) for key in keys]
    )
    return {document.object_id: document for document in rows}


def _digests(documents: Any, scheme: Scheme, using: str) -> dict[int, str]:
    rows = Fingerprint.objects.using(using).filter(document__in=list(documents), scheme=scheme.pk)
    return dict(rows.values_list("document_id", "source_digest"))


def _agrees(
    adapter: Adapter, source: Source | None, document: Document, stored: dict[int, str], scheme: Scheme
) -> bool:
    if document.pending_since is not None or document.state == Document.State.QUARANTINED:
        return True
    if source is None:
        return False
    if document.pk in stored:
        return stored[document.pk] == source.digest
    if document.state != Document.State.SKIPPED:
        return False
    return bool(why_skipped(adapter, source, canonise(adapter, source, scheme) if source.compared else None))


def _orphans(adapter: Adapter, using: str) -> Iterator[int]:
    """Documents whose object is gone without a word, and those whose id is no key of the model."""
    rows = Document.objects.using(using).filter(content_type=content_type_of(adapter.model, using))
    rows = rows.exclude(state=Document.State.GONE).filter(pending_since=None).order_by("pk")
    after, model = 0, adapter.model
    while chunk := list(rows.filter(pk__gt=after).values_list("pk", "object_id")[:BATCH]):
        after = chunk[-1][0]
        keys = {document: as_key(model, text) for document, text in chunk}
        known = [key for key in keys.values() if key is not None]
        present: models.QuerySet[Any] = model._base_manager.using(using).filter(pk__in=known)
        there = set(present.values_list("pk", flat=True))
        yield from (document for document, key in keys.items() if key not in there)

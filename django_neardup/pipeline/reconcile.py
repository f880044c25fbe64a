"""Find posts for which no signal was sent, and mark them.

The reasons are bulk updates, raw SQL, and crashes between a commit and its mark.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, models
from django.db.models import Exists, OuterRef
from django.db.models.expressions import Combinable

from ..adapters import Adapter, registered_adapters
from ..db.backends import get_backend
from ..db.document_key import DocumentKey
from ..db.queries import fingerprints as fingerprint_queries
from ..db.sql import filter_in_chunks
from ..exceptions import infrastructure_errors, without_message
from ..models import Document, Scheme
from ..querysets import parse_pk, pk_field
from .content_objects import canonical_id, content_type_of, has_table, is_stored_in
from .index_progress import progress_of
from .read import read_many
from .schemes import active_or_unsaved_scheme, active_scheme, canonicalize, find_active_scheme
from .source_properties import skip_reason
from .stage_types import ReadDocument
from .work_queue import mark_document, mark_key

logger = logging.getLogger(__name__)

BATCH = 500
KEY_BATCH = 10_000
"""Keys that are read at once where nothing but keys is read."""


@dataclass
class ReconcileResult:
    """Numbers of objects without a document, objects with another text, and documents without an object."""

    missing: int = 0
    stale: int = 0
    orphaned: int = 0

    @property
    def total(self) -> int:
        return self.missing + self.stale + self.orphaned


def pk_batches(adapter: Adapter, using: str, after_pk: Any = None, size: int = BATCH) -> Iterator[list[Any]]:
    """Yield the primary keys of all objects in batches, in ascending order after ``after_pk``."""
    rows = adapter.model._base_manager.using(using).order_by("pk").values_list("pk", flat=True)
    while keys := list((rows if after_pk is None else rows.filter(pk__gt=after_pk))[:size]):
        yield keys
        after_pk = keys[-1]


def ordered_pk_batches(adapter: Adapter, using: str, size: int = BATCH) -> Iterator[list[Any]]:
    """Yield the primary keys of all objects in batches, in the adapter's ``order`` and from the start.

    Use it if primary keys do not grow with age.
    """
    rows = adapter.model._base_manager.using(using).order_by(adapter.order, "pk").values_list("pk", flat=True)
    batch: list[Any] = []
    for key in get_backend(using).stream(rows, size):
        batch.append(key)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def reconcile(adapter: Adapter, using: str, dry_run: bool = False) -> Iterator[tuple[int, ReconcileResult]]:
    """Compare every object with its document, and mark the document if they differ.

    Yield the size of each batch and the result so far. ``dry_run``: write nothing.
    """
    scheme, result = (
        (active_or_unsaved_scheme if dry_run else active_scheme)(adapter.settings, using),
        ReconcileResult(),
    )
    for keys in pk_batches(adapter, using):
        documents = _documents_by_object_id(adapter, keys, using)
        missing = [key for key in keys if canonical_id(key) not in documents]
        # A pending document is processed anyway. A quarantined one would only fail again.
        settled = [
            document
            for document in documents.values()
            if document.pending_since is None and document.state != Document.State.QUARANTINED
        ]
        stale = select_outdated(adapter, settled, scheme, using)
        result.missing += len(missing)
        result.stale += len(stale)
        if not dry_run:
            for key in missing:
                mark_key(adapter, key, using)
            for document in stale:
                mark_document(document.pk, using, recheck=True)
        yield len(keys), result
    for orphan in _find_orphans(adapter, using):
        result.orphaned += 1
        if not dry_run:
            mark_document(orphan, using)
    yield 0, result


def select_outdated(
    adapter: Adapter, documents: Sequence[Document], scheme: Scheme, using: str
) -> list[Document]:
    """Return documents with a post that has changed since it was processed under the scheme. Pending ones are
    left out.

    Posts are read only if that depends on their text.
    """
    digests = fingerprint_queries.source_digests(using, [document.pk for document in documents], scheme.pk)
    to_read = [
        document
        for document in documents
        if document.pk in digests or document.state == Document.State.SKIPPED
    ]
    up_to_date = {
        read_document.document.pk
        for read_document in read_many(to_read, using)
        if _is_up_to_date(adapter, read_document, digests.get(read_document.document.pk), scheme)
    }
    return [document for document in documents if document.pk not in up_to_date]


def _is_up_to_date(
    adapter: Adapter, read_document: ReadDocument, stored_digest: str | None, scheme: Scheme
) -> bool:
    source = read_document.source
    if source is None:
        return False
    if stored_digest is not None:
        return read_document.document.state == Document.State.INDEXED and stored_digest == source.digest
    return bool(
        skip_reason(adapter, source, canonicalize(adapter, source, scheme) if source.compared else None)
    )


def mark_missing(using: str) -> int:
    """Mark objects without a document, at most ``BATCH`` of each model, and return their number.

    The objects of a model whose first ``neardup_index`` runs are left to it. Before it has run, objects are marked only
    if fewer of them lack a document than have one, or no more than ``BATCH``: the others are as old as the site, and
    not lost.
    """
    marked = 0
    for model, adapter in registered_adapters().items():
        # An unmanaged model may have its table in another database.
        if not is_stored_in(model, using) or not (model._meta.managed or has_table(model, using)):
            continue
        try:
            for key in _lost_keys(adapter, using):
                mark_key(adapter, key, using)
                marked += 1
        except infrastructure_errors():
            raise
        except (Error, ImproperlyConfigured) as error:
            # One model's adapter must not keep the posts of the others waiting.
            logger.error(
                "neardup: the search for missed posts of %s failed",
                model._meta.label,
                exc_info=without_message(error),
            )
    return marked


def _lost_keys(adapter: Adapter, using: str) -> list[Any]:
    scheme = find_active_scheme(adapter.settings.alias, using)
    progress = progress_of(scheme, adapter.model._meta.label_lower) if scheme else {}
    if progress and not (progress.get("again") or progress.get("finished")):
        return []
    most = None if progress else max(_count_documents(adapter, using), BATCH)
    return keys_without_document(adapter, using, most)


def _count_documents(adapter: Adapter, using: str) -> int:
    return Document.objects.using(using).filter(content_type=content_type_of(adapter.model, using)).count()


def keys_without_document(adapter: Adapter, using: str, most: int | None = None) -> list[Any]:
    """Return primary keys of objects without a document, at most ``BATCH``. Return none if there are over ``most``."""
    model = adapter.model
    key_field, objects = pk_field(model), model._base_manager.using(using).order_by("pk")
    key: Combinable = OuterRef("pk")
    if isinstance(key_field, models.IntegerField):
        column = "object_key"
    elif isinstance(key_field, (models.UUIDField, models.CharField)):
        column, key = "object_id", DocumentKey(key, key_field)
    else:
        return _read_keys_without_document(adapter, using, most)
    # With only an equality MariaDB first copies all keys of documents to a table on the disk, without an
    # index.
    same_key = {column: key, f"{column}__gte": key}
    documents = Document.objects.filter(content_type=content_type_of(model, using), **same_key)
    missing = objects.filter(~Exists(documents)).values_list("pk", flat=True)
    if most is not None and missing.order_by()[: most + 1].count() > most:
        return []
    return list(missing[:BATCH])


def _read_keys_without_document(adapter: Adapter, using: str, most: int | None) -> list[Any]:
    """Do the same for keys of a kind whose text no database writes as ``canonical_id`` does."""
    missing: list[Any] = []
    for keys in pk_batches(adapter, using, size=KEY_BATCH):
        object_ids = [canonical_id(key) for key in keys]
        rows = Document.objects.using(using).filter(content_type=content_type_of(adapter.model, using))
        stored = filter_in_chunks(rows.values_list("object_id", flat=True), "object_id", object_ids)
        present = {object_id for chunk in stored for object_id in chunk}
        missing += [key for key, object_id in zip(keys, object_ids) if object_id not in present]
        if len(missing) > (BATCH if most is None else most):
            break
    return missing[:BATCH] if most is None or len(missing) <= most else []


def _documents_by_object_id(adapter: Adapter, keys: list[Any], using: str) -> dict[str, Document]:
    rows = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), object_id__in=[canonical_id(key) for key in keys]
    )
    return {document.object_id: document for document in rows}


def _find_orphans(adapter: Adapter, using: str) -> Iterator[int]:
    """Yield documents of objects that were deleted without a signal.

    Also yield documents with ids that are no keys of the model.
    """
    rows = Document.objects.using(using).filter(content_type=content_type_of(adapter.model, using))
    rows = rows.exclude(state=Document.State.GONE).filter(pending_since=None).order_by("pk")
    last_id, model = 0, adapter.model
    while chunk := list(rows.filter(pk__gt=last_id).values_list("pk", "object_id")[:BATCH]):
        last_id = chunk[-1][0]
        keys = {document: parse_pk(model, text) for document, text in chunk}
        parsed_keys = [key for key in keys.values() if key is not None]
        objects: models.QuerySet[Any] = model._base_manager.using(using).filter(pk__in=parsed_keys)
        existing_keys = set(objects.values_list("pk", flat=True))
        yield from (document for document, key in keys.items() if key not in existing_keys)

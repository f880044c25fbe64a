"""The work queue in the database: mark, lease, retry and finish a row. Each is one statement on one row.

Queues lose jobs. A number in a row, written in the transaction that saves the post, is lost only together
with the post. ``wanted`` counts requests and ``done`` counts answered ones. A flag would be cleared by a
worker that read the text before the last edit. The counter shows the edit, and the document stays pending.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connections, models, router, transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from ..adapters import Adapter, adapter_for, adapters_of
from ..db.backends import get_backend
from ..db.queries import documents as document_queries
from ..models import LIVE_FIRST_SEEN, Document
from ..models.fields import DatabaseClock
from ..models.index import WorkQueueRow
from .content_objects import content_type_of, document_key_of, pk_of
from .leases import LEASE_ATTRIBUTE, Lease, is_free
from .locks import call_with_retries

RowT = TypeVar("RowT", bound=WorkQueueRow)


def mark(instance: models.Model, using: str | None = None, recheck: bool = False) -> None:
    """Request processing of the document of ``instance``. Create the document if there is none.

    This takes one upsert per adapter. Raise NotRegistered if the model has no adapter. Raise ValueError if
    the object has no primary key.
    """
    using = using or router.db_for_write(type(instance), instance=instance)
    for adapter in adapters_of(instance) or [adapter_for(instance)]:
        mark_key(adapter, _require_pk(instance, adapter.model), using, recheck=recheck)


def mark_key(
    adapter: Adapter, key: Any, using: str, *, recheck: bool = False, ends_save: bool = False
) -> None:
    """Do the same as ``mark`` for the object with the primary key ``key``.

    ``ends_save``: ``begin_save`` was called before the object was saved.
    """
    values = _marked_values(adapter, key, using, recheck=recheck)
    if not ends_save or not document_queries.end_save(using, values):
        document_queries.mark(using, values)


def begin_save(adapter: Adapter, key: Any, using: str, *, is_new: bool = False) -> None:
    """Note that a save of the object with this key begins. See ``pipeline.open_saves``.

    ``is_new``: the object is probably saved for the first time.
    """
    values = _marked_values(adapter, key, using, recheck=False, wanted=0)
    document_queries.begin_save(using, values, is_new=is_new)


def mark_document(document: int, using: str, *, recheck: bool = False) -> None:
    """Request processing of an existing document. ``recheck``: even if its text has not changed."""
    request_processing(Document, document, using, **({"recheck": True} if recheck else {}))


def mark_queryset(queryset: models.QuerySet[Any], recheck: bool = False) -> int:
    """Mark every object of a queryset in primary key order, and return their number.

    Use it after bulk updates. Objects are read and marked in the database that the queryset names. If it
    names none, that is the database to which the model is written.
    """
    adapters = adapters_of(queryset.model) or [adapter_for(queryset.model)]
    using = queryset._db or router.db_for_write(queryset.model)  # type: ignore[attr-defined]
    pk_names = (model_adapter.model._meta.pk.attname for model_adapter in adapters)
    rows, marked = queryset.using(using).order_by("pk").values_list(*pk_names), 0
    # Django closes the cursor of a stream without translating errors: a lost connection would show as an error
    # of the driver.
    with connections[using].wrap_database_errors:
        for row in get_backend(using).stream(rows, 2000):
            for adapter, key in zip(adapters, row):
                mark_key(adapter, key, using, recheck=recheck)
            marked += 1
    return marked


def mark_many(documents: Sequence[int], using: str) -> None:
    """Request a recheck of existing documents, whether their texts have changed or not.

    Call it with few documents at a time. Documents with locked rows are marked last, one by one.
    """
    with transaction.atomic(using=using):
        locked = mark_unlocked(documents, using)
    for document in locked:
        mark_document(document, using, recheck=True)


def mark_unlocked(documents: Sequence[int], using: str) -> list[int]:
    """Request a recheck of the documents with free rows, in a transaction. Return the other documents."""
    unlocked = list(documents)
    # A statement that waits for one row while it holds others can deadlock with a request. So the update takes
    # only rows that are free.
    if connections[using].features.has_select_for_update:
        can_skip_locked = get_backend(using).can_skip_locked
        locked_rows = Document.objects.using(using).filter(pk__in=unlocked).order_by("pk")
        unlocked = (
            list(locked_rows.select_for_update(skip_locked=True).values_list("pk", flat=True))
            if can_skip_locked
            else []
        )
    Document.objects.using(using).filter(pk__in=unlocked).update(
        wanted=F("wanted") + 1, attempts=0, pending_since=_pending_since(), recheck=True
    )
    return sorted({*documents} - {*unlocked})


def request_processing(model: type[RowT], pk: int, using: str, **changes: Any) -> None:
    """Request processing of one row, a document or a cluster. ``changes`` are further columns to set."""
    model._default_manager.using(using).filter(pk=pk).update(
        wanted=F("wanted") + 1, attempts=0, pending_since=_pending_since(), **changes
    )


def lease_row(model: type[RowT], pk: int, using: str, seconds: float) -> RowT | None:
    """Lease a pending row for ``seconds`` by the database's clock, and return it.

    Return None if another worker has leased it or if it is not pending.
    """
    rows, lease = model._default_manager.using(using), Lease(time.monotonic(), seconds)
    is_leased = rows.filter(is_free(), pk=pk, pending_since__isnull=False).update(
        leased_until=DatabaseClock() + int(seconds * 1000), attempts=F("attempts") + 1
    )
    row = rows.filter(pk=pk).first() if is_leased else None
    if row is not None:
        row.__dict__[LEASE_ATTRIBUTE] = lease
    return row


def release_without_attempt(model: type[RowT], pk: int, using: str, seconds: float) -> None:
    """End an attempt without counting it: something that the row needs is not there yet.

    Any worker may lease the row again after ``seconds``.
    """
    model._default_manager.using(using).filter(pk=pk, attempts__gt=0).update(
        leased_until=DatabaseClock() + int(seconds * 1000), attempts=F("attempts") - 1
    )


def give_back(model: type[RowT], pks: Sequence[int], using: str) -> None:
    """End the leases of an attempt that was broken off by no fault of a row. It does not count."""
    rows = model._default_manager.using(using).filter(pk__in=pks, pending_since__isnull=False, attempts__gt=0)
    call_with_retries(rows.update, leased_until=None, attempts=F("attempts") - 1)


def retry_later(model: type[RowT], pk: int, using: str, seconds: float) -> None:
    """Keep a row leased for ``seconds`` after a failed attempt. Then any worker may try again."""
    model._default_manager.using(using).filter(pk=pk).update(
        leased_until=DatabaseClock() + int(seconds * 1000)
    )


def finish_row(model: type[RowT], pk: int, requested_version: int, using: str, **changes: Any) -> None:
    """Record that every request up to ``requested_version`` is answered, and end the lease.

    If newer requests have come meanwhile, the row stays pending. ``changes`` are further columns to set.
    """
    pending_since = Case(When(wanted__gt=requested_version, then=F("pending_since")), default=Value(None))
    model._default_manager.using(using).filter(pk=pk, done__lt=requested_version).update(
        **{
            "done": requested_version,
            "attempts": 0,
            "pending_since": pending_since,
            "leased_until": None,
            **changes,
        }
    )


def _require_pk(instance: models.Model, model: type[models.Model]) -> Any:
    key = pk_of(instance, model)
    if key is None:
        raise ValueError(
            f"This {model._meta.label} has no primary key and cannot be marked. Save it first. If bulk_create() "
            "sets no keys, mark the saved rows by mark_queryset() or neardup_index --reconcile."
        )
    return key


def _pending_since() -> Case:
    return Case(When(pending_since=None, then=DatabaseClock()), default=F("pending_since"))


def _marked_values(adapter: Adapter, key: Any, using: str, *, recheck: bool, wanted: int = 1) -> list[Any]:
    """Return the values of ``document_queries.MARKED_COLUMNS``."""
    created = connections[using].ops.adapt_datetimefield_value(timezone.now())
    content_type_id = content_type_of(adapter.model, using).pk
    return [
        content_type_id, *document_key_of(key, adapter.model), "", False, Document.State.PENDING, "", recheck, 0,
        LIVE_FIRST_SEEN, created, wanted, 0, 0,
    ]  # fmt: skip

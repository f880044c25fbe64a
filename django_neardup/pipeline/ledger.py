"""Who waits, who works: marks, leases and ends, each a single statement on a single row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connections, models, router, transaction
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone

from ..adapters import Adapter, adapter_for, adapters_of
from ..models import LIVE_NUMBER, Document
from ..models.document import Ledger
from ..models.fields import CLOCK_SQL, DatabaseClock
from .leases import HELD, Lease
from .objects import canonical_id, content_type_of, key_of
from .sql import streamed

Row = TypeVar("Row", bound=Ledger)

COLUMNS = (
    "content_type_id", "object_id", "object_key", "author", "live", "state", "reason", "recheck", "version",
    "first_seen", "created", "wanted", "done", "attempts", "pending_since",
)  # fmt: skip


def mark(instance: models.Model, using: str | None = None, recheck: bool = False) -> None:
    """Ask for a turn of that object's document, which is made where there is none: one upsert an adapter.

    ``NotRegistered`` where its model has no adapter, ``ValueError`` where the object has no primary key."""
    using = using or router.db_for_write(type(instance), instance=instance)
    for adapter in adapters_of(instance) or [adapter_for(instance)]:
        mark_key(adapter, _given_key(instance, adapter.model), using, recheck=recheck)


def mark_key(adapter: Adapter, key: Any, using: str, *, recheck: bool = False) -> None:
    """``mark`` by primary key."""
    insert, values = _insert(adapter, key, using, recheck=recheck)
    with connections[using].cursor() as cursor:
        cursor.execute(insert + _on_conflict(using), values)


def mark_document(document: int, using: str, *, recheck: bool = False) -> None:
    """Ask for a turn of a known document."""
    request(Document, document, using, **({"recheck": True} if recheck else {}))


def mark_queryset(queryset: models.QuerySet[Any], recheck: bool = False) -> int:
    """``mark`` every object of a queryset, in primary key order; how many. For bulk updates.

    Read and marked in the database that the queryset names, else in the one the model is written to."""
    adapters = adapters_of(queryset.model) or [adapter_for(queryset.model)]
    using = queryset._db or router.db_for_write(queryset.model)  # type: ignore[attr-defined]
    keys = (each.model._meta.pk.attname for each in adapters)
    rows, marked = queryset.using(using).order_by("pk").values_list(*keys), 0
    for row in streamed(rows, using, 2000):
        for adapter, key in zip(adapters, row):
            mark_key(adapter, key, using, recheck=recheck)
        marked += 1
    return marked


def mark_many(documents: Sequence[int], using: str) -> None:
    """Ask for a new look at those documents, few at a time, whatever was found before.

    Rows that somebody else holds are left to the end and taken one by one: a statement that waits while it holds
    other rows could deadlock with a request."""
    free = list(documents)
    with transaction.atomic(using=using):
        if connections[using].features.has_select_for_update:
            skip = connections[using].features.has_select_for_update_skip_locked
            rows = Document.objects.using(using).filter(pk__in=free).order_by("pk")
            free = list(rows.select_for_update(skip_locked=True).values_list("pk", flat=True)) if skip else []
        Document.objects.using(using).filter(pk__in=free).update(
            wanted=F("wanted") + 1, attempts=0, pending_since=_since(), recheck=True
        )
    for document in sorted({*documents} - {*free}):
        mark_document(document, using, recheck=True)


def request(model: type[Row], pk: int, using: str, **changes: Any) -> None:
    """One more turn of that row is wanted."""
    model._default_manager.using(using).filter(pk=pk).update(
        wanted=F("wanted") + 1, attempts=0, pending_since=_since(), **changes
    )


def lease(model: type[Row], pk: int, using: str, seconds: float) -> Row | None:
    """Take the row for that time by the database's clock; None where another worker has it or nothing waits."""
    free = Q(leased_until=None) | Q(leased_until__lt=DatabaseClock())
    rows, held = model._default_manager.using(using), Lease(time.monotonic(), seconds)
    taken = rows.filter(free, pk=pk, pending_since__isnull=False).update(
        leased_until=DatabaseClock() + int(seconds * 1000), attempts=F("attempts") + 1
    )
    row = rows.filter(pk=pk).first() if taken else None
    if row is not None:
        row.__dict__[HELD] = held
    return row


def put_back(model: type[Row], pk: int, using: str, seconds: float) -> None:
    """Not before that time, and the attempt does not count: what the turn needs is not there yet."""
    model._default_manager.using(using).filter(pk=pk, attempts__gt=0).update(
        leased_until=DatabaseClock() + int(seconds * 1000), attempts=F("attempts") - 1
    )


def postpone(model: type[Row], pk: int, using: str, seconds: float) -> None:
    """Not before that time: a turn has failed."""
    model._default_manager.using(using).filter(pk=pk).update(
        leased_until=DatabaseClock() + int(seconds * 1000)
    )


def finish(model: type[Row], pk: int, wanted: int, using: str, **changes: Any) -> None:
    """All that was wanted up to ``wanted`` is done; what came since goes on waiting. The lease ends."""
    answered = Case(When(wanted__gt=wanted, then=F("pending_since")), default=Value(None))
    model._default_manager.using(using).filter(pk=pk, done__lt=wanted).update(
        done=wanted, attempts=0, pending_since=answered, leased_until=None, **changes
    )


def _given_key(instance: models.Model, model: type[models.Model]) -> Any:
    key = key_of(instance, model)
    if key is None:
        raise ValueError(
            f"This {model._meta.label} has no primary key and cannot be marked: save it first. Where bulk_create() "
            "leaves keys out, mark the rows that it has saved: mark_queryset(), or neardup_index --reconcile."
        )
    return key


def _since() -> Case:
    return Case(When(pending_since=None, then=DatabaseClock()), default=F("pending_since"))


def _insert(adapter: Adapter, key: Any, using: str, *, recheck: bool) -> tuple[str, list[Any]]:
    quote = connections[using].ops.quote_name
    insert = f"INSERT INTO {quote(Document._meta.db_table)} ({', '.join(map(quote, COLUMNS))}) VALUES {_holes(using)}"
    return insert, _values(adapter, key, using, recheck=recheck)


def _holes(using: str) -> str:
    clock = CLOCK_SQL[connections[using].vendor].replace("%", "%%")
    return "(" + ", ".join(["%s"] * (len(COLUMNS) - 1)) + f", {clock})"


def _values(adapter: Adapter, key: Any, using: str, *, recheck: bool) -> list[Any]:
    created = connections[using].ops.adapt_datetimefield_value(timezone.now())
    kind = content_type_of(adapter.model, using).pk
    whole = key if isinstance(key, int) and -(2**63) <= key < 2**63 else None
    return [
        kind, canonical_id(key), whole, "", False, Document.State.PENDING, "", recheck, 0, LIVE_NUMBER, created,
        1, 0, 0,
    ]  # fmt: skip


def _on_conflict(using: str) -> str:
    connection = connections[using]
    quote = connection.ops.quote_name
    table = quote(Document._meta.db_table)
    if connection.vendor == "mysql":
        head, new = " ON DUPLICATE KEY UPDATE ", "VALUES({})"
    else:
        target = f"({quote('content_type_id')}, {quote('object_id')})"
        head, new = f" ON CONFLICT {target} DO UPDATE SET ", "excluded.{}"
    own = {name: f"{table}.{quote(name)}" for name in COLUMNS}
    given = {name: new.format(quote(name)) for name in COLUMNS}
    changes = {
        "wanted": f"{own['wanted']} + 1",
        "attempts": "0",
        "recheck": f"({own['recheck']} OR {given['recheck']})",
        "pending_since": f"COALESCE({own['pending_since']}, {given['pending_since']})",
    }
    return head + ", ".join(f"{quote(name)} = {value}" for name, value in changes.items())

"""Documents of a run: those that are missing are made, those that are to be signed again are asked for, all leased."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connections
from django.db.models import BigIntegerField, Case, F, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from ...adapters import Adapter
from ...models import LIVE_NUMBER, Document
from ...models.fields import CLOCK_SQL, DatabaseClock
from ...portions import PORTION, portions
from ..ledger import mark_document
from ..locks import retrying, writing
from ..objects import canonical_id, content_type_of
from ..sql import execute, holes, rows, skips_locked, vendor

LEASE_SECONDS = 1800
"""A run holds its documents so long, unless it ends before: nobody else signs them meanwhile. A killed run's are taken
over with its range, whoever holds them."""

MADE = (
    "content_type_id", "object_id", "object_key", "first_seen", "created", "author", "live", "state", "reason",
    "recheck", "version", "wanted", "done", "attempts", "pending_since", "leased_until",
)  # fmt: skip

KNOWN = (
    "id", "wanted", "done", "pending_since", "leased_until", "content_type_id", "object_id", "space_id", "state",
    "recheck", "version", "first_seen",
)  # fmt: skip
"""What a run knows of a document."""

COLUMNS = [field.attname for field in Document._meta.concrete_fields if field.attname in KNOWN]

READ = 'SELECT "{}" FROM "neardup_document" WHERE "content_type_id" = %s AND "object_id" IN'.format(
    '", "'.join(COLUMNS)
)


def take(
    adapter: Adapter, numbers: Mapping[Any, int], using: str, renumber: bool, lease: bool = True
) -> list[Document]:
    """The documents of those objects in their order, made with these first-seen numbers (and leased) where missing.

    ``renumber``: those that were met live get their number too, and a turn that sees to what follows from it."""
    known = _documents(adapter, list(numbers), using)
    missing = [key for key in numbers if canonical_id(key) not in known]
    for portion in portions(missing, PORTION // 4):  # four values each
        retrying(_make, adapter, {key: numbers[key] for key in portion}, lease, using)
    if renumber:
        _renumber(known, numbers, using)
    known |= _documents(adapter, missing, using)
    return [known[name] for name in map(canonical_id, numbers) if name in known]


def ask(documents: Sequence[Document], using: str, lease: bool = True) -> list[Document]:
    """Lease documents that are to be signed again, and ask for a turn of those that nobody has asked for.

    Left out are those that have been marked since they were read, and those that somebody else holds: the ordinary
    drain sees to both, once ``insist`` has asked for the latter. Without ``lease`` it sees to all."""
    by_request: defaultdict[int, list[Document]] = defaultdict(list)
    for document in documents:
        by_request[document.wanted].append(document)
    size = PORTION if vendor(using) == "sqlite" or skips_locked(using) else 1
    return [
        document
        for alike in by_request.values()
        for portion in portions(alike, size)
        for document in retrying(_ask, portion, lease, using)
    ]


def insist(documents: Iterable[Document], using: str) -> None:
    """Ask for a turn of those that nobody has marked since they were read, one by one. It may wait for a row: who held
    it need not have marked it, or has rolled back."""
    for each in documents:
        rows = Document.objects.using(using).filter(pk=each.pk, wanted=each.wanted)
        retrying(
            rows.update,
            wanted=F("wanted") + 1,
            attempts=0,
            pending_since=Coalesce("pending_since", DatabaseClock()),
        )


def mark(adapter: Adapter, numbers: Mapping[Any, int], using: str, renumber: bool) -> list[int]:
    """Leave all of those objects to the ordinary drain; their documents."""
    known = take(adapter, numbers, using, renumber, lease=False)
    held = [each.pk for each in known if each.version == 0 and each.leased_until is not None]
    leave(held, using)
    waiting = {each.pk for each in known if each.pending_since is not None}
    asked = {each.pk for each in ask([each for each in known if each.pk not in waiting], using, lease=False)}
    for each in known:
        if each.pk not in waiting | asked:
            mark_document(each.pk, using)
    return [each.pk for each in known]


def free(adapter: Adapter, first_seen: int, number: int, using: str) -> None:
    """Give back what a killed run made with so many first-seen numbers, and holds: an object may have gone since."""
    rows = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), leased_until__isnull=False
    )
    leave(
        rows.filter(first_seen__range=(first_seen, first_seen + number - 1)).values_list("pk", flat=True),
        using,
    )


def leave(documents: Iterable[int], using: str) -> None:
    """Give documents that wait back to the ordinary drain."""
    for portion in portions(sorted(documents)):
        retrying(_leave, portion, using)


def _documents(adapter: Adapter, keys: Sequence[Any], using: str) -> dict[str, Document]:
    kind = content_type_of(adapter.model, using).pk
    read = [
        Document.from_db(using, COLUMNS, row)
        for portion in portions([canonical_id(key) for key in keys])
        for row in rows(using, f"{READ} ({holes(len(portion))})", [kind, *portion])
    ]
    return {document.object_id: document for document in read}


def _make(adapter: Adapter, numbers: Mapping[Any, int], lease: bool, using: str) -> None:
    clock, kind = CLOCK_SQL[vendor(using)].replace("%", "%%"), content_type_of(adapter.model, using).pk
    hole = (
        f"({int(kind)}, %s, %s, %s, %s, '', FALSE, '{Document.State.PENDING.value}', '', FALSE, 0, 1, 0, 0, {clock}, "
        f"{f'{clock} + {LEASE_SECONDS * 1000}' if lease else 'NULL'})"
    )
    ignore, on_conflict = ("IGNORE ", "") if vendor(using) == "mysql" else ("", " ON CONFLICT DO NOTHING")
    created = connections[using].ops.adapt_datetimefield_value(timezone.now())
    values = [
        value
        for key, number in numbers.items()
        for value in (canonical_id(key), _whole(key), number, created)
    ]
    names = ", ".join(f'"{name}"' for name in MADE)
    rows = ", ".join([hole] * len(numbers))
    execute(using, f'INSERT {ignore}INTO "neardup_document" ({names}) VALUES {rows}{on_conflict}', values)


def _whole(key: Any) -> int | None:
    return key if isinstance(key, int) and -(2**63) <= key < 2**63 else None


def _renumber(known: Mapping[str, Document], numbers: Mapping[Any, int], using: str) -> None:
    for key, number in numbers.items():
        document = known.get(canonical_id(key))
        if document is not None and document.first_seen == LIVE_NUMBER != number:
            rows = Document.objects.using(using).filter(pk=document.pk)
            rows.update(first_seen=number, recheck=True)
            document.first_seen, document.recheck = number, True


def _ask(documents: Sequence[Document], lease: bool, using: str) -> list[Document]:
    with writing(using):
        rows = Document.objects.using(using).filter(
            pk__in=[each.pk for each in documents], wanted=documents[0].wanted
        )
        if skips_locked(using):
            rows = rows.select_for_update(skip_locked=True)
        waits = dict(rows.order_by("pk").values_list("pk", "pending_since"))
        idle = Case(
            When(pending_since=None, then=F("wanted") + 1),
            default=F("wanted"),
            output_field=BigIntegerField(),
        )
        Document.objects.using(using).filter(pk__in=list(waits)).update(
            wanted=idle,
            attempts=0,
            pending_since=Coalesce("pending_since", DatabaseClock()),
            **({"leased_until": DatabaseClock() + LEASE_SECONDS * 1000} if lease else {}),
        )
    taken = [each for each in documents if each.pk in waits]
    for each in taken:
        each.wanted += waits[each.pk] is None
    return taken


def _leave(documents: Sequence[int], using: str) -> None:
    with writing(using):
        rows = Document.objects.using(using).filter(pk__in=documents)
        if skips_locked(using):
            rows = rows.select_for_update(skip_locked=True)
        free = list(rows.order_by("pk").values_list("pk", flat=True))
        Document.objects.using(using).filter(pk__in=free).update(leased_until=None)

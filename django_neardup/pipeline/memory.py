"""Deleted posts that a site asks to remember: keys and a fingerprint, for their days and nothing else.

The fingerprint of such a post has no source digest: by that whoever finds it among candidates knows it. Its codes,
which are words of the text, are kept as a hash."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from django.db import connections, models, router, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone as zone

from ..adapters import Adapter, adapter_for, registered
from ..models import Document, Fingerprint, MergeRecord, Scheme
from ..moments import as_held
from ..text.hashing import hash_word
from .deeds import deeds_on
from .ledger import mark_document
from .locks import retrying
from .objects import canonical_id, content_type_of
from .sql import execute, rows
from .store import strip

SLICE = 200
"""Posts that a pass of the worker forgets at most."""

LONGEST = 36_525
"""Days; of more no calendar has the date."""

KEEP = (
    'UPDATE "neardup_document" SET "version" = %s, "state" = \'gone\', "repeats_id" = NULL, '
    '"repeats_exactly" = NULL, "reason" = CASE WHEN "forget_at" IS NULL THEN %s ELSE "reason" END, '
    '"forget_at" = COALESCE("forget_at", %s) WHERE "id" = %s AND "version" <= %s'
)
"""``live`` goes on saying whether the post was shown. A second turn of one that is remembered already makes its time no
longer."""
FINGERPRINTS = (
    'SELECT "scheme_id", "codes", "source_digest" FROM "neardup_fingerprint" WHERE "document_id" = %s'
)
SEAL = (
    'UPDATE "neardup_fingerprint" SET "source_digest" = \'\', "codes" = %s '
    'WHERE "document_id" = %s AND "scheme_id" = %s'
)
FORGET = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE '
    'WHERE "id" = %s AND "state" = \'gone\' AND "forget_at" IS NOT NULL'
)
ERASE = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE, "version" = "wanted" '
    'WHERE "id" = %s'
)
"""Turns that are under way, and have read the post while it was there, stop at that version."""
LOST = (
    'SELECT d."id", d."repeats_id" FROM "neardup_document" d '
    'LEFT JOIN "neardup_document" r ON r."id" = d."repeats_id" '
    'WHERE d."repeats_id" IS NOT NULL AND r."forget_at" IS NULL'
)
CLEAR = (
    'UPDATE "neardup_document" SET "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "repeats_id" = %s'
)


def is_in_use() -> bool:
    """Whether any model's deleted posts are remembered."""
    return any(adapter.settings.memory_days for adapter in registered().values())


def is_worth_it(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> bool:
    """Whether there is anything to remember a deleted post by, and it was not merged: then it lives on in another."""
    deeds = deeds_on(adapter.model, document.object_id, using)
    merged = deeds.filter(action=MergeRecord.Action.MERGE)
    signed = Fingerprint.objects.using(using).filter(document=document.pk, scheme=scheme)
    return signed.exists() and not merged.exists()


def remember(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> bool | None:
    """Keep of a deleted post what finds it again, for its profile's days; all else goes, as by ``store.erase``. None
    where a newer turn has been here."""
    now = datetime.now(timezone.utc)
    until = stored(now + _kept_for(adapter), using)
    with transaction.atomic(using=using, durable=True):
        asked = [document.wanted, stamp(now), until, document.pk, document.wanted]
        if not execute(using, KEEP, asked):
            return None
        strip(document.pk, using, but=scheme.pk)
        for other, codes, digest in rows(using, FINGERPRINTS, [document.pk]):
            if digest:
                execute(using, SEAL, [sealed(codes, scheme), document.pk, other])
    return True


def purge(using: str, limit: int = SLICE) -> int:
    """Forget deleted posts whose days are over, of which the setting asks for fewer by now, or that the active scheme
    does not know: so many at most; how many. Posts that repeat one of them do so no longer."""
    due = list(expired(using).order_by("pk").values_list("pk", flat=True)[:limit])
    forgotten = sum(retrying(_forget, document, using) for document in due)
    if forgotten:
        clear_lost(using)
    return forgotten


def expired(using: str) -> models.QuerySet[Document]:
    """Documents of deleted posts that ``purge`` is to forget."""
    known = Fingerprint.objects.filter(document=OuterRef("pk"), scheme__state=Scheme.State.ACTIVE)
    now, kept = datetime.now(timezone.utc), Q(pk__in=[])
    for model, adapter in registered().items():
        if adapter.settings.memory_days:
            since = stamp(now - _kept_for(adapter))
            kept |= Q(content_type=content_type_of(model, using), reason__gte=since)
    return remembered(using).exclude(kept & Q(forget_at__gt=zone.now()) & Exists(known))


def remembered(using: str) -> models.QuerySet[Document]:
    """Documents of deleted posts that are remembered."""
    return Document.objects.using(using).filter(state=Document.State.GONE, forget_at__isnull=False)


def erase_now(
    model: type[models.Model], key: Any, using: str | None = None, *, dry_run: bool = False
) -> bool:
    """Forget one deleted post at once, for whoever asks to be forgotten; whether anything was kept of its text.

    ``ValueError`` where the post is there still: delete it first."""
    adapter = adapter_for(model)
    using = using or router.db_for_write(adapter.model)
    key = adapter.model._meta.pk.to_python(key)
    if adapter.model._base_manager.using(using).filter(pk=key).exists():
        raise ValueError(f"{adapter.model._meta.label} {key} is not deleted: delete it first.")
    own = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), object_id=canonical_id(key)
    )
    document = own.values_list("pk", flat=True).first()
    if document is None or dry_run:
        return bool(document and rows(using, FINGERPRINTS, [document]))
    mark_document(document, using)
    known = retrying(_forget, document, using, ERASE)
    clear_lost(using)
    return known


def clear_lost(using: str) -> int:
    """Posts that repeat one that is not remembered any more repeat nothing; how many there were."""
    return sum(execute(using, CLEAR, row) for row in rows(using, LOST))


def stamp(moment: datetime) -> str:
    """When a remembered post was deleted, as its document's ``reason`` says it: later ones sort behind."""
    return moment.astimezone(timezone.utc).isoformat(" ", "seconds")


def deleted_at(reason: str) -> datetime | None:
    """The moment that ``stamp`` wrote, as the site's other times are; None where there is none."""
    try:
        moment = datetime.fromisoformat(reason)
    except ValueError:
        return None
    return as_held(moment)


def sealed(codes: str, scheme: Scheme) -> str:
    """A text's codes so that they can be compared and not read; empty where there are none."""
    return f"{hash_word(codes, bytes.fromhex(scheme.secret)):016x}" if codes else ""


def stored(moment: datetime, using: str) -> Any:
    """A moment as ``forget_at`` is written in a statement."""
    return connections[using].ops.adapt_datetimefield_value(as_held(moment))


def _kept_for(adapter: Adapter) -> timedelta:
    return timedelta(days=min(adapter.settings.memory_days, LONGEST))


def _forget(document: int, using: str, statement: str = FORGET) -> bool:
    """Take away what is left of a deleted post's text; False where there is nothing, or it lives again."""
    with transaction.atomic(using=using, durable=True):
        if not execute(using, statement, [document]):
            return False
        known = rows(using, FINGERPRINTS, [document])
        strip(document, using)
    return bool(known)

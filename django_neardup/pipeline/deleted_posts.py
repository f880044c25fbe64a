"""Deleted posts that a site remembers: keys and a fingerprint, only for a number of days.

The fingerprint has no source digest: this distinguishes it among candidates. Its codes are words of the text.
So only their hash is stored.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from django.db import connections, models, router, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone as zone

from ..adapters import Adapter, adapter_for, registered_adapters
from ..db.sql import execute, fetch_all
from ..db.timezones import to_database
from ..models import Document, Fingerprint, MergeRecord, Scheme
from ..text.hashing import hash_word
from .content_objects import canonical_id, content_type_of
from .locks import call_with_retries
from .record_queries import records_of_post
from .store import delete_index_rows
from .work_queue import mark_document

MAX_PURGED = 200
"""Posts that one pass of the worker forgets, at most."""

MAX_DAYS = 36_525
"""Longest time that a post is remembered, in days. Much later dates do not exist in Python or a database."""

UPDATE_REMEMBERED = (
    'UPDATE "neardup_document" SET "version" = %s, "state" = \'gone\', "repeats_id" = NULL, '
    '"repeats_exactly" = NULL, "reason" = CASE WHEN "forget_at" IS NULL THEN %s ELSE "reason" END, '
    '"forget_at" = COALESCE("forget_at", %s) WHERE "id" = %s AND "version" <= %s'
)
"""``live`` still says whether the post was shown before it was deleted.

COALESCE: processing the document again does not prolong its time.
"""
SELECT_FINGERPRINTS = (
    'SELECT "scheme_id", "codes", "source_digest" FROM "neardup_fingerprint" WHERE "document_id" = %s'
)
HASH_CODES = (
    'UPDATE "neardup_fingerprint" SET "source_digest" = \'\', "codes" = %s '
    'WHERE "document_id" = %s AND "scheme_id" = %s'
)
UPDATE_FORGOTTEN = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE '
    'WHERE "id" = %s AND "state" = \'gone\' AND "forget_at" IS NOT NULL'
)
UPDATE_ERASED = (
    'UPDATE "neardup_document" SET "forget_at" = NULL, "reason" = \'\', "live" = FALSE, "version" = "wanted" '
    'WHERE "id" = %s'
)
"""``version`` stops other workers that read the post before it was deleted."""
SELECT_LOST_REPOSTS = (
    'SELECT d."id", d."repeats_id" FROM "neardup_document" d '
    'LEFT JOIN "neardup_document" r ON r."id" = d."repeats_id" '
    'WHERE d."repeats_id" IS NOT NULL AND r."forget_at" IS NULL'
)
CLEAR_REPOST = (
    'UPDATE "neardup_document" SET "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "repeats_id" = %s'
)


def is_any_remembered() -> bool:
    """Return whether deleted posts of any model are remembered."""
    return any(adapter.settings.memory_days for adapter in registered_adapters().values())


def should_remember(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> bool:
    """Return whether a deleted post has a fingerprint to remember, and was not merged.

    A merged post lives on in its keeper.
    """
    records = records_of_post(adapter.model, document.object_id, using)
    merges = records.filter(action=MergeRecord.Action.MERGE)
    fingerprints = Fingerprint.objects.using(using).filter(document=document.pk, scheme=scheme)
    return fingerprints.exists() and not merges.exists()


def remember_deleted(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> bool | None:
    """Keep keys and fingerprint of a deleted post for its profile's days, and delete the rest.

    Return None if a newer request was processed meanwhile.
    """
    now = datetime.now(timezone.utc)
    forget_at = datetime_parameter(now + _retention_period(adapter), using)
    with transaction.atomic(using=using, durable=True):
        parameters = [document.wanted, format_deletion_time(now), forget_at, document.pk, document.wanted]
        if not execute(using, UPDATE_REMEMBERED, parameters):
            return None
        delete_index_rows(document.pk, using, kept_scheme=scheme.pk)
        for scheme_id, codes, digest in fetch_all(using, SELECT_FINGERPRINTS, [document.pk]):
            if digest:
                execute(using, HASH_CODES, [keyed_digest(codes, scheme), document.pk, scheme_id])
    return True


def purge(using: str, limit: int = MAX_PURGED) -> int:
    """Forget at most ``limit`` expired deleted posts, and return their number.

    They no longer count as originals of reposts.
    """
    expired = list(expired_documents(using).order_by("pk").values_list("pk", flat=True)[:limit])
    forgotten_count = sum(call_with_retries(_forget_post, document, using) for document in expired)
    if forgotten_count:
        clear_lost_reposts(using)
    return forgotten_count


def expired_documents(using: str) -> models.QuerySet[Document]:
    """Return documents of deleted posts that ``purge`` forgets.

    Their days are over, the setting was lowered, or the active scheme has no fingerprint of them.
    """
    active_fingerprints = Fingerprint.objects.filter(
        document=OuterRef("pk"), scheme__state=Scheme.State.ACTIVE
    )
    now, kept_posts = datetime.now(timezone.utc), Q(pk__in=[])
    for model, adapter in registered_adapters().items():
        if adapter.settings.memory_days:
            oldest_kept = format_deletion_time(now - _retention_period(adapter))
            kept_posts |= Q(content_type=content_type_of(model, using), reason__gte=oldest_kept)
    return remembered_documents(using).exclude(
        kept_posts & Q(forget_at__gt=zone.now()) & Exists(active_fingerprints)
    )


def remembered_documents(using: str) -> models.QuerySet[Document]:
    """Return documents of deleted posts that are remembered."""
    return Document.objects.using(using).filter(state=Document.State.GONE, forget_at__isnull=False)


def erase_now(
    model: type[models.Model], key: Any, using: str | None = None, *, dry_run: bool = False
) -> bool:
    """Forget one deleted post immediately, on a person's request.

    Return whether anything of its text was stored.

    Raise ValueError if the post still exists: delete it first.
    """
    adapter = adapter_for(model)
    using = using or router.db_for_write(adapter.model)
    key = adapter.model._meta.pk.to_python(key)
    if adapter.model._base_manager.using(using).filter(pk=key).exists():
        raise ValueError(f"{adapter.model._meta.label} {key} is not deleted: delete it first.")
    documents = Document.objects.using(using).filter(
        content_type=content_type_of(adapter.model, using), object_id=canonical_id(key)
    )
    document = documents.values_list("pk", flat=True).first()
    if document is None or dry_run:
        return bool(document and fetch_all(using, SELECT_FINGERPRINTS, [document]))
    mark_document(document, using)
    was_stored = call_with_retries(_forget_post, document, using, UPDATE_ERASED)
    clear_lost_reposts(using)
    return was_stored


def clear_lost_reposts(using: str) -> int:
    """Clear the original of reposts if it is no longer remembered. Return the number of these posts."""
    return sum(execute(using, CLEAR_REPOST, row) for row in fetch_all(using, SELECT_LOST_REPOSTS))


def format_deletion_time(moment: datetime) -> str:
    """Format the time of a deletion for ``Document.reason``. Later times sort after earlier ones."""
    return moment.astimezone(timezone.utc).isoformat(" ", "seconds")


def parse_deletion_time(reason: str) -> datetime | None:
    """Return the time that ``format_deletion_time`` wrote, in the form of the site's other times.

    Return None if the reason is not a time.
    """
    try:
        moment = datetime.fromisoformat(reason)
    except ValueError:
        return None
    return to_database(moment)


def keyed_digest(codes: str, scheme: Scheme) -> str:
    """Return a hash by which codes can be compared but not read. Return an empty text if there are none."""
    return f"{hash_word(codes, bytes.fromhex(scheme.secret)):016x}" if codes else ""


def datetime_parameter(moment: datetime, using: str) -> Any:
    """Return a time as a parameter for ``forget_at``."""
    return connections[using].ops.adapt_datetimefield_value(to_database(moment))


def _retention_period(adapter: Adapter) -> timedelta:
    return timedelta(days=min(adapter.settings.memory_days, MAX_DAYS))


def _forget_post(document: int, using: str, statement: str = UPDATE_FORGOTTEN) -> bool:
    """Delete what is left of a deleted post's text.

    Return False if nothing was stored, or if the post exists again.
    """
    with transaction.atomic(using=using, durable=True):
        if not execute(using, statement, [document]):
            return False
        fingerprints = fetch_all(using, SELECT_FINGERPRINTS, [document])
        delete_index_rows(document, using)
    return bool(fingerprints)

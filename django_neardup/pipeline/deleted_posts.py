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
from ..comparison.packed_keys import pack_keys, unpack_compared_keys, unpack_keys
from ..db.queries import documents as document_queries
from ..db.queries import fingerprints as fingerprint_queries
from ..db.timezones import to_database
from ..index import keys as storage
from ..models import Document, Fingerprint, MergeRecord, Scheme
from ..text.hashing import hash_word
from .content_objects import canonical_id, content_type_of
from .hash_secrets import secret_of
from .locks import call_with_retries
from .record_queries import records_of_post
from .store import delete_index_rows
from .work_queue import mark_document

MAX_PURGED = 200
"""Posts that one pass of the worker forgets, at most."""

MAX_DAYS = 36_525
"""Longest time that a post is remembered, or an action can be undone, in days.

Much later dates do not exist in Python or a database.
"""


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
        deletion_time = format_deletion_time(now)
        if not document_queries.remember(using, document.pk, document.wanted, deletion_time, forget_at):
            return None
        delete_index_rows(document.pk, using, kept_scheme=scheme.pk)
        for scheme_id, codes, digest, stored_keys in fingerprint_queries.codes_of(using, document.pk):
            if digest:
                # Deleted posts, however many, displace no living one in the buckets of live posts.
                keys = unpack_compared_keys(stored_keys)
                storage.replace_keys(using, document.pk, unpack_keys(stored_keys), keys)
                code_digest = keyed_digest(codes, scheme)
                fingerprint_queries.forget_text(using, document.pk, scheme_id, code_digest, pack_keys(keys))
    return True


def purge(using: str, limit: int = MAX_PURGED) -> int:
    """Forget at most ``limit`` expired deleted posts, and return their number.

    They no longer count as originals of reposts.
    """
    expired = list(expired_documents(using).order_by("pk").values_list("pk", flat=True)[:limit])
    forgotten_count = sum(call_with_retries(_forget_post, document, using) for document in expired)
    if forgotten_count:
        document_queries.clear_lost_reposts(using)
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
    """Forget the keys, fingerprint, contacts and author of one deleted post immediately.

    ``moderation.erasure`` erases the rest. Return whether anything of its text was stored.

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
        return bool(document and fingerprint_queries.codes_of(using, document))
    mark_document(document, using)
    was_stored = call_with_retries(_forget_post, document, using, stop_workers=True)
    document_queries.clear_lost_reposts(using)
    return was_stored


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
    return f"{hash_word(codes, secret_of(scheme)):016x}" if codes else ""


def datetime_parameter(moment: datetime, using: str) -> Any:
    """Return a time as a parameter for ``forget_at``."""
    return connections[using].ops.adapt_datetimefield_value(to_database(moment))


def _retention_period(adapter: Adapter) -> timedelta:
    return timedelta(days=min(adapter.settings.memory_days, MAX_DAYS))


def _forget_post(document: int, using: str, *, stop_workers: bool = False) -> bool:
    """Delete what is left of a deleted post's text.

    Return False if nothing was stored, or if the post exists again.
    """
    with transaction.atomic(using=using, durable=True):
        if not document_queries.forget(using, document, stop_workers=stop_workers):
            return False
        fingerprints = fingerprint_queries.codes_of(using, document)
        delete_index_rows(document, using)
    return bool(fingerprints)

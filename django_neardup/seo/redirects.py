"""Copies of old addresses in ``django.contrib.redirects``, for web servers and admins that read that table.

If the profile's ``SEO`` contains "redirects", every old address gets a redirect of the current site, unless
it is too long. It leads to the address of the keeper, or to nothing (410) if that post is gone. A
record's journal holds the redirects that were written for it. Any other redirect belongs to the site and
stays unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import router
from django.db.models import Model, prefetch_related_objects
from django.db.models.signals import post_delete, pre_delete

from ..adapters import adapters_of
from ..db.transactions import call_after_commit
from ..models import Document, MergeRecord, MovedUrl
from ..pipeline.process_documents import document_check_skipped
from ..signals import addresses_changed, document_checked
from .redirect_rows import write_redirects

PORTION = 500
"""Entries read in one query."""


def connect_receivers() -> None:
    """Connect to merges, deletions, undos, checks of keepers, and deletions of entries by hand."""
    addresses_changed.connect(_on_addresses_changed, dispatch_uid="neardup.mirroring.changed")
    for signal in (document_checked, document_check_skipped):
        signal.connect(_on_document_checked, dispatch_uid="neardup.mirroring.checked")
    pre_delete.connect(_before_entry_delete, sender=MovedUrl, dispatch_uid="neardup.mirroring.deleting")
    post_delete.connect(_after_entry_delete, sender=MovedUrl, dispatch_uid="neardup.mirroring.deleted")


def sync_redirects(using: str = "default") -> None:
    """Update the redirects of all old addresses. Run it once when "redirects" is switched on."""
    rows = MovedUrl.objects.using(using).exclude(record=None).order_by("pk")
    last_pk = 0
    while portion := list(rows.filter(pk__gt=last_pk).select_related("record")[:PORTION]):
        last_pk = portion[-1].pk
        _sync_entries(portion, using)


def _on_addresses_changed(*, paths: list[str], record: MergeRecord, using: str, **kwargs: Any) -> None:
    if _is_enabled_for(record.loser_type.model_class()):
        _sync_paths(paths, record, using)


def _on_document_checked(
    *, sender: type[Model] | None, document: Document, using: str, **kwargs: Any
) -> None:
    """Update the redirects to a keeper. It may have been hidden or shown, or have another address."""
    if _is_enabled_for(sender):
        entries = MovedUrl.objects.using(using).exclude(record=None).select_related("record")
        _sync_entries(
            entries.filter(content_type=document.content_type_id, object_id=document.object_id), using
        )


def _before_entry_delete(*, instance: MovedUrl, **kwargs: Any) -> None:
    """Load the entry's record before the deletion."""
    # After the deletion the record may be gone too.
    if _is_redirects_app_ready():
        prefetch_related_objects([instance], "record__loser_type")


def _after_entry_delete(*, instance: MovedUrl, using: str, **kwargs: Any) -> None:
    record = instance.record if _is_redirects_app_ready() else None
    if record is not None and _is_enabled_for(record.loser_type.model_class()):
        _sync_paths([instance.path], record, using)


def _sync_entries(entries: Iterable[MovedUrl], using: str) -> None:
    for entry in entries:
        if entry.record is not None and _is_enabled_for(entry.record.loser_type.model_class()):
            _sync_paths([entry.path], entry.record, using)


def _is_redirects_app_ready() -> bool:
    are_apps_installed = all(map(apps.is_installed, ("django.contrib.redirects", "django.contrib.sites")))
    return are_apps_installed and bool(getattr(settings, "SITE_ID", None))


def _is_enabled_for(model: type[Model] | None) -> bool:
    adapters = adapters_of(model)[:1] if model is not None and _is_redirects_app_ready() else []
    return any("redirects" in adapter.settings.seo for adapter in adapters)


def _sync_paths(paths: list[str], record: MergeRecord, using: str) -> None:
    """Write the redirects in the current transaction, or at its commit if they live in another database."""
    from django.contrib.redirects.models import Redirect

    if router.db_for_write(Redirect) == using:
        write_redirects(paths, record, using)
    else:
        call_after_commit(using, write_redirects, paths, record, using)

"""Old addresses in ``django.contrib.redirects`` too, for sites whose web server or admin reads that table.

Where the profile's ``SEO`` holds "redirects", every old address that it has room for gets a redirect of the current
site: to where the kept post is, or to nothing (410) where it is gone. A record's journal remembers what was written in
its name; a redirect that says something else is somebody's own, and is left alone.
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
from ..models import Document, MergeRecord, MovedUrl
from ..pipeline.committing import after_commit
from ..pipeline.turn import looked_at
from ..signals import addresses_changed, document_checked
from .writing import write

PORTION = 500
"""Entries read at once."""


def connect() -> None:
    """Follow merges, deletions and undos, what becomes of the posts that were kept, and entries deleted by hand."""
    addresses_changed.connect(_changed, dispatch_uid="neardup.mirroring.changed")
    for told in (document_checked, looked_at):
        told.connect(_checked, dispatch_uid="neardup.mirroring.checked")
    pre_delete.connect(_deleting, sender=MovedUrl, dispatch_uid="neardup.mirroring.deleting")
    post_delete.connect(_deleted, sender=MovedUrl, dispatch_uid="neardup.mirroring.deleted")


def mirror(using: str = "default") -> None:
    """Bring the redirects of all old addresses up to date: once, when "redirects" is switched on."""
    rows = MovedUrl.objects.using(using).exclude(record=None).order_by("pk")
    last = 0
    while portion := list(rows.filter(pk__gt=last).select_related("record")[:PORTION]):
        last = portion[-1].pk
        _mirror_entries(portion, using)


def _changed(*, paths: list[str], record: MergeRecord, using: str, **kwargs: Any) -> None:
    if _is_on(record.loser_type.model_class()):
        _mirror(paths, record, using)


def _checked(*, sender: type[Model] | None, document: Document, using: str, **kwargs: Any) -> None:
    """A kept post may have been hidden or shown, or have another address."""
    if _is_on(sender):
        led = MovedUrl.objects.using(using).exclude(record=None).select_related("record")
        _mirror_entries(
            led.filter(content_type=document.content_type_id, object_id=document.object_id), using
        )


def _deleting(*, instance: MovedUrl, **kwargs: Any) -> None:
    """Keep the record by the entry: afterwards it may be gone, too."""
    if _is_possible():
        prefetch_related_objects([instance], "record__loser_type")


def _deleted(*, instance: MovedUrl, using: str, **kwargs: Any) -> None:
    record = instance.record if _is_possible() else None
    if record is not None and _is_on(record.loser_type.model_class()):
        _mirror([instance.path], record, using)


def _mirror_entries(entries: Iterable[MovedUrl], using: str) -> None:
    for entry in entries:
        if entry.record is not None and _is_on(entry.record.loser_type.model_class()):
            _mirror([entry.path], entry.record, using)


def _is_possible() -> bool:
    apps_there = all(map(apps.is_installed, ("django.contrib.redirects", "django.contrib.sites")))
    return apps_there and bool(getattr(settings, "SITE_ID", None))


def _is_on(model: type[Model] | None) -> bool:
    adapters = adapters_of(model)[:1] if model is not None and _is_possible() else []
    return any("redirects" in adapter.settings.seo for adapter in adapters)


def _mirror(paths: list[str], record: MergeRecord, using: str) -> None:
    """Now, in the transaction of the merge; at the commit where redirects live in another database."""
    from django.contrib.redirects.models import Redirect

    if router.db_for_write(Redirect) == using:
        write(paths, record, using)
    else:
        after_commit(using, write, paths, record, using)

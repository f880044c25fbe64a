"""One redirect a path, made, changed or removed as the entries of that path tell."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, router, transaction
from django.db.models import F, Model
from django.urls import get_script_prefix
from django.utils.encoding import escape_uri_path
from django.utils.translation import get_language_from_path, override

from ..adapters import Adapter, adapters_of
from ..merging import addresses
from ..merging.paths import digest_of, path_of
from ..models import MergeRecord, MovedUrl
from ..pipeline.sql import among
from ..similar import signed_out
from ..visible import Visible

if TYPE_CHECKING:
    from django.contrib.redirects.models import Redirect

logger = logging.getLogger(__name__)

JOURNAL = "redirects"
"""Where a record's journal keeps, by path, what was written in its name."""
ROOM = 200
"""Letters of an address that a redirect has room for."""


def write(paths: list[str], record: MergeRecord, using: str) -> None:
    """Bring the redirects of those paths up to date, of which that record has just changed the entries."""
    found = among(MovedUrl.objects.using(using), "digest", map(digest_of, paths))
    entries = {entry.path: entry for some in found for entry in some}
    target_of = cache(partial(_target, using=using))
    for path in paths:
        entry = entries.get(path)
        target = None
        if entry is not None:
            target = target_of(entry.content_type_id, entry.object_id, _language_of(path))
        _put(path, target, list(_owners(path, entry, record, using)), using)


def _language_of(path: str) -> str:
    """In which an address of today is asked for; not that of the person who merged, nor the worker's."""
    return get_language_from_path(path) or settings.LANGUAGE_CODE


def _target(kind: int | None, object_id: str, language: str, using: str) -> str | None:
    """What stands behind an old address: "" where the post is gone, None where nobody is to be led there."""
    if kind is None:
        return ""
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    for adapter in adapters_of(model)[:1] if model is not None else ():
        post = _shown(adapter, object_id, using)
        with override(language):
            url = addresses.url_of(post) if post is not None else ""
        return url if path_of(url) else None
    return None


def _shown(adapter: Adapter, object_id: str, using: str) -> Model | None:
    """The post, if everybody may see it: the table asks nobody who he is."""
    key = adapter.model, object_id
    found = Visible(adapter.live()).fetch([key], using).get(key)
    if found is None or type(adapter).visible is Adapter.visible:
        return found
    try:
        return found if key in Visible(adapter.visible(signed_out())).held([key], using) else None
    except Exception as error:
        label, name = adapter.model._meta.label, type(error).__name__
        logger.warning("Whether everybody may see %s %s cannot be told: %s", label, object_id, name)
        return None


def _owners(path: str, entry: MovedUrl | None, record: MergeRecord, using: str) -> Iterator[MergeRecord]:
    """The records that have left something at that path, the one that owns the entry first."""
    records = MergeRecord.objects.using(using)
    waiting = [entry.record_id if entry is not None else record.pk, record.pk]
    seen: set[int] = set()
    while waiting:
        key = waiting.pop(0)
        if key is None or key in seen:
            continue
        seen.add(key)
        owner = records.filter(pk=key).first()
        if key == record.pk:  # an older reading of it, at a commit; or the last, of one that is being deleted
            record.journal = owner.journal if owner is not None else record.journal
            owner = record
        if owner is not None:
            yield owner
            replaced = owner.journal.get(addresses.JOURNAL, {}).get("replaced", ())
            waiting += [row["record"] for row in replaced if row["path"] == path]


def _put(path: str, target: str | None, owners: list[MergeRecord], using: str) -> None:
    """Make, change or remove the redirect of a path, unless it is somebody's own."""
    from django.contrib.redirects.models import Redirect

    site, old = settings.SITE_ID, _as_asked(path)
    if len(old) > ROOM or (target is not None and (len(target) > ROOM or path_of(target) == path)):
        target = None
    maker = next((owner for owner in owners if path in owner.journal.get(JOURNAL, {})), None)
    try:
        with transaction.atomic(using=router.db_for_write(Redirect)):
            there = Redirect.objects.filter(site=site, old_path=old).first()
            if there is not None and (maker is None or maker.journal[JOURNAL][path] != there.new_path):
                return
            _write_one(there, site, old, target)
    except DatabaseError:
        logger.exception("The redirect of %s cannot be written.", path)
        return
    for owner in dict.fromkeys([maker or owners[0], owners[0]]):
        _remember(path, target if owner is owners[0] else None, owner, using)


def _write_one(there: Redirect | None, site: int, old: str, target: str | None) -> None:
    from django.contrib.redirects.models import Redirect

    if target is None:
        if there is not None:
            there.delete()
    elif there is None:
        Redirect.objects.create(site_id=site, old_path=old, new_path=target)
    elif there.new_path != target:
        there.new_path = target
        there.save(update_fields=["new_path"])


def _remember(path: str, target: str | None, owner: MergeRecord, using: str) -> None:
    """Change no more of the journal than that: an undo may have amended the rest since it was read."""
    if owner.journal.get(JOURNAL, {}).get(path) == target:
        return
    rows = MergeRecord.objects.using(using).filter(pk=owner.pk)
    with transaction.atomic(using=using):
        rows.update(action=F("action"))  # SQLite has no lock but a write
        for journal in rows.select_for_update().values_list("journal", flat=True):
            owner.journal = journal
        written = {key: value for key, value in owner.journal.get(JOURNAL, {}).items() if key != path}
        owner.journal = {**owner.journal, JOURNAL: written if target is None else {**written, path: target}}
        rows.update(journal=owner.journal)


def _as_asked(path: str) -> str:
    """The path as ``RedirectFallbackMiddleware`` reads it from a request."""
    return escape_uri_path(get_script_prefix().rstrip("/") + path)

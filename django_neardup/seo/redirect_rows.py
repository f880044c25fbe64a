"""Rows of ``django.contrib.redirects``: one for each old path, in step with the entries (``MovedUrl``)."""

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
from ..db.sql import filter_in_chunks
from ..exceptions import without_message
from ..models import MergeRecord, MovedUrl
from ..moderation import addresses
from ..moderation.url_paths import path_digest, path_of
from ..similar_posts import anonymous_request
from ..visibility import VisibilityFilter

if TYPE_CHECKING:
    from django.contrib.redirects.models import Redirect

logger = logging.getLogger(__name__)

REDIRECTS_KEY = "redirects"
"""The journal key for the redirects written for a record: the new path by the old one."""
MAX_PATH_LENGTH = 200
"""Maximum length of a path in ``Redirect``, in characters."""


def write_redirects(paths: list[str], record: MergeRecord, using: str) -> None:
    """Update the redirects of paths with entries that the record has just changed."""
    portions = filter_in_chunks(MovedUrl.objects.using(using), "digest", map(path_digest, paths))
    entries = {entry.path: entry for portion in portions for entry in portion}
    target_of = cache(partial(_redirect_path, using=using))
    for path in paths:
        entry = entries.get(path)
        target = None
        if entry is not None:
            target = target_of(entry.content_type_id, entry.object_id, _language_of(path))
        _update_redirect(path, target, list(_owning_records(path, entry, record, using)), using)


def _language_of(path: str) -> str:
    """Return the language in which the current address is requested.

    It is the language of the path, or ``LANGUAGE_CODE``.
    """
    # The active language is that of the person who merged, or of the worker.
    return get_language_from_path(path) or settings.LANGUAGE_CODE


def _redirect_path(content_type_id: int | None, object_id: str, language: str, using: str) -> str | None:
    """Return the new path for an old one.

    Return "" if the post is gone, and None if no redirect may be written.
    """
    if content_type_id is None:
        return ""
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    for adapter in adapters_of(model)[:1] if model is not None else ():
        post = _public_post(adapter, object_id, using)
        with override(language):
            url = addresses.current_url(post) if post is not None else ""
        return url if path_of(url) else None
    return None


def _public_post(adapter: Adapter, object_id: str, using: str) -> Model | None:
    """Return the post if every visitor may see it. Otherwise return None."""
    key = adapter.model, object_id
    post = VisibilityFilter(adapter.live()).fetch_objects([key], using).get(key)
    if post is None or type(adapter).visible is Adapter.visible:
        return post
    # A redirect serves all visitors alike, so only what a signed-out visitor may see counts.
    try:
        return (
            post
            if key in VisibilityFilter(adapter.visible(anonymous_request())).visible_keys([key], using)
            else None
        )
    except Exception as error:
        label, name = adapter.model._meta.label, type(error).__name__
        logger.warning("neardup: cannot check whether everyone may see %s %s: %s", label, object_id, name)
        return None


def _owning_records(
    path: str, entry: MovedUrl | None, record: MergeRecord, using: str
) -> Iterator[MergeRecord]:
    """Yield the records that left something at the path. The entry's own record comes first."""
    records = MergeRecord.objects.using(using)
    pending_ids = [entry.record_id if entry is not None else record.pk, record.pk]
    checked_ids: set[int] = set()
    while pending_ids:
        record_id = pending_ids.pop(0)
        if record_id is None or record_id in checked_ids:
            continue
        checked_ids.add(record_id)
        owner = records.filter(pk=record_id).first()
        # At a commit, ``record`` is an older copy: take the stored journal. If the record is being deleted,
        # ``record`` is the last copy.
        if record_id == record.pk:
            record.journal = owner.journal if owner is not None else record.journal
            owner = record
        if owner is not None:
            yield owner
            replaced = owner.journal.get(addresses.MOVED_URLS_KEY, {}).get("replaced", ())
            pending_ids += [row["record"] for row in replaced if row["path"] == path]


def _update_redirect(path: str, new_path: str | None, owners: list[MergeRecord], using: str) -> None:
    """Create, change or delete the redirect of a path.

    A redirect that the site itself wrote stays unchanged.
    """
    from django.contrib.redirects.models import Redirect

    site, old_path = settings.SITE_ID, _as_requested(path)
    # A path that is too long, or that would lead to itself, gets no redirect.
    if len(old_path) > MAX_PATH_LENGTH or (
        new_path is not None and (len(new_path) > MAX_PATH_LENGTH or path_of(new_path) == path)
    ):
        new_path = None
    writer = next((owner for owner in owners if path in owner.journal.get(REDIRECTS_KEY, {})), None)
    try:
        # If the table cannot be written, the merge goes on: only this savepoint is rolled back.
        with transaction.atomic(using=router.db_for_write(Redirect)):
            redirect = Redirect.objects.filter(site=site, old_path=old_path).first()
            if redirect is not None and (
                writer is None or writer.journal[REDIRECTS_KEY][path] != redirect.new_path
            ):
                return
            _save_redirect(redirect, site, old_path, new_path)
    except DatabaseError as error:
        # Not the path: an address often has the words of the title.
        logger.error(
            "A redirect of the merge record %s cannot be written.",
            owners[0].pk,
            exc_info=without_message(error),
        )
        return
    for owner in dict.fromkeys([writer or owners[0], owners[0]]):
        _journal_redirect(path, new_path if owner is owners[0] else None, owner, using)


def _save_redirect(redirect: Redirect | None, site_id: int, old_path: str, new_path: str | None) -> None:
    from django.contrib.redirects.models import Redirect

    if new_path is None:
        if redirect is not None:
            redirect.delete()
    elif redirect is None:
        Redirect.objects.create(site_id=site_id, old_path=old_path, new_path=new_path)
    elif redirect.new_path != new_path:
        redirect.new_path = new_path
        redirect.save(update_fields=["new_path"])


def _journal_redirect(path: str, new_path: str | None, owner: MergeRecord, using: str) -> None:
    """Write the redirect's new path to the owner's journal, or remove it if ``new_path`` is None."""
    if owner.journal.get(REDIRECTS_KEY, {}).get(path) == new_path:
        return
    rows = MergeRecord.objects.using(using).filter(pk=owner.pk)
    # An undo may have amended the journal since it was read: change only this key of the stored one.
    with transaction.atomic(using=using):
        rows.update(action=F("action"))  # SQLite locks only by a write
        for journal in rows.select_for_update().values_list("journal", flat=True):
            owner.journal = journal
        redirects = {key: value for key, value in owner.journal.get(REDIRECTS_KEY, {}).items() if key != path}
        owner.journal = {
            **owner.journal,
            REDIRECTS_KEY: redirects if new_path is None else {**redirects, path: new_path},
        }
        rows.update(journal=owner.journal)


def _as_requested(path: str) -> str:
    """Return the path as ``RedirectFallbackMiddleware`` reads it from a request."""
    return escape_uri_path(get_script_prefix().rstrip("/") + path)

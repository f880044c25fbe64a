"""Old addresses: where they lead after a merge or a deletion, and how an undo reverts that.

An entry (``MovedUrl``) belongs to the record that left it, and leads to the keeper of that record. If the
keeper was merged later, the entry leads to the end of the records in force: always one step, even after a
long chain. Without a keeper it says that the post is gone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from ..adapters import adapters_of
from ..db.sql import filter_in_chunks
from ..models import MergeRecord, MovedUrl
from ..pipeline.content_objects import content_type_of, post_id_of
from ..pipeline.record_keys import keeper_id_for_model, loser_id_for_model
from ..signals import addresses_changed
from .journal.record_chains import next_record_on_keeper
from .url_paths import path_digest, single_post_path

logger = logging.getLogger(__name__)

MOVED_URLS_KEY = "moved_urls"
"""The key of a journal for the entries that an undo must restore."""


class RedirectTarget(NamedTuple):
    """The target of an entry: an object by content type and canonical id, or no target."""

    content_type_id: int | None
    object_id: str


NO_TARGET = RedirectTarget(None, "")


def public_urls(instance: models.Model) -> list[str]:
    """Return the object's public addresses by its adapter.

    Return an empty list without one, or if it fails.
    """
    for adapter in adapters_of(instance)[:1]:
        return [str(url) for url in _call_adapter(adapter.addresses, instance) or () if url]
    return []


def current_url(instance: models.Model) -> str:
    """Return the object's public address of today. Return "" without an adapter, or if it fails."""
    for adapter in adapters_of(instance)[:1]:
        return str(_call_adapter(adapter.url, instance) or "")
    return ""


def _call_adapter(adapter_method: Callable[[models.Model], Any], instance: models.Model) -> Any:
    """Call the site's own code. Return None if it fails."""
    try:
        return adapter_method(instance)
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("neardup: the address of %s %s cannot be built: %s", label, instance.pk, name)
        return None


def redirect_to_keeper(urls: Iterable[str], keeper: models.Model, record: MergeRecord, using: str) -> None:
    """Let the addresses of a merged or deleted post, and all entries that lead to it, lead to the keeper.

    Call it in the action's transaction. The changes are added to the record's journal.
    """
    if adapters_of(keeper):
        _set_target(urls, RedirectTarget(*post_id_of(keeper, using)), record, using)


def mark_gone(urls: Iterable[str], record: MergeRecord, using: str) -> None:
    """Mark the addresses of a deleted post, and all entries that lead to it, as gone for good."""
    _set_target(urls, NO_TARGET, record, using)


def revert_entries(record: MergeRecord, using: str) -> None:
    """Revert what the record has changed. Records may be undone in any order.

    Entries that other records have left since stay.
    """
    stored = record.journal.get(MOVED_URLS_KEY, {})
    turned_digests = [digest for digest, _owner in stored.get("turned", ())]
    changed = [
        _entries(using).filter(record=record),
        *filter_in_chunks(_entries(using), "digest", turned_digests),
    ]
    paths = [path for portion in changed for path in portion.values_list("path", flat=True)]
    paths += [row["path"] for row in stored.get("replaced", ())]
    _entries(using).filter(record=record).delete()
    for row in stored.get("replaced", ()):
        _restore_entry(row, record, using)
    # Entries of other records that led to this post: they lead again where their own records lead.
    for owner in dict.fromkeys(owner for _digest, owner in stored.get("turned", ())):
        digests = [digest for digest, entry_owner in stored["turned"] if entry_owner == owner]
        target = _target_of_record(owner, record, using) if owner else _loser_target(record, using)
        for portion in filter_in_chunks(_entries(using).filter(record=owner), "digest", digests):
            portion.update(**_target_columns(target))
    _send_addresses_changed(paths, record, using)


def find_entry(path: str, using: str) -> MovedUrl | None:
    """Return the entry of a path, or None. This takes one query by an indexed column."""
    entry = _entries(using).filter(digest=path_digest(path)).first()
    return entry if entry is not None and entry.path == path else None


def _entries(using: str) -> QuerySet[MovedUrl]:
    return MovedUrl.objects.using(using)


def _set_target(urls: Iterable[str], target: RedirectTarget, record: MergeRecord, using: str) -> None:
    paths = dict.fromkeys(filter(None, map(single_post_path, urls)))
    old_entries = _entries(using).filter(digest__in=[path_digest(path) for path in paths])
    replaced = [_serialize_entry(entry) for entry in old_entries]
    for path in paths:
        values = {"path": path, **_target_columns(target), "record": record, "created": timezone.now()}
        _entries(using).update_or_create(digest=path_digest(path), defaults=values)
    # Entries that led to this post follow it, so that a chain stays one step.
    leading_entries = _entries(using).filter(**_target_columns(_loser_target(record, using)))
    turned = [list(row) for row in leading_entries.values_list("digest", "record")]
    changed_paths = [*paths, *leading_entries.values_list("path", flat=True)]
    if turned:
        leading_entries.update(**_target_columns(target))
    if turned or replaced:
        record.journal = {**record.journal, MOVED_URLS_KEY: {"replaced": replaced, "turned": turned}}
        record.save(using=using, update_fields=["journal"])
    _send_addresses_changed(changed_paths, record, using)


def _send_addresses_changed(paths: Iterable[str], record: MergeRecord, using: str) -> None:
    changed_paths = list(dict.fromkeys(paths))
    if changed_paths:
        addresses_changed.send(MovedUrl, paths=changed_paths, record=record, using=using)


def _serialize_entry(entry: MovedUrl) -> dict[str, Any]:
    return {
        "digest": entry.digest,
        "path": entry.path,
        "content_type": entry.content_type_id,
        "object_id": entry.object_id,
        "record": entry.record_id,
        "created": entry.created.isoformat(),
    }


def _restore_entry(stored_entry: dict[str, Any] | None, undone_record: MergeRecord, using: str) -> None:
    """Restore a replaced entry if its path is free.

    If the record of the entry is undone, restore the entry before it.
    """
    while stored_entry is not None and stored_entry["record"] is not None:
        owner = MergeRecord.objects.using(using).filter(pk=stored_entry["record"]).first()
        if owner is not None and owner.undone is None and owner.pk != undone_record.pk:
            break
        older_entries = owner.journal.get(MOVED_URLS_KEY, {}).get("replaced", ()) if owner is not None else ()
        stored_entry = next(
            (entry for entry in older_entries if entry["digest"] == stored_entry["digest"]), None
        )
    if stored_entry is None or _entries(using).filter(digest=stored_entry["digest"]).exists():
        return
    target = RedirectTarget(stored_entry["content_type"], stored_entry["object_id"])
    if stored_entry["record"] is not None:
        target = _target_of_record(stored_entry["record"], undone_record, using)
    _entries(using).create(
        digest=stored_entry["digest"],
        path=stored_entry["path"],
        record_id=stored_entry["record"],
        **_target_columns(target),
    )
    # ``auto_now_add`` has set the date of today.
    _entries(using).filter(digest=stored_entry["digest"]).update(
        created=parse_datetime(stored_entry["created"])
    )


def _target_of_record(record_id: int, undone_record: MergeRecord, using: str) -> RedirectTarget:
    """Return where the records in force lead from the keeper of a record.

    ``undone_record`` is being undone and does not count.
    """
    records = MergeRecord.objects.using(using)
    current_record = records.get(pk=record_id)
    while current_record.keeper_type_id is not None:
        records_in_force = (
            records.filter(undone=None).exclude(pk=undone_record.pk).exclude(action=MergeRecord.Action.HIDE)
        )
        next_record = next_record_on_keeper(current_record, records_in_force, using)
        if next_record is None:
            return _keeper_target(current_record, using)
        current_record = next_record
    return NO_TARGET


def _keeper_target(record: MergeRecord, using: str) -> RedirectTarget:
    for model in _entry_models(record.keeper_type_id, using):
        return RedirectTarget(content_type_of(model, using).pk, keeper_id_for_model(record, model, using))
    return (
        RedirectTarget(record.keeper_type_id, record.keeper_id)
        if record.keeper_type_id is not None
        else NO_TARGET
    )


def _loser_target(record: MergeRecord, using: str) -> RedirectTarget:
    for model in _entry_models(record.loser_type_id, using):
        return RedirectTarget(content_type_of(model, using).pk, loser_id_for_model(record, model))
    return RedirectTarget(record.loser_type_id, record.loser_id)


def _entry_models(content_type_id: int | None, using: str) -> list[type[models.Model]]:
    """Return the model under which entries name such an object, in a list.

    This is the model with the adapter, which may be a parent. Without an adapter the list is empty.
    """
    model = (
        None
        if content_type_id is None
        else ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    )
    return [adapter.model for adapter in adapters_of(model)[:1]] if model is not None else []


def _target_columns(target: RedirectTarget) -> dict[str, Any]:
    return {"content_type_id": target.content_type_id, "object_id": target.object_id}

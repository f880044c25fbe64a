"""Old addresses: where a merge or a deletion leaves them, and how an undo takes that back.

An entry belongs to the record that left it, and leads to the record's keeper or, where that one was merged later, to
where the merges in force lead from there: one step, however long the chain. Without a keeper it says that the post is
gone.
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
from ..models import MergeRecord, MovedUrl
from ..pipeline.deed_keys import keeper_under, key_under
from ..pipeline.objects import content_type_of, identity_of
from ..pipeline.sql import among
from ..signals import addresses_changed
from .following import next_on_keeper
from .paths import digest_of, own_path

logger = logging.getLogger(__name__)

JOURNAL = "moved_urls"
"""Where a record's journal keeps what an undo must put back."""


class End(NamedTuple):
    """Where an entry leads: an object by content type and canonical id, or nowhere."""

    kind: int | None
    key: str


NOWHERE = End(None, "")


def of(instance: models.Model) -> list[str]:
    """The object's public addresses, as its adapter says; none without an adapter, or where it cannot tell."""
    for adapter in adapters_of(instance)[:1]:
        return [str(url) for url in _told(adapter.addresses, instance) or () if url]
    return []


def url_of(instance: models.Model) -> str:
    """The object's public address of today; empty without an adapter, or where it cannot tell."""
    for adapter in adapters_of(instance)[:1]:
        return str(_told(adapter.url, instance) or "")
    return ""


def _told(tell: Callable[[models.Model], Any], instance: models.Model) -> Any:
    """What the site's own code says of the object; None where it fails."""
    try:
        return tell(instance)
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("The address of %s %s cannot be told: %s", label, instance.pk, name)
        return None


def move(urls: Iterable[str], keeper: models.Model, record: MergeRecord, using: str) -> None:
    """Let the addresses of a merged post, and all that led to it, lead to the keeper.

    To be called in the merge's transaction; what is changed is added to the record's journal.
    """
    if adapters_of(keeper):
        _leave(urls, End(*identity_of(keeper, using)), record, using)


def close(urls: Iterable[str], record: MergeRecord, using: str) -> None:
    """Say of the addresses of a deleted post, and of all that led to it, that it is gone for good."""
    _leave(urls, NOWHERE, record, using)


def take_back(record: MergeRecord, using: str) -> None:
    """Undo what the record has left, in whatever order records are undone; what others left since stays."""
    kept = record.journal.get(JOURNAL, {})
    turned = [digest for digest, _owner in kept.get("turned", ())]
    changed = [_entries(using).filter(record=record), *among(_entries(using), "digest", turned)]
    paths = [path for some in changed for path in some.values_list("path", flat=True)]
    paths += [row["path"] for row in kept.get("replaced", ())]
    _entries(using).filter(record=record).delete()
    for row in kept.get("replaced", ()):
        _put_back(row, record, using)
    for owner in dict.fromkeys(owner for _digest, owner in kept.get("turned", ())):
        digests = [digest for digest, each in kept["turned"] if each == owner]
        end = _end_of(owner, record, using) if owner else _loser(record, using)
        for some in among(_entries(using).filter(record=owner), "digest", digests):
            some.update(**_columns(end))
    _tell_of(paths, record, using)


def entry_at(path: str, using: str) -> MovedUrl | None:
    """What is remembered of that path; one query by an indexed column."""
    found = _entries(using).filter(digest=digest_of(path)).first()
    return found if found is not None and found.path == path else None


def _entries(using: str) -> QuerySet[MovedUrl]:
    return MovedUrl.objects.using(using)


def _leave(urls: Iterable[str], end: End, record: MergeRecord, using: str) -> None:
    paths = dict.fromkeys(filter(None, map(own_path, urls)))
    before = _entries(using).filter(digest__in=[digest_of(path) for path in paths])
    replaced = [_row(entry) for entry in before]
    for path in paths:
        values = {"path": path, **_columns(end), "record": record, "created": timezone.now()}
        _entries(using).update_or_create(digest=digest_of(path), defaults=values)
    led = _entries(using).filter(**_columns(_loser(record, using)))
    turned = [list(row) for row in led.values_list("digest", "record")]
    changed = [*paths, *led.values_list("path", flat=True)]
    if turned:
        led.update(**_columns(end))
    if turned or replaced:
        record.journal = {**record.journal, JOURNAL: {"replaced": replaced, "turned": turned}}
        record.save(using=using, update_fields=["journal"])
    _tell_of(changed, record, using)


def _tell_of(paths: Iterable[str], record: MergeRecord, using: str) -> None:
    changed = list(dict.fromkeys(paths))
    if changed:
        addresses_changed.send(MovedUrl, paths=changed, record=record, using=using)


def _row(entry: MovedUrl) -> dict[str, Any]:
    return {
        "digest": entry.digest,
        "path": entry.path,
        "content_type": entry.content_type_id,
        "object_id": entry.object_id,
        "record": entry.record_id,
        "created": entry.created.isoformat(),
    }


def _put_back(row: dict[str, Any] | None, undone: MergeRecord, using: str) -> None:
    """Restore a replaced entry where its path is free; where its own record is undone, the one before it."""
    while row is not None and row["record"] is not None:
        owner = MergeRecord.objects.using(using).filter(pk=row["record"]).first()
        if owner is not None and owner.undone is None and owner.pk != undone.pk:
            break
        older = owner.journal.get(JOURNAL, {}).get("replaced", ()) if owner is not None else ()
        row = next((each for each in older if each["digest"] == row["digest"]), None)
    if row is None or _entries(using).filter(digest=row["digest"]).exists():
        return
    end = End(row["content_type"], row["object_id"])
    if row["record"] is not None:
        end = _end_of(row["record"], undone, using)
    _entries(using).create(digest=row["digest"], path=row["path"], record_id=row["record"], **_columns(end))
    _entries(using).filter(digest=row["digest"]).update(created=parse_datetime(row["created"]))


def _end_of(owner: int, undone: MergeRecord, using: str) -> End:
    """Where the merges in force, without the one that is being undone, lead from a record's keeper."""
    records = MergeRecord.objects.using(using)
    last = records.get(pk=owner)
    while last.action == MergeRecord.Action.MERGE:
        standing = records.filter(undone=None).exclude(pk=undone.pk).exclude(action=MergeRecord.Action.HIDE)
        following = next_on_keeper(last, standing, using)
        if following is None:
            return _keeper(last, using)
        last = following
    return NOWHERE


def _keeper(record: MergeRecord, using: str) -> End:
    for model in _known_by(record.keeper_type_id, using):
        return End(content_type_of(model, using).pk, keeper_under(record, model, using))
    return End(record.keeper_type_id, record.keeper_id) if record.keeper_type_id is not None else NOWHERE


def _loser(record: MergeRecord, using: str) -> End:
    for model in _known_by(record.loser_type_id, using):
        return End(content_type_of(model, using).pk, key_under(record, model))
    return End(record.loser_type_id, record.loser_id)


def _known_by(kind: int | None, using: str) -> list[type[models.Model]]:
    """The model by which entries know such an object, if any: the one that has the adapter, which may be a parent's."""
    model = None if kind is None else ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    return [adapter.model for adapter in adapters_of(model)[:1]] if model is not None else []


def _columns(end: End) -> dict[str, Any]:
    return {"content_type_id": end.kind, "object_id": end.key}

"""Where merges in force lead: to the post that lives now, however long the chain."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.contenttypes.models import ContentType

from .merging.following import next_on_keepers
from .models import MergeRecord
from .pipeline.deed_keys import keys_by
from .visible import Key, root_of


def ends_of(records: Iterable[MergeRecord], using: str) -> dict[int, Key]:
    """The post that each merged one is part of now, by the record's id; a query for each link of the longest chain.

    Those whose keeper was deleted since are left out."""
    standing = MergeRecord.objects.using(using).filter(undone=None).exclude(action=MergeRecord.Action.HIDE)
    standing = standing.defer("journal")
    last = {record.pk: record for record in records if record.action == MergeRecord.Action.MERGE}
    waiting = set(last)
    while waiting:
        steps = next_on_keepers({last[pk] for pk in waiting}, standing, using)
        moved = {pk: steps[last[pk].pk] for pk in waiting if last[pk].pk in steps}
        last |= moved
        waiting = {pk for pk, step in moved.items() if step.action == MergeRecord.Action.MERGE}
    found = {pk: _keeper(record, using) for pk, record in last.items()}
    return {pk: key for pk, key in found.items() if key is not None}


def _keeper(record: MergeRecord, using: str) -> Key | None:
    """The record's keeper, as a post of the model whose adapter speaks for it."""
    kind, object_id = record.keeper_type_id, record.keeper_id
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class() if kind is not None else None
    if model is None or not object_id:
        return None
    root = root_of(model)
    key = keys_by(model, [object_id], root, using).get(object_id)
    return (root, key) if key is not None else None

"""The final keepers of merged and deleted posts: the ends of chains of records in force."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.contenttypes.models import ContentType

from ..models import MergeRecord
from ..pipeline.record_keys import ids_in_other_model
from ..visibility import ObjectKey, registered_model
from .journal.record_chains import next_records_on_keepers


def find_final_keepers(records: Iterable[MergeRecord], using: str) -> dict[int, ObjectKey]:
    """Return the post that stands for each merged or deleted post now, by record id.

    A record is left out if it names no keeper, or if its final keeper was deleted since with no post in its
    place. This takes one query for each link of the longest chain.
    """
    records_in_force = (
        MergeRecord.objects.using(using).filter(undone=None).exclude(action=MergeRecord.Action.HIDE)
    )
    records_in_force = records_in_force.defer("journal")
    last_records = {record.pk: record for record in records if record.keeper_type_id is not None}
    pending_ids = set(last_records)
    while pending_ids:
        next_records = next_records_on_keepers(
            {last_records[pk] for pk in pending_ids}, records_in_force, using
        )
        advanced = {
            pk: next_records[last_records[pk].pk] for pk in pending_ids if last_records[pk].pk in next_records
        }
        last_records |= advanced
        pending_ids = {pk for pk, record in advanced.items() if record.keeper_type_id is not None}
    keeper_keys = {pk: _keeper_key(record, using) for pk, record in last_records.items()}
    return {pk: key for pk, key in keeper_keys.items() if key is not None}


def _keeper_key(record: MergeRecord, using: str) -> ObjectKey | None:
    """Return the record's keeper as a post of the registered model. Return None if it is unknown."""
    content_type_id, object_id = record.keeper_type_id, record.keeper_id
    model = (
        ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
        if content_type_id is not None
        else None
    )
    if model is None or not object_id:
        return None
    root = registered_model(model)
    key = ids_in_other_model(model, [object_id], root, using).get(object_id)
    return (root, key) if key is not None else None

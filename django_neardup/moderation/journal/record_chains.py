"""The next record of a merge's keeper. It may name the keeper under any of its models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet

from ...db.chunks import chunked
from ...models import MergeRecord
from ...pipeline.record_keys import ids_in_other_model, loser_id_for_model
from ...pipeline.record_queries import journal_contains_q
from ...querysets import pk_field
from ..relations import PORTION, ModelType, concrete_model, model_and_parents


def next_record_on_keeper(
    record: MergeRecord, records: QuerySet[MergeRecord], using: str
) -> MergeRecord | None:
    """Return the first later record of the record's keeper. Return None if none exists."""
    return next_records_on_keepers([record], records, using).get(record.pk)


def next_records_on_keepers(
    merges: Iterable[MergeRecord], records: QuerySet[MergeRecord], using: str
) -> dict[int, MergeRecord]:
    """Return by the id of each merge the first later record of its keeper.

    That record may name the keeper as a post of any of its models, which may have different keys. This
    takes one query for each model of a keeper.
    """
    merges_by_content_type: defaultdict[int, list[MergeRecord]] = defaultdict(list)
    for record in merges:
        if record.keeper_type_id is not None and record.keeper_id:
            merges_by_content_type[record.keeper_type_id].append(record)
    next_records: dict[int, MergeRecord] = {}
    for content_type_id, merges_of_type in merges_by_content_type.items():
        later_records = records.filter(pk__gt=min(record.pk for record in merges_of_type))
        records_by_key = _records_by_key(
            content_type_id, {record.keeper_id for record in merges_of_type}, later_records, using
        )
        for record in merges_of_type:
            next_record = next(
                (
                    later_record
                    for later_record in records_by_key[record.keeper_id]
                    if later_record.pk > record.pk
                ),
                None,
            )
            if next_record is not None:
                next_records[record.pk] = next_record
    return next_records


def _records_by_key(
    content_type_id: int, keys: Collection[str], records: QuerySet[MergeRecord], using: str
) -> defaultdict[str, list[MergeRecord]]:
    """Return the records of posts with those keys under the content type, by key, the oldest first."""
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    separate_key_model = model if model is not None and has_separate_keys(model) else None
    records_by_key: defaultdict[str, list[MergeRecord]] = defaultdict(list)
    for portion in chunked(sorted(keys), PORTION):
        condition = (
            Q(loser_type=content_type_id, loser_id__in=portion)
            if model is None
            else related_model_records_q(model, portion, using)
        )
        found_records = records.filter(condition).order_by("pk")
        # The key under this model stands in the journal, which callers may have deferred.
        for record in found_records.defer(None) if separate_key_model else found_records:
            records_by_key[
                loser_id_for_model(record, separate_key_model) if separate_key_model else record.loser_id
            ].append(record)
    return records_by_key


def merged_into_keeper_q(record: MergeRecord, using: str) -> Q:
    """Return a condition for merges into the record's keeper, under any of its models."""
    # The keeper of a deletion is only where its addresses lead: no row has moved there.
    is_merge = record.action == MergeRecord.Action.MERGE
    if not is_merge or record.keeper_type_id is None or not record.keeper_id:
        return Q(pk__in=[])
    model = ContentType.objects.db_manager(using).get_for_id(record.keeper_type_id).model_class()
    condition = Q(keeper_type=record.keeper_type_id, keeper_id=record.keeper_id)
    if model is not None:
        for related_model in model_family(model) - {model}:
            key = ids_in_other_model(model, [record.keeper_id], related_model, using).get(record.keeper_id)
            if key is not None:
                condition |= Q(keeper_type=_content_type_id(related_model, using), keeper_id=key)
    return condition & Q(action=MergeRecord.Action.MERGE)


def related_model_records_q(model: ModelType, keys: Collection[str], using: str) -> Q:
    """Return a condition for the records of posts that have rows of the model with those keys."""
    family = model_family(model)
    content_type_ids = {
        related_model: content_type_id
        for related_model in family
        if (content_type_id := _content_type_id(related_model, using)) is not None
    }
    same_key_ids = [
        content_type_id
        for related_model, content_type_id in content_type_ids.items()
        if pk_field(related_model) == pk_field(model)
    ]
    other_key_ids = [
        content_type_id
        for related_model, content_type_id in content_type_ids.items()
        if pk_field(related_model) != pk_field(model)
    ]
    condition = Q(loser_type__in=same_key_ids, loser_id__in=keys)
    return (
        condition | Q(journal_contains_q(model, keys, len(family)), loser_type__in=other_key_ids)
        if other_key_ids
        else condition
    )


def _content_type_id(model: ModelType, using: str) -> int | None:
    """Return the id of the content type. Return None if it does not exist yet, so that no record names it."""
    content_types = ContentType.objects.db_manager(using)
    try:
        return int(content_types.get_by_natural_key(model._meta.app_label, model._meta.model_name or "").pk)
    except ContentType.DoesNotExist:
        return None


def has_separate_keys(model: ModelType) -> bool:
    """Return whether a post with a row of the model may have another key as a post of another model."""
    return any(pk_field(related_model) != pk_field(model) for related_model in model_family(model))


def model_family(model: ModelType) -> set[ModelType]:
    """Return the models under which such a post may have been merged: the model, its parents and children."""
    return {*model_and_parents(model), *_descendants(model)}


def _descendants(model: Any) -> Iterable[Any]:
    for child in model.__subclasses__():
        if not child._meta.abstract:
            yield concrete_model(child)
        yield from _descendants(child)

"""Canonical ids of the posts in a merge record, as posts of another model.

A child model may have another primary key than its parent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from ..adapters import adapters_of
from ..db.sql import filter_in_chunks
from ..models import MergeRecord
from ..querysets import parse_pk, pk_field
from .content_objects import canonical_id


def loser_id_for_model(record: MergeRecord, model: type[Model]) -> str:
    """Return the canonical id of the record's post as a post of ``model``, from the journal."""
    own_rows = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    label = model._meta.label_lower
    return next((str(row["pk"]) for row in own_rows if row["model"] == label), record.loser_id)


def keeper_id_for_model(record: MergeRecord, model: type[Model], using: str) -> str:
    """Return the canonical id of the record's keeper as a post of ``model``, from its row if it exists."""
    child, key = _model_of_content_type(record.keeper_type_id, using), str(record.keeper_id)
    return ids_in_other_model(child, [key], model, using).get(key, key) if child is not None else key


def canonical_ids_by_record(records: Collection[MergeRecord], using: str) -> dict[int, tuple[str, str]]:
    """Return by record id the canonical ids of post and keeper, as their documents have them.

    This takes two more queries for each child model with its own primary key.
    """
    ids_by_record = {record.pk: [record.loser_id, record.keeper_id] for record in records}
    for child, model in _children_with_own_pk(records, using):
        content_type_id = ContentType.objects.db_manager(using).get_for_model(child).pk
        losers = [record.pk for record in records if record.loser_type_id == content_type_id]
        # The records are read again: callers leave out the journals, which are large.
        for pk, full_record in MergeRecord.objects.using(using).in_bulk(losers).items():
            ids_by_record[pk][0] = loser_id_for_model(full_record, model)
        keeper_ids = {
            record.pk: record.keeper_id for record in records if record.keeper_type_id == content_type_id
        }
        keys = ids_in_other_model(child, set(keeper_ids.values()), model, using)
        for pk, key in keeper_ids.items():
            ids_by_record[pk][1] = keys.get(key, key)
    return {pk: (loser, keeper) for pk, (loser, keeper) in ids_by_record.items()}


def ids_in_other_model(
    model: type[Model], ids: Collection[str], other_model: type[Model], using: str
) -> dict[str, str]:
    """Return canonical ids of posts as posts of ``other_model``, by their ids in ``model``.

    One of the two models is a child of the other. Posts that do not exist are left out.
    """
    if pk_field(model) == pk_field(other_model):
        return {key: key for key in ids}
    child = model if issubclass(model, other_model) else other_model
    pk_name, keys = (
        model._meta.pk.name,
        [parsed_key for key in ids if (parsed_key := parse_pk(model, key)) is not None],
    )
    return {
        canonical_id(key): canonical_id(other_key)
        for rows in filter_in_chunks(child._base_manager.using(using), pk_name, keys)
        for key, other_key in rows.values_list(pk_name, other_model._meta.pk.name)
        # MariaDB compares text keys without case: it returns "abc" for "Abc".
        if canonical_id(key) in ids
    }


def _children_with_own_pk(
    records: Iterable[MergeRecord], using: str
) -> list[tuple[type[Model], type[Model]]]:
    """Return the records' child models with their own primary key, each with the model of its documents."""
    content_type_ids = {
        content_type_id
        for record in records
        for content_type_id in (record.loser_type_id, record.keeper_type_id)
    }
    models = (
        model
        for content_type_id in content_type_ids
        if (model := _model_of_content_type(content_type_id, using)) is not None
    )
    pairs = [(model, adapter.model) for model in models for adapter in adapters_of(model)[:1]]
    return [(child, model) for child, model in pairs if pk_field(child) != pk_field(model)]


def _model_of_content_type(content_type_id: int | None, using: str) -> type[Model] | None:
    return (
        None
        if content_type_id is None
        else ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    )

"""By which canonical ids the posts of a record are known under another of their models, whose key may be another."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from ..adapters import adapters_of
from ..columns import as_key, key_field
from ..models import MergeRecord
from .objects import canonical_id
from .sql import among


def key_under(record: MergeRecord, model: type[Model]) -> str:
    """The canonical id of the record's post as one of that model, which the journal tells."""
    own = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    label = model._meta.label_lower
    return next((str(row["pk"]) for row in own if row["model"] == label), record.loser_id)


def keeper_under(record: MergeRecord, model: type[Model], using: str) -> str:
    """The canonical id of the record's keeper as one of that model, which its row tells while it is there."""
    child, key = _model(record.keeper_type_id, using), str(record.keeper_id)
    return keys_by(child, [key], model, using).get(key, key) if child is not None else key


def document_keys(records: Collection[MergeRecord], using: str) -> dict[int, tuple[str, str]]:
    """The canonical ids of each record's post and keeper as their documents have them, by the record's id; two queries
    more for each of the children that have keys of their own."""
    found = {each.pk: [each.loser_id, each.keeper_id] for each in records}
    for child, model in _apart(records, using):
        kind = ContentType.objects.db_manager(using).get_for_model(child).pk
        losers = [each.pk for each in records if each.loser_type_id == kind]
        for pk, whole in MergeRecord.objects.using(using).in_bulk(losers).items():
            found[pk][0] = key_under(whole, model)
        kept = {each.pk: each.keeper_id for each in records if each.keeper_type_id == kind}
        keys = keys_by(child, set(kept.values()), model, using)
        for pk, key in kept.items():
            found[pk][1] = keys.get(key, key)
    return {pk: (loser, keeper) for pk, (loser, keeper) in found.items()}


def keys_by(model: type[Model], keys: Collection[str], other: type[Model], using: str) -> dict[str, str]:
    """The canonical ids, as posts of the other model, of those posts of the model that are there: one of the two is a
    child of the other."""
    if key_field(model) == key_field(other):
        return {key: key for key in keys}
    child = model if issubclass(model, other) else other
    own, wanted = model._meta.pk.name, [value for key in keys if (value := as_key(model, key)) is not None]
    return {
        canonical_id(key): canonical_id(found)
        for some in among(child._base_manager.using(using), own, wanted)
        for key, found in some.values_list(own, other._meta.pk.name)
        if canonical_id(key) in keys  # MariaDB finds "abc" where "Abc" is asked for
    }


def _apart(records: Iterable[MergeRecord], using: str) -> list[tuple[type[Model], type[Model]]]:
    """The children with keys of their own among the records' models, each with the model that has the documents."""
    kinds = {kind for each in records for kind in (each.loser_type_id, each.keeper_type_id)}
    models = (model for kind in kinds if (model := _model(kind, using)) is not None)
    pairs = [(model, adapter.model) for model in models for adapter in adapters_of(model)[:1]]
    return [(child, model) for child, model in pairs if key_field(child) != key_field(model)]


def _model(kind: int | None, using: str) -> type[Model] | None:
    return None if kind is None else ContentType.objects.db_manager(using).get_for_id(kind).model_class()

"""What was done next to the keeper of a merge, as a post of whichever of its models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet

from ..columns import key_field
from ..models import MergeRecord
from ..pipeline.deed_keys import key_under, keys_by
from ..pipeline.deeds import holds
from ..portions import portions
from .relations import PORTION, ModelType, ancestors, concrete


def next_on_keeper(record: MergeRecord, records: QuerySet[MergeRecord], using: str) -> MergeRecord | None:
    """The first of those records that came after that one and is of its keeper."""
    return next_on_keepers([record], records, using).get(record.pk)


def next_on_keepers(
    merged: Iterable[MergeRecord], records: QuerySet[MergeRecord], using: str
) -> dict[int, MergeRecord]:
    """By the number of each merge the first of those records that came after and is of its keeper, by whichever of its
    models: they may have keys of their own. A query for each model of a keeper."""
    of_kind: defaultdict[int, list[MergeRecord]] = defaultdict(list)
    for record in merged:
        if record.keeper_type_id is not None and record.keeper_id:
            of_kind[record.keeper_type_id].append(record)
    found: dict[int, MergeRecord] = {}
    for kind, group in of_kind.items():
        later = records.filter(pk__gt=min(record.pk for record in group))
        deeds = _deeds_on(kind, {record.keeper_id for record in group}, later, using)
        for record in group:
            first = next((deed for deed in deeds[record.keeper_id] if deed.pk > record.pk), None)
            if first is not None:
                found[record.pk] = first
    return found


def _deeds_on(
    kind: int, keys: Collection[str], records: QuerySet[MergeRecord], using: str
) -> defaultdict[str, list[MergeRecord]]:
    """Those of the records that are of posts with those keys as ones of that content type, by key, the oldest first."""
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    apart = model if model is not None and goes_apart(model) else None
    found: defaultdict[str, list[MergeRecord]] = defaultdict(list)
    for some in portions(sorted(keys), PORTION):
        named = Q(loser_type=kind, loser_id__in=some) if model is None else of_kin(model, some, using)
        rows = records.filter(named).order_by("pk")
        for row in rows.defer(None) if apart else rows:
            found[key_under(row, apart) if apart else row.loser_id].append(row)
    return found


def into_keeper(record: MergeRecord, using: str) -> Q:
    """The merges into that record's keeper, by whichever of its models."""
    if record.keeper_type_id is None or not record.keeper_id:
        return Q(pk__in=[])
    model = ContentType.objects.db_manager(using).get_for_id(record.keeper_type_id).model_class()
    found = Q(keeper_type=record.keeper_type_id, keeper_id=record.keeper_id)
    if model is None:
        return found
    for each in _family(model) - {model}:
        key = keys_by(model, [record.keeper_id], each, using).get(record.keeper_id)
        if key is not None:
            found |= Q(keeper_type=_kind(each, using), keeper_id=key)
    return found


def of_kin(model: ModelType, keys: Collection[str], using: str) -> Q:
    """The records of what was done to the posts that have rows of that model with those keys."""
    family = _family(model)
    found = {each: kind for each in family if (kind := _kind(each, using)) is not None}
    alike = [kind for each, kind in found.items() if key_field(each) == key_field(model)]
    apart = [kind for each, kind in found.items() if key_field(each) != key_field(model)]
    named = Q(loser_type__in=alike, loser_id__in=keys)
    return named | Q(holds(model, keys, len(family)), loser_type__in=apart) if apart else named


def _kind(model: ModelType, using: str) -> int | None:
    """The content type of that model; None where there is none yet, so that no record names it."""
    kinds = ContentType.objects.db_manager(using)
    try:
        return int(kinds.get_by_natural_key(model._meta.app_label, model._meta.model_name or "").pk)
    except ContentType.DoesNotExist:
        return None


def goes_apart(model: ModelType) -> bool:
    """Whether a post with a row of that model may have another key as one of another model."""
    return any(key_field(each) != key_field(model) for each in _family(model))


def _family(model: ModelType) -> set[ModelType]:
    """The models as which such a post may have been merged: that one, its parents and children."""
    return {*ancestors(model), *_descendants(model)}


def _descendants(model: Any) -> Iterable[Any]:
    for child in model.__subclasses__():
        if not child._meta.abstract:
            yield concrete(child)
        yield from _descendants(child)

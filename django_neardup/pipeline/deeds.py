"""What staff did to a post: as one of its adapter's model, or as a child of that, whose key may be another."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, Q, QuerySet

from ..columns import as_key, key_field
from ..models import MergeRecord
from .objects import kinds_of


def deeds_on(model: type[Model], key: str, using: str) -> QuerySet[MergeRecord]:
    """What was done and still holds to the post of an adapter's model with that canonical id."""
    apart = kinds_apart(model, using)
    named = Q(loser_type__in=set(kinds_of(model, using)) - apart.keys(), loser_id=key)
    if apart:
        named |= Q(_keeps(model, key, apart), loser_type__in=apart)
    return MergeRecord.objects.using(using).filter(named, undone=None)


def kinds_apart(model: type[Model], using: str) -> dict[int, type[Model]]:
    """Those of ``kinds_of`` by which a post goes by a key of its own."""
    kinds = ContentType.objects.db_manager(using)
    found = {kind: kinds.get_for_id(kind).model_class() for kind in kinds_of(model, using)}
    return {kind: each for kind, each in found.items() if each and key_field(each) != key_field(model)}


def key_under(record: MergeRecord, model: type[Model]) -> str:
    """The canonical id of the record's post as one of that model, which the journal tells."""
    own = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    label = model._meta.label_lower
    return next((str(row["pk"]) for row in own if row["model"] == label), record.loser_id)


def _keeps(model: type[Model], key: str, kinds: dict[int, type[Model]]) -> Q:
    """The journal holds that post's row of the model, among those of the child's parents: they come first."""
    value, found = as_key(model, key), Q()
    kept = value if isinstance(value, int) else key
    for place in range(max(len(each._meta.get_parent_list()) for each in kinds.values())):
        row = f"journal__rows__{place}"
        found |= Q(**{f"{row}__model": model._meta.label_lower, f"{row}__pk": kept})
    return found

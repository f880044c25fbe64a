"""A post as the journal keeps it."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from ..merging.stored import key_of, model_of, own_fields, value_of
from ..models import MergeRecord


def post_of(record: MergeRecord) -> Model | None:
    """The post as it was before the deed, never to be saved; None where its model has changed too much since."""
    model = record.loser_type.model_class()
    rows = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    if model is None:
        return None
    values: dict[str, Any] = {}
    try:
        for row in rows:
            values |= _values(row, model)
        return model(**values)
    except (ValidationError, ValueError, TypeError):
        return None


def _values(row: dict[str, Any], model: type[Model]) -> dict[str, Any]:
    """The columns of a row, of the model's own table or a parent's, by attribute."""
    kept = model_of(row["model"])
    if kept is None or not issubclass(model, kept):
        return {}
    fields = {field.name: field for field in own_fields(kept) if field.name in row["fields"]}
    values = {field.attname: value_of(field, row["fields"][name]) for name, field in fields.items()}
    return {**values, kept._meta.pk.attname: key_of(kept, row["pk"])}

"""Posts as their journals store them."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from ...models import MergeRecord
from .serialization import deserialize_key, deserialize_value, find_model, own_table_fields


def post_from_journal(record: MergeRecord) -> Model | None:
    """Return the post as it was before the action. It must never be saved.

    Return None if its model is gone or has changed too much since, or if the journal was emptied.
    """
    model = record.loser_type.model_class()
    rows = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    if model is None or record.emptied is not None:
        return None
    values: dict[str, Any] = {}
    try:
        for row in rows:
            values |= _field_values(row, model)
        return model(**values)
    except (ValidationError, ValueError, TypeError):
        return None


def _field_values(row: dict[str, Any], model: type[Model]) -> dict[str, Any]:
    """Return the columns of a stored row by attribute.

    Return an empty dict unless the row is of the model's own table or a parent's.
    """
    row_model = find_model(row["model"])
    if row_model is None or not issubclass(model, row_model):
        return {}
    fields = {field.name: field for field in own_table_fields(row_model) if field.name in row["fields"]}
    values = {field.attname: deserialize_value(field, row["fields"][name]) for name, field in fields.items()}
    return {**values, row_model._meta.pk.attname: deserialize_key(row_model, row["pk"])}

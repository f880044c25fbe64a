"""What stored rows need, and what they offer to other rows: references and files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import models

from ..db.sql import filter_in_chunks
from .journal.serialization import (
    RowId,
    deserialize_key,
    deserialize_value,
    find_model,
    own_table_fields,
    row_id_of,
    serialize_value,
    stored_value,
)
from .relations import ModelType, concrete_model, rows_in_portions, rows_of

logger = logging.getLogger(__name__)

StoredRow = dict[str, Any]
ReferenceTarget = tuple[ModelType, str, Any]
"""The row that a reference needs: its model, the referenced attribute, and its stored value."""


def with_dependent_rows(
    rows: Mapping[RowId, StoredRow], row_ids: set[RowId], own_row_ids: set[RowId]
) -> set[RowId]:
    """Return the row ids with the ids of all rows that depend on them, except the post's own rows."""
    result = set(row_ids)
    while True:
        targets = {target for row_id in result for target in offered_targets(rows[row_id])}
        dependent_ids = {
            row_id
            for row_id, row in rows.items()
            if row_id not in result
            and row_id not in own_row_ids
            and targets & {target for _name, target in referenced_targets(row)}
        }
        if not dependent_ids:
            return result
        result |= dependent_ids


def referenced_targets(row: Mapping[str, Any]) -> Iterator[tuple[str, ReferenceTarget]]:
    """Yield what a stored row references, by column."""
    model = model_of_row(row_id_of(row))
    for field in model._meta.local_concrete_fields:
        value = stored_value(row, field.name)
        if isinstance(field, models.ForeignKey) and value is not None:
            target = field.target_field
            yield field.name, (concrete_model(target.model), target.attname, value)


def offered_targets(row: Mapping[str, Any]) -> Iterator[ReferenceTarget]:
    """Yield what other rows may reference in a stored row."""
    model = model_of_row(row_id_of(row))
    for field in model._meta.local_concrete_fields:
        if (
            field.unique
            and (value := stored_value(row, field.name)) is not None
            and not isinstance(value, list | dict)
        ):
            yield model, field.attname, value


def existing_values(model: ModelType, attname: str, values: set[Any], using: str) -> set[Any]:
    """Return the stored values that exist in the column."""
    field: Any = model._meta.get_field(attname)
    if attname == model._meta.pk.attname:
        keys = [deserialize_key(model, value) for value in values]
        return {
            serialize_value(field, key)
            for portion in rows_in_portions(model, keys, using)
            for key in portion.values_list("pk", flat=True)
        }
    portions = filter_in_chunks(
        rows_of(model, using), attname, (deserialize_value(field, value) for value in values)
    )
    return {
        serialize_value(field, value)
        for portion in portions
        for value in portion.values_list(attname, flat=True)
    }


def has_missing_file(row: Mapping[str, Any]) -> bool:
    """Return whether a file of the row is missing in its storage, or its storage fails."""
    fields = [
        field
        for field in own_table_fields(model_of_row(row_id_of(row)))
        if isinstance(field, models.FileField)
    ]
    fields_and_names = [(field, row["fields"].get(field.name)) for field in fields]
    return any(not _is_in_storage(field, name) for field, name in fields_and_names if name)


def _is_in_storage(field: Any, name: str) -> bool:
    try:
        return bool(field.storage.exists(name))
    except Exception as error:  # a storage may raise anything, and the post matters more than its file
        logger.info("neardup: cannot check whether %s exists: %s", name, type(error).__name__)
        return False


def model_of_row(row_id: RowId) -> ModelType:
    model = find_model(row_id[0])
    assert model is not None
    return model

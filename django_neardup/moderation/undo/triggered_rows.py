"""Rows that triggers insert while an undo brings rows back."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from ...db.own_effects import OwnEffects
from ..dependencies import model_of_row
from ..journal.serialization import deserialize_key, own_table_fields, read_queryset, row_id_of
from ..journal.statement_watch import is_large, unwatched
from ..relations import ModelType, rows_in_portions, rows_of

StoredRow = dict[str, Any]


class TriggeredRows:
    """The rows that triggers insert into tables of which the journal has rows.

    A trigger that once made a row makes another one when the row's post comes back: with the same values under
    another key, perhaps with another date. The row of the journal takes its place.
    """

    def __init__(
        self, restored_rows: Iterable[StoredRow], changed_models: Iterable[ModelType], using: str
    ) -> None:
        self._using = using
        self._restored_rows: defaultdict[ModelType, list[StoredRow]] = defaultdict(list)
        for row in restored_rows:
            self._restored_rows[model_of_row(row_id_of(row))].append(row)
        effects = OwnEffects(using)
        reached = {
            table for model in changed_models for table in effects.changed_by_triggers(model._meta.db_table)
        }
        self._keys_before: dict[ModelType, set[Any]] = {
            model: set(read_queryset(rows_of(model, using), []))
            for model in self._restored_rows
            if model._meta.db_table in reached and not is_large(rows_of(model, using))
        }

    def remove(self, model: ModelType) -> None:
        """Delete the rows of a model that triggers have inserted in the place of rows of the journal."""
        if model not in self._keys_before:
            return
        restored_keys = {row_id_of(row)[1] for row in self._restored_rows[model]}
        wanted = Counter(_values(model, row["fields"]) for row in self._restored_rows[model])
        found = read_queryset(rows_of(model, self._using), own_table_fields(model))
        keys = []
        for key, values in found.items():
            # Others may have inserted rows meanwhile: only twins of those of the journal go.
            if key in self._keys_before[model] or key in restored_keys or not wanted[_values(model, values)]:
                continue
            wanted[_values(model, values)] -= 1
            keys.append(deserialize_key(model, key))
        with unwatched():
            for portion in rows_in_portions(model, keys, self._using):
                portion._raw_delete(self._using)

    def remove_all(self) -> None:
        """Delete such rows of all models."""
        for model in self._keys_before:
            self.remove(model)


def _values(model: ModelType, fields: Mapping[str, Any]) -> str:
    """Return the stored values of a row, without dates and times, as text to compare."""
    dates = {
        field.name
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.DateField | models.TimeField)
    }
    values = {name: value for name, value in fields.items() if name not in dates}
    return json.dumps(values, default=str, sort_keys=True)

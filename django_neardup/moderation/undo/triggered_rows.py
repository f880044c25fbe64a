"""Rows that triggers insert while an undo brings rows back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...db.own_effects import OwnEffects
from ..dependencies import offered_targets, referenced_targets
from ..journal.serialization import (
    RowId,
    changed_columns,
    deserialize_key,
    own_table_fields,
    read_rows,
    row_id_of,
    stored_key,
)
from ..journal.statement_watch import is_large
from ..relations import ModelType, rows_in_portions, rows_of

StoredRow = Mapping[str, Any]


class TriggeredRows:
    """The rows that triggers make again while the journal has them.

    A trigger that once made a row makes another one when the row's post comes back. ``rows`` are the rows that come
    back. ``restored_ids`` are their ids, and those of the rows with columns that go back.
    ``own_effects`` tells what triggers change.
    """

    def __init__(
        self,
        rows: Sequence[StoredRow],
        restored_ids: Collection[RowId],
        changed_models: Iterable[ModelType],
        own_effects: OwnEffects,
    ) -> None:
        models, using = set(changed_models), own_effects.using
        self._rows, self._restored_ids, self._using = rows, restored_ids, using
        self._targets = {target for row in rows for target in offered_targets(row)}
        reached = {
            table for model in models for table in own_effects.changed_by_triggers(model._meta.db_table)
        }
        self._keys_before: dict[ModelType, set[Any]] = {
            model: set(rows_of(model, using).values_list("pk", flat=True))
            for model in models
            if model._meta.db_table in reached and not is_large(rows_of(model, using))
        }

    def remove(self, model: ModelType) -> None:
        """Delete the rows of a model that triggers have made since."""
        if model not in self._keys_before:
            return
        label = model._meta.label_lower
        known = self._keys_before[model] | {
            deserialize_key(model, stored_key(key)) for each, key in self._restored_ids if each == label
        }
        keys = set(rows_of(model, self._using).values_list("pk", flat=True)) - known
        made = read_rows(model, keys, own_table_fields(model), self._using)
        made_keys = [
            deserialize_key(model, stored_key(key))
            for key, fields in made.items()
            if self._is_made_again(model, {"model": label, "pk": stored_key(key), "fields": fields})
        ]
        for portion in rows_in_portions(model, made_keys, self._using):
            portion._raw_delete(self._using)

    def remove_all(self) -> None:
        """Delete such rows of all models."""
        for model in self._keys_before:
            self.remove(model)

    def _is_made_again(self, model: ModelType, row: StoredRow) -> bool:
        """Return whether a row points at one that comes back, or is like one that does.

        Another client may have just inserted any other row.
        """
        if any(target in self._targets for _name, target in referenced_targets(row)):
            return True
        fields = row["fields"]
        dates = {field.name for field in own_table_fields(model) if hasattr(field, "auto_now")}
        return any(
            each["model"] == row["model"] and set(changed_columns(model, each["fields"], fields)) <= dates
            for each in self._rows
            if row_id_of(each) != row_id_of(row)
        )

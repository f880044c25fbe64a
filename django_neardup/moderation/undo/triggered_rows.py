"""Rows that triggers insert while an undo brings rows back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ...db.own_effects import OwnEffects
from ..journal.serialization import RowId
from ..journal.statement_watch import is_large
from ..relations import ModelType, rows_in_portions, rows_of


class TriggeredRows:
    """The rows of tables that triggers may insert into, while the journal has rows of these tables to bring back.

    A trigger that once made a row makes another one when the row's post comes back. The journal has the first.
    """

    def __init__(
        self, restored_ids: Collection[RowId], changed_models: Iterable[ModelType], using: str
    ) -> None:
        self._restored_ids, self._using = restored_ids, using
        effects = OwnEffects(using)
        reached = {
            table for model in changed_models for table in effects.changed_by_triggers(model._meta.db_table)
        }
        restored_labels = {label for label, _key in restored_ids}
        self._keys_before: dict[ModelType, set[Any]] = {
            model: set(rows_of(model, using).values_list("pk", flat=True))
            for model in set(changed_models)
            if model._meta.db_table in reached
            and model._meta.label_lower in restored_labels
            and not is_large(rows_of(model, using))
        }

    def remove(self, model: ModelType) -> None:
        """Delete the rows of a model that have come since, but for those of the journal."""
        if model not in self._keys_before:
            return
        label = model._meta.label_lower
        known = self._keys_before[model] | {key for each, key in self._restored_ids if each == label}
        keys = set(rows_of(model, self._using).values_list("pk", flat=True)) - known
        for portion in rows_in_portions(model, list(keys), self._using):
            portion._raw_delete(self._using)

    def remove_all(self) -> None:
        """Delete such rows of all models."""
        for model in self._keys_before:
            self.remove(model)

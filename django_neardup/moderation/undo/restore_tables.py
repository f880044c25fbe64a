"""The writing part of an undo: columns that go back, and rows that come back, in an order that their rules allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.contrib.contenttypes.fields import GenericForeignKey
from django.db import connections

from ...db.own_effects import OwnEffects
from ..announced_updates import announce_links, has_link_listeners, update_rows
from ..dependencies import model_of_row, offered_targets, referenced_targets
from ..journal.serialization import (
    RowId,
    changed_columns,
    deserialize_value,
    insert_row,
    row_id_of,
    stored_key,
)
from ..journal.serialization import deserialize_key as key_from
from ..journal.side_effects import load_current_rows
from ..relations import ModelType, concrete_model, rows_in_portions
from .counters import Effects, inserted_counters, set_values, without_effects
from .restore_columns import ColumnRestore
from .triggered_rows import TriggeredRows
from .undo_plan import UndoPlan


def restore_tables(plan: UndoPlan) -> None:
    """Restore the columns and the rows of a plan."""
    with connections[plan.using].constraint_checks_disabled():
        # Columns before rows: one of them may hold a unique value that a row needs. But the post comes before
        # the columns that point at it.
        own_rows = [row for row in plan.rows_to_insert if row_id_of(row) in plan.own_row_ids]
        # A trigger counts a row only if the row with its counter is there.
        first_rows, other_rows = _part_by_need(
            own_rows, [row for row in plan.rows_to_insert if row_id_of(row) not in plan.own_row_ids]
        )
        own_effects = OwnEffects(plan.using)
        triggered_rows = _triggered_rows(plan, own_effects)
        waiting, others = _pointing_at(other_rows, plan.column_restores)
        pointing, others = _pointing_at([*first_rows, *own_rows], others)
        _restore_columns(others, plan.using)
        # What such a column holds now may be the unique value of the post.
        _restore_columns(_emptied_unique_columns([*pointing, *waiting]), plan.using, announced=False)
        _restore_rows(first_rows, triggered_rows, plan.using)
        _restore_rows(own_rows, triggered_rows, plan.using)
        # A row that came with the post may hold the unique value of one that goes back.
        triggered_rows.remove_all()
        _restore_columns(pointing, plan.using)
        _restore_rows(other_rows, triggered_rows, plan.using)
        triggered_rows.remove_all()
        _restore_columns(waiting, plan.using)
        plan.row_effects = _effects(inserted_counters(plan.rows_to_insert, own_effects), plan.using)
        shares_before = {restore.row_id: restore.values_before for restore in plan.share_restores}
        plan.share_effects = _effects(shares_before, plan.using)
        for restore in plan.share_restores:
            for name in restore.relative:
                restore.values[name] += plan.share_effects[restore.row_id][name]
        _restore_columns(_changed_again(plan.share_restores, plan.using), plan.using)
        # A trigger or a receiver that counts the rows, dates a change or inserts a row itself has changed what was
        # restored.
        inserted = [ColumnRestore(row_id_of(row), set_values(row)) for row in plan.rows_to_insert]
        changed = _changed_again([*plan.all_restores, *inserted], plan.using)
        _restore_columns(changed, plan.using, announced=False)


def _part_by_need(
    own_rows: Sequence[dict[str, Any]], other_rows: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Divide other rows step by step: rows of models that need no row of the post, and rows of models that
    do.
    """
    models = {model_of_row(row_id_of(row)) for row in other_rows}
    dependent_models = {model_of_row(row_id_of(row)) for row in own_rows}
    dependent_models |= {model for model in models if _has_generic_reference(model)}
    while found := {
        model for model in models - dependent_models if _referenced_models(model) & dependent_models
    }:
        dependent_models |= found
    parts: tuple[list[dict[str, Any]], list[dict[str, Any]]] = [], []
    for row in other_rows:
        parts[model_of_row(row_id_of(row)) in dependent_models].append(row)
    return parts


def _pointing_at(
    rows: Sequence[dict[str, Any]], restores: Sequence[ColumnRestore]
) -> tuple[list[ColumnRestore], list[ColumnRestore]]:
    """Part the restores into those with a column that points at one of the rows, and the others."""
    targets = {target for row in rows for target in offered_targets(row)}
    pointing: list[ColumnRestore] = []
    others: list[ColumnRestore] = []
    for restore in restores:
        row = {"model": restore.row_id[0], "pk": restore.row_id_after[1], "fields": restore.values}
        points = any(target in targets for name, target in referenced_targets(row) if name in restore.values)
        (pointing if points else others).append(restore)
    return pointing, others


def _emptied_unique_columns(restores: Sequence[ColumnRestore]) -> list[ColumnRestore]:
    """Return restores that set the unique columns among these to NULL, where that is allowed."""
    emptied = []
    for restore in restores:
        columns: list[Any] = [model_of_row(restore.row_id)._meta.get_field(name) for name in restore.values]
        names = [column.name for column in columns if column.unique and column.null]
        if names:
            emptied.append(ColumnRestore(restore.row_id, dict.fromkeys(names)))
    return emptied


def _effects(values_before: Mapping[RowId, Mapping[str, int]], using: str) -> Effects:
    """Return what has been added to counters since they had the values."""
    rows_to_read = [
        {"model": label, "pk": stored_key(key), "fields": values}
        for (label, key), values in values_before.items()
    ]
    current = load_current_rows(rows_to_read, using)
    return {
        row_id: {name: current[row_id][name] - value for name, value in values.items()}
        for row_id, values in values_before.items()
        if row_id in current
    }


def _triggered_rows(plan: UndoPlan, own_effects: OwnEffects) -> TriggeredRows:
    restored_ids = {row_id_of(row) for row in plan.rows_to_insert}
    restored_ids |= {restore.row_id_after for restore in plan.all_restores}
    changed_models = {model_of_row(row_id) for row_id in restored_ids}
    return TriggeredRows(plan.rows_to_insert, restored_ids, changed_models, own_effects)


def _restore_rows(rows: Sequence[dict[str, Any]], triggered_rows: TriggeredRows, using: str) -> None:
    """Insert rows, except rows that triggers have inserted under the same keys."""
    for _label, group in groupby(_by_dependency(rows), key=itemgetter("model")):
        rows_of_model = list(group)
        triggered_rows.remove(model_of_row(row_id_of(rows_of_model[0])))
        existing = load_current_rows(rows_of_model, using)
        _insert_rows([row for row in rows_of_model if row_id_of(row) not in existing], using)


def _insert_rows(rows: Sequence[dict[str, Any]], using: str) -> None:
    """Insert rows of one model."""
    links = [_attributes_of(row) for row in rows if has_link_listeners(model_of_row(row_id_of(row)))]
    with announce_links(model_of_row(row_id_of(rows[0])), [], links, using) if links else nullcontext():
        for row in rows:
            insert_row(without_effects(row), using)


def _attributes_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a stored row by attribute."""
    fields = {field.name: field for field in model_of_row(row_id_of(row))._meta.local_concrete_fields}
    return {
        fields[name].attname: deserialize_value(fields[name], stored)
        for name, stored in row["fields"].items()
    }


def _by_dependency(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows by model, each model after the models that it references. In a cycle the order
    stays.
    """
    # A trigger inserts the rows of a full-text table with the rows that they index: these must come first.
    rows_by_model: dict[ModelType, list[dict[str, Any]]] = {}
    for row in rows:
        rows_by_model.setdefault(model_of_row(row_id_of(row)), []).append(row)
    ordered = []
    pending = list(rows_by_model)
    while pending:
        ready = (model for model in pending if not _referenced_models(model) & {*pending} - {model})
        model = next(ready, pending[0])
        pending.remove(model)
        ordered += rows_by_model[model]
    return ordered


def _referenced_models(model: ModelType) -> set[ModelType]:
    fields: Sequence[Any] = model._meta.local_concrete_fields
    return {concrete_model(field.remote_field.model) for field in fields if field.is_relation}


def _has_generic_reference(model: ModelType) -> bool:
    return any(isinstance(field, GenericForeignKey) for field in model._meta.private_fields)


def _changed_again(column_restores: Sequence[ColumnRestore], using: str) -> list[ColumnRestore]:
    """Return the restores with a column that does not hold its value."""
    rows = [
        {"model": label, "pk": stored_key(key), "fields": restore.values}
        for restore in column_restores
        for label, key in [restore.row_id_after]
    ]
    current = load_current_rows(rows, using)
    return [
        ColumnRestore(restore.row_id_after, restore.values)
        for restore in column_restores
        if any(
            changed_columns(
                model_of_row(restore.row_id), restore.values, current.get(restore.row_id_after, {})
            )
        )
    ]


def _restore_columns(column_restores: Sequence[ColumnRestore], using: str, *, announced: bool = True) -> None:
    """Restore columns, with one update for the rows of a model that get the same values.

    Unless ``announced``, receivers of signals do not hear of it: they would change the rows again.
    """
    groups: dict[tuple[str, str], list[ColumnRestore]] = {}
    for restore in column_restores:
        groups.setdefault((restore.row_id[0], repr(sorted(restore.values.items()))), []).append(restore)
    for (label, _values), group in groups.items():
        model = model_of_row((label, None))
        fields: dict[str, Any] = {name: model._meta.get_field(name) for name in group[0].values}
        values = {name: deserialize_value(fields[name], stored) for name, stored in group[0].values.items()}
        keys = [key_from(model, restore.row_id[1]) for restore in group]
        if announced:
            update_rows(model, keys, values, using)
        else:
            for portion in rows_in_portions(model, keys, using):
                portion.update(**values)

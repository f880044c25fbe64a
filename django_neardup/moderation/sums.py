"""Numbers of a merge: the keeper gets the sum, and an undo takes exactly one share back. Counters are counted
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import models

from ..adapters import Adapter, adapters_of
from .announced_updates import update_rows
from .journal.editor import SUMS_KEY, RecordJournal
from .journal.later_records import LaterRecords
from .journal.serialization import (
    RowId,
    changed_columns,
    deserialize_key,
    deserialize_value,
    find_model,
    hashable_key,
    is_valid,
    serialize_key,
    serialize_value,
    stored_key,
)
from .journal.side_effects import load_current_rows
from .journal.statement_watch import StatementWatch, watch_statements
from .relations import ModelType, rows_of


class AddedAmount(NamedTuple):
    """An amount that a loser adds to a field of the keeper's row. ``was_null``: the keeper had no number."""

    model: ModelType
    pk: Any
    field: Any
    amount: Any
    loser_index: int
    was_null: bool

    def journal_entry(self) -> dict[str, Any]:
        return {
            "model": self.model._meta.label_lower,
            "pk": serialize_key(self.model, self.pk),
            "field": self.field.name,
            "amount": serialize_value(self.field, self.amount),
            "null": self.was_null,
        }


def find_sums(keeper: models.Model, losers: Sequence[models.Model]) -> list[AddedAmount]:
    """Return the amounts that the losers add to the keeper."""
    return [
        AddedAmount(
            field.model,
            getattr(keeper, field.model._meta.pk.attname),
            field,
            amount,
            loser_index,
            getattr(keeper, field.attname) is None,
        )
        for field in sum_fields(type(keeper))
        for loser_index, loser in enumerate(losers)
        if (amount := getattr(loser, field.attname))
    ]


def sum_fields(model: ModelType) -> Iterator[Any]:
    """Yield the fields that are added up."""
    names = {name for adapter in adapters_of(model) for name in adapter.sum_fields}
    return (field for field in model._meta.concrete_fields if field.name in names)


def add_sums(sums: Sequence[AddedAmount], using: str) -> None:
    """Add the amounts to the keeper's row."""
    for added in sums:
        _change(added.model, added.pk, added.field, added.amount, using)


def take_back_sums(later_records: LaterRecords, using: str) -> list[tuple[RowId, str]]:
    """Take the amounts of a record back, from wherever later merges have carried them.

    Return the columns that are left as they are: others have lowered them, so that no valid number would be left.
    """
    journal = later_records.journals[later_records.record.pk]
    entries = journal.record.journal.get(SUMS_KEY, ())
    left = (_take_back(entry, later_records.keeper_chain, using) for entry in entries)
    return [cell for cell in left if cell is not None]


def _take_back(
    entry: dict[str, Any], keeper_chain: Sequence[RecordJournal], using: str
) -> tuple[RowId, str] | None:
    """Take one amount back. Return the column if that is not possible."""
    model = find_model(entry["model"])
    if model is None:
        return None
    field: Any = model._meta.get_field(entry["field"])
    amount, key = deserialize_value(field, entry["amount"]), hashable_key(entry["pk"])
    for journal in keeper_chain:
        row_id = (entry["model"], key)
        # The row of an emptied journal has no columns.
        if row_id in journal.deleted_rows and field.name in journal.deleted_rows[row_id]["fields"]:
            # The keeper was merged or deleted itself: its stored row gets back what it was without this share.
            stored = deserialize_value(field, journal.deleted_rows[row_id]["fields"][field.name])
            if not is_valid(field, (stored or 0) - amount):
                return row_id, field.name
            journal.set_value(row_id, field.name, serialize_value(field, (stored or 0) - amount))
        later = next(
            (
                sum_entry
                for sum_entry in journal.record.journal.get(SUMS_KEY, ())
                if (sum_entry["model"], sum_entry["field"]) == (entry["model"], entry["field"])
            ),
            None,
        )
        if later is None:
            return None
        later["amount"] = serialize_value(field, deserialize_value(field, later["amount"]) - amount)
        journal.is_changed = True
        key = hashable_key(later["pk"])
    pk = deserialize_key(model, stored_key(key))
    is_changed = _change(model, pk, field, -amount, using, becomes_null=entry["null"])
    return None if is_changed else ((entry["model"], key), field.name)


def recount(posts: Sequence[models.Model], using: str) -> set[RowId]:
    """Let the adapters set the counters that depend on the posts. Return the rows that they have written."""
    posts_by_adapter: dict[Adapter, list[models.Model]] = {}
    for post in posts:
        for adapter in adapters_of(post)[:1]:
            posts_by_adapter.setdefault(adapter, []).append(post)
    with watch_statements(using) as watch:
        for adapter, posts_of_adapter in posts_by_adapter.items():
            adapter.recount(posts_of_adapter)
    _keep_dates(watch)
    return set(watch.rows)


def _keep_dates(watch: StatementWatch) -> None:
    """Set the dates of the last change as they were before a recount."""
    # A ``save()`` that sets a counter sets them too, so that no undo would be exact.
    current = load_current_rows(watch.rows.values(), watch.using)
    for row_id, row in watch.rows.items():
        model = find_model(row_id[0])
        if model is None or row_id not in current:
            continue
        dates = {
            name: deserialize_value(model._meta.get_field(name), row["fields"][name])
            for name in changed_columns(model, row["fields"], current[row_id])
            if getattr(model._meta.get_field(name), "auto_now", False)
        }
        if dates:
            rows_of(model, watch.using).filter(pk=deserialize_key(model, row["pk"])).update(**dates)


def _change(
    model: ModelType, pk: Any, field: Any, amount: Any, using: str, *, becomes_null: bool = False
) -> bool:
    """Add an amount. Return False if it is negative and the sum would not be valid: it is left as it is."""
    for row in rows_of(model, using).filter(pk=pk).select_for_update():
        current = getattr(row, field.attname)
        value = amount if current is None else current + amount
        if amount < type(amount)() and not is_valid(field, value):
            return False
        update_rows(model, [pk], {field.name: None if becomes_null and not value else value}, using)
    return True

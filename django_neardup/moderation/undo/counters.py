"""Counters in an undo: the amounts of the record, and the amounts that triggers add at the same time.

A counter of a row counts other rows, and these may come back in another order than they went. So nothing sets it
to its old value: the row comes back with the value less what triggers have added in the proof, and a counter
of a row that is there gets its share, less the same. Each row that comes back then counts once, with any undo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from django.db import models

from ...db.own_effects import OwnEffects
from ..dependencies import model_of_row
from ..journal.editor import UNPLANNED_KEY, RecordJournal
from ..journal.serialization import RowId, field_of_move, is_valid, row_id_of
from ..trees import is_derived_place

StoredRow = dict[str, Any]

EFFECTS_KEY = "effects"
"""The key of a row or a move for what triggers add while it is undone: by column, or for the column of the move."""

Effects = Mapping[RowId, Mapping[str, int]]
"""What triggers have added in an undo, by row and column."""


def is_counter(field: Any) -> bool:
    """Return whether a column is a number that may count rows."""
    return isinstance(field, models.IntegerField) and not (
        field.choices or field.primary_key or is_derived_place(field.model, field.name)
    )


def is_share(move: Mapping[str, Any]) -> bool:
    """Return whether a move is an unplanned change of a counter: a share, which is given back despite later
    changes.
    """
    return (
        bool(move.get(UNPLANNED_KEY))
        and is_counter(field_of_move(move))
        and all(type(value) is int for value in (move["from"], move["to"]))
    )


def with_share(move: Mapping[str, Any], value: Any) -> int | None:
    """Return the value of a counter with the share of a move. Return None if there is none, or it is too low."""
    if type(value) is not int:
        return None
    result = value + int(move["from"]) - int(move["to"]) - int(move.get(EFFECTS_KEY) or 0)
    # Others have lowered the counter of a positive column.
    return result if is_valid(field_of_move(move), result) else None


def without_effects(row: StoredRow) -> StoredRow:
    """Return a row as it is inserted: its counters without what triggers then add."""
    effects = row.get(EFFECTS_KEY, {})
    counters = {
        name: row["fields"][name] - effect for name, effect in effects.items() if name in row["fields"]
    }
    return {**row, "fields": {**row["fields"], **counters}}


def set_values(row: StoredRow) -> StoredRow:
    """Return the values of a row that hold after an undo: all but the counters that triggers change."""
    return {name: value for name, value in row["fields"].items() if name not in row.get(EFFECTS_KEY, ())}


def inserted_counters(rows: Iterable[StoredRow], own_effects: OwnEffects) -> dict[RowId, dict[str, int]]:
    """Return the values with which the counters of rows are inserted, of rows in tables that triggers name."""
    tables = frozenset(chain.from_iterable(own_effects.behind_triggers.values()))
    found = {}
    for row in rows:
        model = model_of_row(row_id_of(row))
        if model._meta.db_table in tables:
            found[row_id_of(row)] = {
                name: value
                for name, value in without_effects(row)["fields"].items()
                if type(value) is int and is_counter(model._meta.get_field(name))
            }
    return {row_id: counters for row_id, counters in found.items() if counters}


def store_effects(journal: RecordJournal, row_effects: Effects, share_effects: Effects) -> None:
    """Store in a journal what triggers add while its rows come back, and to the counters that get a share from it.

    A share that they have given back already is left out from now on.
    """
    recounted_cells = set()
    for move in journal.record.journal.get("moves", ()):
        row_id, name = row_id_of(move), move["field"]
        if is_share(move):
            move[EFFECTS_KEY] = share_effects.get(row_id, {}).get(name, 0)
            if move[EFFECTS_KEY] == move["from"] - move["to"]:
                recounted_cells.add((row_id, name))
    for row in journal.record.journal.get("rows", ()):
        names = row_effects.get(row_id_of(row), {})
        values = {
            name: row["fields"][name] - effect for name, effect in names.items() if name in row["fields"]
        }
        model = model_of_row(row_id_of(row)) if values else None
        if model and all(is_valid(model._meta.get_field(name), value) for name, value in values.items()):
            row[EFFECTS_KEY] = dict(names)
    if recounted_cells:
        journal.remove_moves(recounted_cells)

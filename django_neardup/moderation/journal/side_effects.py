"""Side effects of an action: other changes by a model's ``delete()``, ``save()``, listeners and the
database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.apps import apps

from ...models import MergeRecord
from .editor import SUMS_KEY, UNPLANNED_KEY, RecordJournal
from .serialization import (
    RowId,
    changed_columns,
    deserialize_key,
    find_model,
    read_rows,
    row_id_of,
    stored_key,
)
from .statement_watch import StatementWatch

Cell = tuple[RowId, str]
StoredRow = dict[str, Any]


def journal_side_effects(records: Sequence[MergeRecord], watch: StatementWatch) -> None:
    """Complete the journals of an action that has just been done, in its transaction.

    Rows that still exist are marked with ``stays``. Every other change that the statements of the action made
    is added to the record of the post that was being worked on: a deleted row, or a changed column as a move.
    """
    journaled_cells = {
        _cell_of(entry)
        for record in records
        for entry in (*record.journal["moves"], *record.journal.get(SUMS_KEY, ()))
    }
    for record in records:
        _correct_moves(RecordJournal(record), watch.using)
    arrived_ids = {row_id for record in records for row_id in arrived_row_ids(RecordJournal(record))}
    for record in records:
        record.journal["moves"] += _mark_remaining_rows(
            [row for row in record.journal["rows"] if row_id_of(row) not in arrived_ids],
            journaled_cells,
            watch.using,
        )
    _add_unplanned_changes(records, watch, journaled_cells)
    for record in records:
        record.save(using=watch.using, update_fields=["journal"])


def _correct_moves(journal: RecordJournal, using: str) -> None:
    """Journal what moved columns hold now: the models' own code may have changed them once more."""
    moved = [
        (move, {"model": move["model"], "pk": stored_key(row_id[1]), "fields": {move["field"]: None}})
        for move in journal.record.journal["moves"]
        for row_id in [journal.row_id_after(row_id_of(move))]
        if row_id == row_id_of(move)
    ]
    current = load_current_rows((row for _move, row in moved), using)
    for move, row in moved:
        values = current.get(row_id_of(row), {})
        for name in changed_columns(apps.get_model(move["model"]), {move["field"]: move["to"]}, values):
            move["to"] = values[name]


def _add_unplanned_changes(
    records: Sequence[MergeRecord], watch: StatementWatch, journaled_cells: set[Cell]
) -> None:
    """Add the watched rows that are in no journal, and the columns of the others that changed unplanned."""
    stored_ids = {row_id_of(row) for record in records for row in record.journal["rows"]}
    left_ids = {row_id for record in records for row_id in _left_row_ids(RecordJournal(record))}
    rows = {row_id: row for row_id, row in watch.rows.items() if row_id not in stored_ids | left_ids}
    # One statement moves the rows of all posts: later effects on such a row belong to its former post.
    movers = {
        row_id_of(move): number
        for number, record in reversed(list(enumerate(records)))
        for move in record.journal["moves"]
    }
    moved_rows = {row_id: row for row_id, row in rows.items() if row_id in movers}
    steps = [(movers[row_id], row_id, row) for row_id, row in moved_rows.items()] + [
        (phase.post_number, row_id, row)
        for phase in watch.phases
        for row_id, row in phase.rows.items()
        if row_id in rows and row_id not in movers
    ]
    later_values = load_current_rows(rows.values(), watch.using)
    changes: defaultdict[tuple[int, Cell], list[StoredRow]] = defaultdict(list)
    for number, row_id, row in reversed(steps):
        if row_id in later_values:
            for move in _compare_rows([row], later_values, set(journaled_cells)):
                changes[number, _cell_of(move)].insert(0, move)
        elif find_model(row["model"]) is not None:
            records[number].journal["rows"].append({**row, UNPLANNED_KEY: True})
        # What this step found is what the steps before it have left.
        later_values[row_id] = row["fields"]
    for (number, _cell), moves in changes.items():
        records[number].journal["moves"] += _combine(moves)


def _combine(moves: Sequence[StoredRow]) -> list[StoredRow]:
    """Join the moves of one column of one post into one. Return an empty list if the value is as before."""
    first, last = moves[0], moves[-1]
    new_value = last["to"]
    if all(type(move[end]) is int for move in moves for end in ("from", "to")):
        # Other posts may have counted in between.
        new_value = first["from"] + sum(move["to"] - move["from"] for move in moves)
    if new_value == first["from"]:
        return []
    return [{**first, "to": new_value, UNPLANNED_KEY: True}]


def load_current_rows(rows: Iterable[Mapping[str, Any]], using: str) -> dict[RowId, dict[str, Any]]:
    """Return the current values of the columns of stored rows, by row id. Missing rows are left out."""
    current_rows: dict[RowId, dict[str, Any]] = {}
    for label, model_rows in _group_by_model(rows).items():
        model = find_model(label)
        if model is None:
            continue
        names = {name for row in model_rows for name in row["fields"]}
        fields = [field for field in model._meta.local_concrete_fields if field.name in names]
        current = read_rows(model, [deserialize_key(model, row["pk"]) for row in model_rows], fields, using)
        current_rows |= {(label, key): values for key, values in current.items()}
    return current_rows


def _group_by_model(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    rows_by_model: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        rows_by_model.setdefault(row["model"], []).append(row)
    return rows_by_model


def _mark_remaining_rows(
    rows: Sequence[StoredRow], journaled_cells: set[Cell], using: str
) -> list[StoredRow]:
    """Mark the rows that still exist. Return the changes in them."""
    current = load_current_rows(rows, using)
    remaining_rows = [row for row in rows if row_id_of(row) in current]
    for row in remaining_rows:
        row["stays"] = True
    return list(_compare_rows(remaining_rows, current, journaled_cells))


def arrived_row_ids(journal: RecordJournal) -> Iterator[RowId]:
    """Yield the ids at which rows with a moved key are now."""
    # The row that had such an id before is gone.
    yield from (journal.row_id_after(row_id) for row_id in _left_row_ids(journal))


def _left_row_ids(journal: RecordJournal) -> Iterator[RowId]:
    """Yield the ids that rows with a moved key had before."""
    for row_id, _field_name in journal.moves_by_column:
        if journal.row_id_after(row_id) != row_id:
            yield row_id


def _compare_rows(
    rows: Iterable[StoredRow], current: Mapping[RowId, Mapping[str, Any]], journaled_cells: set[Cell]
) -> Iterator[StoredRow]:
    """Yield a move for each column that has changed and is not journalled yet.

    Add it to the journalled cells.
    """
    for row in rows:
        row_id = row_id_of(row)
        model = find_model(row["model"])
        for name in changed_columns(model, row["fields"], current.get(row_id, {})) if model else ():
            if (row_id, name) not in journaled_cells:
                journaled_cells.add((row_id, name))
                yield {
                    "model": row["model"],
                    "pk": row["pk"],
                    "field": name,
                    "from": row["fields"][name],
                    "to": current[row_id][name],
                }


def _cell_of(move: Mapping[str, Any]) -> Cell:
    return row_id_of(move), str(move["field"])

"""Side effects of an action: rows that a model's ``delete()`` left, and what it and ``save()`` changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...models import MergeRecord
from .editor import RecordJournal
from .serialization import (
    RowId,
    deserialize_key,
    find_model,
    is_same_value,
    own_table_fields,
    read_rows,
    row_id_of,
)

Cell = tuple[RowId, str]
StoredRow = dict[str, Any]


def journal_side_effects(records: Sequence[MergeRecord], using: str) -> None:
    """Complete the journals of an action that has just been done, in its transaction.

    Rows that still exist are marked with ``stays``. Changes in them, and in the keeper apart from the
    values that it took, are stored as moves. References that were due to be emptied get the value that they
    have now.
    """
    journaled_cells = {
        _cell_of(move) for record in records for move in record.journal["moves"] if _is_journaled(move)
    }
    arrived_ids = {row_id for record in records for row_id in _arrived_row_ids(RecordJournal(record))}
    for record in records:
        journal = record.journal
        moves = [move for move in journal["moves"] if _is_journaled(move)]
        moves += _load_changes(
            _single_column_rows(move for move in journal["moves"] if not _is_journaled(move)),
            journaled_cells,
            using,
        )
        moves += _load_changes(journal.pop("keeper", []), journaled_cells, using)
        moves += _mark_remaining_rows(
            [row for row in journal["rows"] if row_id_of(row) not in arrived_ids], journaled_cells, using
        )
        journal["moves"] = moves
        record.save(using=using, update_fields=["journal"])


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


def _arrived_row_ids(journal: RecordJournal) -> Iterator[RowId]:
    """Yield the ids at which rows with a moved key are now."""
    # The row that had such an id before is gone.
    for row_id, _field_name in journal.moves_by_column:
        if (new_row_id := journal.row_id_after(row_id)) != row_id:
            yield new_row_id


def _load_changes(rows: Iterable[StoredRow], journaled_cells: set[Cell], using: str) -> list[StoredRow]:
    rows = list(rows)
    return list(_compare_rows(rows, load_current_rows(rows, using), journaled_cells))


def _compare_rows(
    rows: Iterable[StoredRow], current: Mapping[RowId, Mapping[str, Any]], journaled_cells: set[Cell]
) -> Iterator[StoredRow]:
    """Yield a move for each column that has changed and is not journalled yet.

    Add it to the journalled cells.
    """
    for row in rows:
        fields = {field.name: field for field in _own_fields(row["model"])}
        for field_name, current_value in current.get(row_id_of(row), {}).items():
            old_value = row["fields"].get(field_name, current_value)
            if (row_id_of(row), field_name) not in journaled_cells and not is_same_value(
                fields[field_name], old_value, current_value
            ):
                journaled_cells.add((row_id_of(row), field_name))
                yield {
                    "model": row["model"],
                    "pk": row["pk"],
                    "field": field_name,
                    "from": old_value,
                    "to": current_value,
                }


def _own_fields(model_label: str) -> list[Any]:
    model = find_model(model_label)
    return [] if model is None else own_table_fields(model)


def _single_column_rows(moves: Iterable[StoredRow]) -> Iterator[StoredRow]:
    """Yield columns that may change, as rows of one column each."""
    for move in moves:
        yield {"model": move["model"], "pk": move["pk"], "fields": {move["field"]: move["from"]}}


def _cell_of(move: Mapping[str, Any]) -> Cell:
    return row_id_of(move), str(move["field"])


def _is_journaled(move: Mapping[str, Any]) -> bool:
    """Return whether the journal already holds the new value of the column."""
    return bool(move["from"] != move["to"])

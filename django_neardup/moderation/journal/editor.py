"""A record's journal, for look-ups and amendments, and the trail of a column through later journals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...models import MergeRecord
from .serialization import RowId, find_model, row_id_of

StoredRow = dict[str, Any]
SUMS_KEY = "sums"
"""The key of a journal for the amounts that the keeper got (see ``sums``)."""

UNPLANNED_KEY = "unplanned"
"""The key that marks a row or a move as unplanned: the models' own code or the database made the change."""


@dataclass
class RecordJournal:
    """A record's journal, with look-ups by row and by column. ``is_changed`` is True if it was amended."""

    record: MergeRecord
    is_changed: bool = False

    @cached_property
    def deleted_rows(self) -> dict[RowId, StoredRow]:
        """Return the stored rows that were deleted, by row id.

        A row of the post that moved to the keeper is stored too, but it is not gone.
        """
        moved_ids = {row_id for row_id, _ in self.moves_by_column if self.row_id_after(row_id) != row_id}
        return {
            row_id_of(row): row
            for row in self.record.journal.get("rows", ())
            if not row.get("stays") and row_id_of(row) not in moved_ids
        }

    @cached_property
    def own_row_ids(self) -> set[RowId]:
        """Return the ids of the post's own rows."""
        rows = self.record.journal.get("rows", ())
        return {row_id_of(row) for row in rows[: self.record.journal.get("own", 1)]}

    @cached_property
    def moves_by_column(self) -> dict[tuple[RowId, str], StoredRow]:
        return {(row_id_of(move), move["field"]): move for move in self.record.journal.get("moves", ())}

    def row_id_after(self, row_id: RowId) -> RowId:
        """Return the id of a row after this record."""
        label, key = row_id
        model = find_model(label)
        if model is None:
            return row_id
        parts = key if isinstance(key, tuple) else (key,)
        # A moved column may be part of the primary key.
        moves = [self.moves_by_column.get((row_id, pk_field.name)) for pk_field in model._meta.pk_fields]
        new_key = tuple(part if move is None else move["to"] for part, move in zip(parts, moves, strict=True))
        return label, new_key if isinstance(key, tuple) else new_key[0]

    def add_move(self, row: Mapping[str, Any], field_name: str, new_value: Any) -> None:
        """Add a move of a column, as if the record had moved it too."""
        move = {
            "model": row["model"],
            "pk": row["pk"],
            "field": field_name,
            "from": row["fields"][field_name],
            "to": new_value,
        }
        self._replace_list("moves", [*self.record.journal.get("moves", ()), move])

    def set_original_value(self, cell: tuple[RowId, str], value: Any) -> None:
        """Set the old value of a move, as if the record had found it there."""
        self.moves_by_column[cell]["from"] = value
        self.is_changed = True

    def add_row(self, row: StoredRow) -> None:
        """Add a row, as if it had been deleted with this record."""
        self._replace_list("rows", [*self.record.journal["rows"], row])

    def remove_moves(self, cells: Collection[tuple[RowId, str]]) -> None:
        """Remove moves of columns, as if the record had not moved them."""
        moves = self.record.journal["moves"]
        self._replace_list("moves", [move for move in moves if (row_id_of(move), move["field"]) not in cells])

    def remove_rows(self, row_ids: Collection[RowId]) -> None:
        """Remove rows, as if they had not been deleted with this record."""
        own_count = len(self.own_row_ids - set(row_ids))
        self._replace_list(
            "rows", [row for row in self.record.journal["rows"] if row_id_of(row) not in row_ids]
        )
        self.record.journal["own"] = own_count

    def set_value(self, row_id: RowId, field_name: str, value: Any) -> None:
        """Set a value of a deleted row, as if the row had been deleted with it."""
        self.deleted_rows[row_id]["fields"][field_name] = value
        self.is_changed = True

    def _replace_list(self, journal_key: str, entries: list[StoredRow]) -> None:
        self.record.journal[journal_key] = entries
        self.is_changed = True
        for attribute in ("deleted_rows", "own_row_ids", "moves_by_column"):
            self.__dict__.pop(attribute, None)


@dataclass
class MovedColumn:
    """Where a column that a record moved is now, and the value that it has if no other edit changed it.

    ``keeping_journal`` is the later journal that holds the row. It is None if the row should be in its
    table. ``later_moves`` are the journals that moved the column on, each with the id of the row at that
    time, and ``passed_values`` the values that it had before these. ``overriding_journal`` belongs to a later
    merge into the same post, which has set the column. The trail ends there.
    """

    row_id: RowId
    expected_value: Any
    keeping_journal: RecordJournal | None = None
    overriding_journal: RecordJournal | None = None
    later_moves: list[tuple[RecordJournal, RowId]] = field(default_factory=list)
    passed_values: list[Any] = field(default_factory=list)

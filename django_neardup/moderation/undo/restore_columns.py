"""The columns that an undo restores, if they still are as the action, or a later merge, left them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import FieldDoesNotExist

from ..journal.editor import UNPLANNED_KEY, MovedColumn, RecordJournal
from ..journal.later_records import LaterRecords
from ..journal.serialization import (
    RowId,
    field_of_move,
    find_model,
    is_same_value,
    primary_key_names,
    row_id_of,
    stored_value,
)
from ..journal.side_effects import load_current_rows
from ..trees import is_derived_place
from .counters import EFFECTS_KEY, is_share, with_share
from .leftovers import RETURNS_LATER, ROW_DELETED, ROW_EDITED, SET_BY_LATER_MERGE, UndoReport

StoredRow = dict[str, Any]
FollowedMove = tuple[Mapping[str, Any], MovedColumn]


@dataclass
class ColumnRestore:
    """A row with columns that go back: its current id, and their stored values by name.

    ``is_planned`` is True if one of them was in the plan of the action. Counters that get a share have their
    ``values_before``, and are ``relative`` if what triggers add meanwhile comes on top.
    """

    row_id: RowId
    values: StoredRow = field(default_factory=dict)
    is_planned: bool = False
    values_before: StoredRow = field(default_factory=dict)
    relative: set[str] = field(default_factory=set)

    @property
    def row_id_after(self) -> RowId:
        """Return the id of the row after the restore."""
        return row_id_with(self.row_id, self.values)


class ColumnRestorer:
    """The moves of a record, followed to where the columns are now.

    ``column_restores`` are rows that exist, by current id, and ``share_restores`` those with counters that get a
    share back. ``values_in_journals`` are rows that a later
    action took along and that come back with this undo. It maps the id of the later record to the values
    that go back, by row id.
    """

    def __init__(
        self, later_records: LaterRecords, returning_row_ids: set[RowId], report: UndoReport
    ) -> None:
        self.later_records, self.returning_row_ids, self.report = later_records, returning_row_ids, report
        self.column_restores: dict[RowId, ColumnRestore] = {}
        self.share_restores: dict[RowId, ColumnRestore] = {}
        self.values_in_journals: defaultdict[int, dict[RowId, StoredRow]] = defaultdict(dict)
        self._moved_columns: dict[tuple[RowId, str], MovedColumn] = {}
        self._follow_moves()

    def _follow_moves(self) -> None:
        moves = self.later_records.journals[self.later_records.record.pk].record.journal.get("moves", ())
        moves = [move for move in moves if _has_field(move)]
        self._replanned_rows = self._find_replanned_rows(moves)
        followed_moves = [(move, self._follow(move)) for move in moves]
        current = load_current_rows(
            _rows_to_read(followed for followed in followed_moves if followed[1].keeping_journal is None),
            self.later_records.using,
        )
        followed_moves = [
            (move, self._follow_further(move, moved_column, current)) for move, moved_column in followed_moves
        ]
        missing_moves = [
            followed
            for followed in followed_moves
            if followed[1].keeping_journal is None and followed[1].row_id not in current
        ]
        keeping_journals = self.later_records.find_journals(
            {moved_column.row_id for _move, moved_column in missing_moves} - self.returning_row_ids
        )
        for move, moved_column in followed_moves:
            journal = moved_column.keeping_journal or keeping_journals.get(moved_column.row_id)
            if self._is_share(move) and moved_column.row_id in current:
                self._give_back_share(move, moved_column.row_id, current[moved_column.row_id])
            elif self._is_share(move) and journal is not None:
                stored = stored_value(journal.deleted_rows[moved_column.row_id], move["field"])
                if (value := with_share(move, stored)) is not None:
                    journal.set_value(moved_column.row_id, move["field"], value)
            elif moved_column.overriding_journal is not None:
                moved_column.overriding_journal.set_original_value(
                    (moved_column.row_id, move["field"]), move["from"]
                )
                self._report(SET_BY_LATER_MERGE, moved_column.row_id, move["field"])
            elif moved_column.keeping_journal is None and moved_column.row_id in current:
                self._restore_in_table(move, moved_column, current[moved_column.row_id])
            elif journal is not None:
                self._restore_in_journal(move, moved_column, journal)
            elif moved_column.row_id not in self.returning_row_ids:
                self.report.add(ROW_DELETED, moved_column.row_id)

    def _find_replanned_rows(self, moves: Sequence[Mapping[str, Any]]) -> set[RowId]:
        """Return the rows with a planned column that does not hold the value of this record any more."""
        share_rows = {row_id_of(move) for move in moves if is_share(move)}
        planned_moves = [
            (move, self.later_records.follow_move(move))
            for move in moves
            if row_id_of(move) in share_rows and not move.get(UNPLANNED_KEY)
        ]
        current = load_current_rows(_rows_to_read(planned_moves), self.later_records.using)
        return {
            row_id_of(move)
            for move, moved_column in planned_moves
            if self._state(move, moved_column, current) != "ours"
        }

    def _is_share(self, move: Mapping[str, Any]) -> bool:
        """Return whether a move is a share of a counter.

        A number may also be computed from a planned column, such as the width of an image. It is no share if that
        column has another value by now.
        """
        return is_share(move) and row_id_of(move) not in self._replanned_rows

    def _follow(self, move: Mapping[str, Any]) -> MovedColumn:
        if self._is_share(move):
            return self.later_records.follow_move_everywhere(move)
        return self.later_records.follow_move(move)

    def _follow_further(
        self, move: Mapping[str, Any], moved_column: MovedColumn, current: Mapping[RowId, StoredRow]
    ) -> MovedColumn:
        """Follow the column through all later merges if it is not as the chain of the keeper left it.

        Return the old result if that finds no later journal.
        """
        if self._is_share(move) or self._is_unchanged(move, moved_column, current):
            return moved_column
        further = self.later_records.follow_move_everywhere(move)
        return (
            moved_column
            if further.keeping_journal is None and further.overriding_journal is None
            else further
        )

    def _is_unchanged(
        self, move: Mapping[str, Any], moved_column: MovedColumn, current: Mapping[RowId, StoredRow]
    ) -> bool:
        """Return whether the column is where its trail ends, without another edit."""
        return self._state(move, moved_column, current) not in ("edited", "missing")

    def _state(
        self, move: Mapping[str, Any], moved_column: MovedColumn, current: Mapping[RowId, StoredRow]
    ) -> str:
        """Return the state of the column where its trail ends, or "missing" if its row is not there."""
        if moved_column.keeping_journal is not None:
            stored = stored_value(
                moved_column.keeping_journal.deleted_rows[moved_column.row_id], move["field"]
            )
        elif moved_column.row_id in current:
            stored = current[moved_column.row_id][move["field"]]
        else:
            return "missing"
        return self._column_state(move, moved_column, stored)

    def _give_back_share(self, move: Mapping[str, Any], row_id: RowId, values: StoredRow) -> None:
        field_name = move["field"]
        value = with_share(move, values[field_name])
        if value is None:
            self._report(ROW_EDITED, row_id, field_name)
            return
        restore = self.share_restores.setdefault(row_id, ColumnRestore(row_id))
        restore.values[field_name], restore.values_before[field_name] = value, values[field_name]
        if EFFECTS_KEY in move:
            restore.relative.add(field_name)

    def _report(self, reason: Any, row_id: RowId, field_name: str) -> None:
        """Report a column that is left as it is, unless the undo sets it by counting nodes of a tree."""
        model = find_model(row_id[0])
        if model is None or not is_derived_place(model, field_name):
            self.report.add(reason, row_id, field_name)

    def leave_column(self, row_id: RowId, field_name: str, reason: Any) -> None:
        """Do not restore a column after all. Report the reason."""
        self.report.add(reason, row_id, field_name)
        del self.column_restores[row_id].values[field_name], self._moved_columns[row_id, field_name]
        if not self.column_restores[row_id].values:
            del self.column_restores[row_id]

    def leave_to_journal(self, row_id: RowId, field_name: str, journal: RecordJournal) -> None:
        """Leave a column to a later undo, as if its record had moved it."""
        row = {
            "model": row_id[0],
            "pk": row_id[1],
            "fields": {field_name: self.column_restores[row_id].values[field_name]},
        }
        journal.add_move(row, field_name, self._moved_columns[row_id, field_name].expected_value)
        self.leave_column(row_id, field_name, RETURNS_LATER)

    def update_later_journals(self) -> None:
        """Remove the restored columns from later journals."""
        cells_by_record: defaultdict[int, set[tuple[RowId, str]]] = defaultdict(set)
        for (_row_id, field_name), moved_column in self._moved_columns.items():
            for journal, earlier_row_id in moved_column.later_moves:
                cells_by_record[journal.record.pk].add((earlier_row_id, field_name))
        for pk, cells in cells_by_record.items():
            journal = self.later_records.journals[pk]
            # A child row of the later post with a new key came with this record, and does not belong to that
            # post.
            journal.remove_rows(
                {row_id for row_id, name in cells if name in primary_key_names(row_id)} & journal.own_row_ids
            )
            journal.remove_moves(cells)

    def _restore_in_table(
        self, move: Mapping[str, Any], moved_column: MovedColumn, values: StoredRow
    ) -> None:
        match self._column_state(move, moved_column, values[move["field"]]):
            case "ours":
                restore = self.column_restores.setdefault(
                    moved_column.row_id, ColumnRestore(moved_column.row_id)
                )
                restore.values[move["field"]] = move["from"]
                restore.is_planned |= not move.get(UNPLANNED_KEY)
                self._moved_columns[moved_column.row_id, move["field"]] = moved_column
            case "edited":
                self._report(ROW_EDITED, moved_column.row_id, move["field"])

    def _restore_in_journal(
        self, move: Mapping[str, Any], moved_column: MovedColumn, journal: RecordJournal
    ) -> None:
        """Restore a column of a row that a later action took along."""
        field_name, row_id = move["field"], moved_column.row_id
        is_key = field_name in primary_key_names(row_id)
        stored = stored_value(journal.deleted_rows[row_id], field_name)
        state = self._column_state(move, moved_column, stored)
        if any(is_same_value(field_of_move(move), stored, value) for value in moved_column.passed_values):
            # The row was gone before a record of the same batch moved it on.
            state = "ours"
        if state == "edited":
            self._report(ROW_EDITED, row_id, field_name)
        elif state == "ours" and row_id in journal.own_row_ids and not is_key:
            # The row belongs to the post of the later action, which stays away: change it in the journal.
            journal.set_value(row_id, field_name, move["from"])
            self._moved_columns[row_id, field_name] = moved_column
        elif state == "ours":
            # Any other row comes back with this undo.
            self.values_in_journals[journal.record.pk].setdefault(row_id, {})[field_name] = move["from"]
            self._moved_columns[row_id, field_name] = moved_column

    def _column_state(self, move: Mapping[str, Any], moved_column: MovedColumn, stored: Any) -> str:
        """Return "ours" if the column holds the expected value, and "edited" if it holds another one.

        Return "" if it holds the old value already.
        """
        field = field_of_move(move)
        if is_same_value(field, stored, moved_column.expected_value):
            return "ours"
        return "" if is_same_value(field, stored, move["from"]) else "edited"


def row_id_with(row_id: RowId, values: Mapping[str, Any]) -> RowId:
    """Return the id of a row after its columns get the values."""
    label, key = row_id
    names = primary_key_names(row_id)
    parts = key if isinstance(key, tuple) else (key,)
    new_key = tuple(values.get(name, part) for name, part in zip(names, parts, strict=True))
    return label, new_key if isinstance(key, tuple) else new_key[0]


def _has_field(move: Mapping[str, Any]) -> bool:
    """Return whether the site still has the column."""
    try:
        field_of_move(move)
    except (LookupError, FieldDoesNotExist):
        return False
    return True


def _rows_to_read(followed_moves: Iterable[FollowedMove]) -> Iterable[StoredRow]:
    for move, moved_column in followed_moves:
        yield {"model": moved_column.row_id[0], "pk": moved_column.row_id[1], "fields": {move["field"]: None}}

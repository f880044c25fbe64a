"""Rows that an undo inserts again, and what they need: keys, unique values, the rows that they reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from django.utils.translation import gettext as _

from ...models import MergeRecord
from ..admin_log import number_in_message
from ..dependencies import (
    ReferenceTarget,
    existing_values,
    has_missing_file,
    model_of_row,
    offered_targets,
    referenced_targets,
    with_dependent_rows,
)
from ..journal.editor import RecordJournal
from ..journal.later_records import LaterRecords
from ..journal.serialization import RowId, find_model, row_id_of, serialize_key, stored_key
from ..journal.side_effects import load_current_rows
from ..relations import ModelType
from .leftovers import (
    FILE_MISSING,
    OWNER_GONE,
    REFERENCE_EMPTIED,
    REFERENCE_MOVED_TO_KEEPER,
    RETURNS_LATER,
    VALUE_IN_USE,
    UndoReport,
)
from .restore_columns import ColumnRestorer, row_id_with
from .unique_holders import find_value_holders, unique_column_values

StoredRow = dict[str, Any]


class RowRestorer:
    """The rows of a record that come back.

    If ``reasons`` is not empty, neither the post nor any row comes back.
    """

    def __init__(self, later_records: LaterRecords, report: UndoReport) -> None:
        self.later_records, self.using, self.report = later_records, later_records.using, report
        self.journal = later_records.journals[later_records.record.pk]
        self.reasons: list[str] = []
        self.own_row_ids: set[RowId] = set()
        self.rows: dict[RowId, StoredRow] = {}
        for row in _deleted_rows(self.journal, self.using):
            self.rows[row_id_of(row)] = deepcopy(row)
        self.own_row_ids = self.journal.own_row_ids & set(self.rows)
        self._taken_rows: list[tuple[RecordJournal, StoredRow]] = []

    def resolve_obstacles(self, column_restorer: ColumnRestorer) -> None:
        """Drop rows that cannot come back, and repair references that have lost their target."""
        for restore in column_restorer.column_restores.values():
            # One of the post's own rows moved to the keeper. It goes back and is not inserted.
            self.rows.pop(restore.row_id_after, None)
        self._take_from_later_journals(column_restorer)
        self._check_restored_values(column_restorer)
        self._check_keys(column_restorer)
        while self._check_references(column_restorer):
            pass
        self._check_reference_targets(column_restorer)
        for row_id, row in self.rows.items():
            if has_missing_file(row):
                self.report.add(FILE_MISSING, row_id)

    def _take_from_later_journals(self, column_restorer: ColumnRestorer) -> None:
        """Take rows that later actions took along, with their dependent rows, out of the later journals."""
        for pk, restored_values in column_restorer.values_in_journals.items():
            journal = self.later_records.journals[pk]
            row_ids = with_dependent_rows(journal.deleted_rows, set(restored_values), journal.own_row_ids)
            rows = {
                row_id: deepcopy(journal.deleted_rows[row_id])
                for row_id in journal.deleted_rows
                if row_id in row_ids
            }
            self._taken_rows += ((journal, journal.deleted_rows[row_id]) for row_id in restored_values)
            journal.remove_rows(row_ids)
            for row_id, row in rows.items():
                restored_row = _with_values(row, restored_values.get(row_id, {}))
                self.rows[row_id_of(restored_row)] = restored_row

    def _check_restored_values(self, column_restorer: ColumnRestorer) -> None:
        """Leave a column unchanged if another row has got its old unique value since."""
        for row_id, restore in list(column_restorer.column_restores.items()):
            model = model_of_row(row_id)
            for field_name in list(restore.values):
                field: Any = model._meta.get_field(field_name)
                if not (field.unique and not field.is_relation) or restore.values[field_name] is None:
                    continue
                row = {
                    "model": row_id[0],
                    "pk": row_id[1],
                    "fields": {field_name: restore.values[field_name]},
                }
                if self._find_holder(row, column_restorer):
                    column_restorer.leave_column(row_id, field_name, VALUE_IN_USE)

    def _check_keys(self, column_restorer: ColumnRestorer) -> None:
        """Check whether other rows now use the primary keys and unique values of the rows."""
        existing_ids = set(
            load_current_rows(({**row, "fields": {}} for row in self.rows.values()), self.using)
        )
        for row_id in list(self.rows):
            restore = column_restorer.column_restores.get(row_id)
            if row_id in existing_ids and (restore is None or restore.row_id_after == row_id):
                self._refuse_or_postpone(
                    row_id, row_id, _("%(post)s cannot be restored: its key is in use again.")
                )
            elif row_id in self.rows and (
                holder_row_id := self._find_holder(self.rows[row_id], column_restorer)
            ):
                message = _("%(post)s cannot be restored: another row has a value that must be unique.")
                self._refuse_or_postpone(row_id, holder_row_id, message)

    def _find_holder(self, row: StoredRow, column_restorer: ColumnRestorer) -> RowId | None:
        """Return the id of a row that holds a unique value of ``row`` and keeps it.

        Return None without one.
        """
        for holder_row_id, column_names in find_value_holders(model_of_row(row_id_of(row)), row, self.using):
            restore = column_restorer.column_restores.get(holder_row_id)
            if restore is None or not column_names & set(restore.values):
                return holder_row_id
        return None

    def _refuse_or_postpone(self, row_id: RowId, holder_row_id: RowId, sentence: str) -> None:
        """Refuse the undo if the row is the post's own. Otherwise leave the row out.

        The row then comes back with the undo of a later merge. That merge removed a row with the same
        unique value, which goes back with this undo, or it moved the holder to where it is. Without such a
        merge the row does not come back.
        """
        if row_id in self.own_row_ids:
            self.reasons.append(sentence % {"post": describe_post(self.later_records.record)})
        elif row_id in self.rows:
            journal = self._journal_with_same_values(row_id) or self.later_records.find_moving_journal(
                holder_row_id
            )
            self._leave_out_row(row_id, journal, VALUE_IN_USE if journal is None else RETURNS_LATER)

    def _journal_with_same_values(self, row_id: RowId) -> RecordJournal | None:
        """Return the journal that held a row, taken from it now, with a unique value that this row needs.

        Return None if no journal did.
        """
        model = model_of_row(row_id)
        needed_values = unique_column_values(model, self.rows[row_id])
        journals = (
            journal
            for journal, taken_row in self._taken_rows
            if taken_row["model"] == row_id[0] and needed_values & unique_column_values(model, taken_row)
        )
        return next(journals, None)

    def _leave_out_row(self, row_id: RowId, journal: RecordJournal | None, reason: Any) -> None:
        """Leave out a row that is not the post's own, and its dependent rows.

        The journal keeps them, if given.
        """
        self.report.add(reason, row_id)
        for dependent_id in with_dependent_rows(self.rows, {row_id}, self.own_row_ids):
            row = self.rows.pop(dependent_id)
            if journal is not None:
                journal.add_row(row)

    def _check_references(self, column_restorer: ColumnRestorer) -> bool:
        """Check the references of all rows once. Return whether a row was left out.

        Other rows may then have lost their target.
        """
        lost_references = self._missing_references(
            (
                (row_id, field_name, target)
                for row_id, row in self.rows.items()
                for field_name, target in referenced_targets(row)
            ),
            column_restorer,
        )
        row_count = len(self.rows)
        # A row that has to wait for one target is not pointed at the keeper of another: it waits as it was.
        for row_id, field_name, target in sorted(lost_references, key=self._can_point_at_keeper):
            if row_id in self.rows:
                self._repair_reference(row_id, field_name, target, column_restorer)
        return len(self.rows) < row_count

    def _repair_reference(
        self, row_id: RowId, field_name: str, target: ReferenceTarget, column_restorer: ColumnRestorer
    ) -> None:
        """Repair a reference with a target that is gone.

        Point it at the post that stayed, or empty it. If neither is possible, leave the row to the record
        that took its target along.
        """
        row = self.rows[row_id]
        field: Any = model_of_row(row_id)._meta.get_field(field_name)
        journal = self._later_journal_with(target)
        later_move = (
            journal.moves_by_column.get((row_id, field_name))
            if journal and field_name in row["fields"]
            else None
        )
        if later_move is not None and (
            later_move["to"] is None or self._is_available(target, later_move["to"], column_restorer)
        ):
            # The record that took the target along has moved this reference: follow that move.
            row["fields"][field_name] = later_move["to"]
            self.report.add(
                REFERENCE_EMPTIED if later_move["to"] is None else REFERENCE_MOVED_TO_KEEPER,
                row_id,
                field_name,
            )
        elif field_name in row["fields"] and self._point_at_keeper(row, field, target, column_restorer):
            self.report.add(REFERENCE_MOVED_TO_KEEPER, row_id, field_name)
        elif field_name in row["fields"] and field.null:
            if journal:
                journal.add_move(row, field_name, None)
            row["fields"][field_name] = None
            self.report.add(REFERENCE_EMPTIED, row_id, field_name)
        elif getattr(field, "db_constraint", True):
            self._leave_out_or_refuse(row_id, journal, str(field.verbose_name))

    def _can_point_at_keeper(self, reference: tuple[RowId, str, ReferenceTarget]) -> bool:
        _row_id, _field_name, target = reference
        journal = self._journal_keeping(target)
        return journal is not None and journal.record.action == MergeRecord.Action.MERGE

    def _leave_out_or_refuse(
        self, row_id: RowId, target_journal: RecordJournal | None, field_label: str
    ) -> None:
        if row_id in self.own_row_ids:
            message = _("%(post)s cannot be restored: its target (%(field)s) no longer exists.")
            self.reasons.append(
                message % {"post": describe_post(self.later_records.record), "field": field_label}
            )
            return
        journal = self._journal_with_same_values(row_id) or target_journal
        self._leave_out_row(row_id, journal, OWNER_GONE if journal is None else RETURNS_LATER)

    def _point_at_keeper(
        self, row: StoredRow, field: Any, target: ReferenceTarget, column_restorer: ColumnRestorer
    ) -> bool:
        """Point the row at the post that its target was merged into. Return whether that was possible.

        The moves are added to the journals of these merges, so that their undos revert them.
        """
        model, attname, value = target
        moves: list[tuple[RecordJournal, Any, Any]] = []
        while not self._is_available(target, value, column_restorer):
            keeping_journal = self._journal_keeping((model, attname, value))
            if keeping_journal is None or keeping_journal.record.action != MergeRecord.Action.MERGE:
                return False
            keeper_key = serialize_key(
                model,
                model._meta.pk.to_python(self.later_records.keeper_id_as(keeping_journal.record, model)),
            )
            moves.append((keeping_journal, value, keeper_key))
            value = keeper_key
        changed_row = {**row, "fields": {**row["fields"], field.name: value}}
        if self._find_holder(changed_row, column_restorer):
            return False
        for keeping_journal, old_value, keeper_key in moves:
            row["fields"][field.name] = old_value
            keeping_journal.add_move(row, field.name, keeper_key)
        row["fields"][field.name] = value
        return True

    def _check_reference_targets(self, column_restorer: ColumnRestorer) -> None:
        """Leave a reference unchanged if its old target is gone.

        It goes back when the target comes back with a later undo.
        """
        references = (
            (row_id, field_name, target)
            for row_id, restore in column_restorer.column_restores.items()
            for field_name, target in referenced_targets(
                {"model": row_id[0], "pk": row_id[1], "fields": restore.values}
            )
            if field_name in restore.values
        )
        for row_id, field_name, target in self._missing_references(references, column_restorer):
            if (journal := self._later_journal_with(target)) is not None:
                column_restorer.leave_to_journal(row_id, field_name, journal)
            else:
                column_restorer.leave_column(row_id, field_name, OWNER_GONE)

    def _missing_references(
        self, references: Iterable[tuple[RowId, str, ReferenceTarget]], column_restorer: ColumnRestorer
    ) -> list[tuple[RowId, str, ReferenceTarget]]:
        """Return the references with a target that neither exists nor comes back."""
        returning_targets = self._returning_targets(column_restorer)
        open_references = [reference for reference in references if reference[2] not in returning_targets]
        values: defaultdict[tuple[ModelType, str], set[Any]] = defaultdict(set)
        for _row_id, _field_name, (model, attname, value) in open_references:
            values[model, attname].add(value)
        existing_targets = {
            (model, attname, value)
            for (model, attname), column_values in values.items()
            for value in existing_values(model, attname, column_values, self.using)
        }
        return [reference for reference in open_references if reference[2] not in existing_targets]

    def _returning_targets(self, column_restorer: ColumnRestorer) -> set[ReferenceTarget]:
        targets = {target for row in self.rows.values() for target in offered_targets(row)}
        for restore in column_restorer.column_restores.values():
            model = model_of_row(restore.row_id)
            if restore.row_id_after != restore.row_id and len(model._meta.pk_fields) == 1:
                targets.add((model, model._meta.pk.attname, restore.row_id_after[1]))
        return targets

    def _is_available(self, target: ReferenceTarget, value: Any, column_restorer: ColumnRestorer) -> bool:
        model, attname, _value = target
        needed_target = (model, attname, value)
        return needed_target in self._returning_targets(column_restorer) or bool(
            existing_values(model, attname, {value}, self.using)
        )

    def _later_journal_with(self, target: ReferenceTarget) -> RecordJournal | None:
        """Return the later journal that brings the referenced row back. Return None without one."""
        row_id = _row_id_of_target(target)
        return None if row_id is None else self.later_records.find_journals([row_id]).get(row_id)

    def _journal_keeping(self, target: ReferenceTarget) -> RecordJournal | None:
        """Return the journal that holds the referenced row as a post's own row. Return None without one."""
        row_id = _row_id_of_target(target)
        return None if row_id is None else self.later_records.find_keeping_journals({row_id}).get(row_id)


def _row_id_of_target(target: ReferenceTarget) -> RowId | None:
    """Return the id of the referenced row. Return None if it is not referenced by its primary key."""
    model, attname, value = target
    return (model._meta.label_lower, value) if attname == model._meta.pk.attname else None


def describe_post(record: MergeRecord) -> str:
    """Return the record's post by its number, although it no longer exists.

    A person who may undo may lack the permission to read its title.
    """
    return number_in_message(record.loser_type.name, record.loser_id)


def _deleted_rows(journal: RecordJournal, using: str) -> Iterator[StoredRow]:
    """Yield the record's rows that no longer exist, also rows that were purged after a soft deletion."""
    rows = journal.record.journal.get("rows", ())
    remaining_rows = load_current_rows([row for row in rows if row.get("stays")], using)
    for row in rows:
        if row_id_of(row) not in remaining_rows and find_model(row["model"]) is not None:
            yield row


def _with_values(row: StoredRow, values: Mapping[str, Any]) -> StoredRow:
    """Return the stored row with the values. They may be part of its primary key."""
    fields = {name: values.get(name, value) for name, value in row["fields"].items()}
    key = row_id_with(row_id_of(row), values)[1]
    return {**row, "pk": stored_key(key), "fields": fields}

"""Later records that moved or deleted what an undo looks for. The undo amends their journals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import zip_longest
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from ...db.chunks import chunked
from ...models import MergeRecord
from ...pipeline import canonical_id
from ...pipeline.record_keys import keeper_id_for_model, loser_id_for_model
from ..relations import PORTION, ModelType
from .editor import MovedColumn, RecordJournal
from .record_chains import (
    has_separate_keys,
    merged_into_keeper_q,
    next_record_on_keeper,
    related_model_records_q,
)
from .serialization import RowId, deserialize_key, find_model, is_same_value, row_id_of


class LaterRecords:
    """The records in force that took over what one record had moved.

    ``keeper_chain`` holds the later records of its keeper, one after another. ``sibling_merges`` are later
    merges into the same posts.
    """

    def __init__(self, record: MergeRecord, using: str, *, lock_rows: bool) -> None:
        self.record, self.using, self.lock_rows = record, using, lock_rows
        self.journals = {record.pk: RecordJournal(record)}
        self._records_by_row: dict[str, dict[RowId, int]] = {}
        self.keeper_chain = list(self._read_keeper_chain())

    @cached_property
    def sibling_merges(self) -> list[RecordJournal]:
        """Return the journals of later merges into the same posts."""
        journals: list[RecordJournal] = []
        chain = [self.record, *(journal.record for journal in self.keeper_chain)]
        for record, next_record in zip_longest(chain, chain[1:]):
            merges = self._records_in_force().filter(
                merged_into_keeper_q(record, self.using), pk__gt=record.pk
            )
            if next_record is not None:
                merges = merges.filter(pk__lt=next_record.pk)
            journals += [self._journal_of(merge) for merge in merges.order_by("pk")]
        return journals

    def follow_move(self, move: Mapping[str, Any]) -> MovedColumn:
        """Follow a move of the record through the chain of its keeper."""
        return self._follow_move(move, self.keeper_chain)

    def follow_move_everywhere(self, move: Mapping[str, Any]) -> MovedColumn:
        """Follow a move of the record through all later merges, and later records of the same batch."""
        return self._follow_move(move, self._all_journals)

    @cached_property
    def _all_journals(self) -> list[RecordJournal]:
        batch = self._records_in_force().filter(batch=self.record.batch, pk__gt=self.record.pk)
        journals = [*self.keeper_chain, *self.sibling_merges, *map(self._journal_of, batch)]
        return sorted(
            {journal.record.pk: journal for journal in journals}.values(),
            key=lambda journal: journal.record.pk,
        )

    def _follow_move(self, move: Mapping[str, Any], journals: Iterable[RecordJournal]) -> MovedColumn:
        field_name = move["field"]
        moved_column = MovedColumn(self.journals[self.record.pk].row_id_after(row_id_of(move)), move["to"])
        for journal in journals:
            if moved_column.row_id in journal.deleted_rows:
                moved_column.keeping_journal = journal
                break
            later_move = journal.moves_by_column.get((moved_column.row_id, field_name))
            if later_move is not None and _starts_from_value(later_move, moved_column.expected_value):
                if journal not in self.keeper_chain:
                    moved_column.overriding_journal = journal
                    break
                moved_column.passed_values.append(moved_column.expected_value)
                moved_column.expected_value = later_move["to"]
                moved_column.later_moves.append((journal, moved_column.row_id))
            moved_column.row_id = journal.row_id_after(moved_column.row_id)
        return moved_column

    def find_keeping_journals(self, row_ids: Collection[RowId]) -> dict[RowId, RecordJournal]:
        """Return by row id the journals of posts that own those rows.

        Such a post was merged or deleted itself.
        """
        journals_by_row_id: dict[RowId, RecordJournal] = {}
        records = {
            record.pk: record
            for condition in self._record_filters(row_ids)
            for record in self._records_in_force().filter(condition)
        }
        for _pk, record in sorted(records.items()):
            journal = self._journal_of(record)
            journals_by_row_id |= {
                row_id: journal
                for row_id in journal.own_row_ids & set(row_ids)
                if row_id in journal.deleted_rows
            }
        return journals_by_row_id

    def find_journals(self, row_ids: Collection[RowId]) -> dict[RowId, RecordJournal]:
        """Return by row id the journals that hold those rows: those of the posts that own them come first."""
        journals = self.find_keeping_journals(row_ids)
        others = {row_id: self.find_journal_with(row_id) for row_id in row_ids if row_id not in journals}
        return journals | {row_id: journal for row_id, journal in others.items() if journal is not None}

    def find_journal_with(self, row_id: RowId) -> RecordJournal | None:
        """Return the journal of the later record that deleted a row. Return None without one.

        Journals that are amended already come first.
        """
        journals = [
            journal
            for journal in self.journals.values()
            if journal.record.pk != self.record.pk and row_id in journal.deleted_rows
        ]
        if journals:
            return journals[0]
        pk = self._find_records_with_rows_of(row_id[0]).get(row_id)
        if pk is None or pk in self.journals:
            return None
        journal = self._journal_of(self._records_in_force().get(pk=pk))
        return journal if row_id in journal.deleted_rows else None

    def _find_records_with_rows_of(self, label: str) -> dict[RowId, int]:
        """Return the later records in force that took rows of a model along, by row id. They are read once."""
        if label not in self._records_by_row:
            records = (
                MergeRecord.objects.using(self.using)
                .filter(undone=None, pk__gt=self.record.pk)
                .exclude(action=MergeRecord.Action.HIDE)
                .annotate(journal_text=Cast("journal", TextField()))
                .filter(journal_text__contains=f'"{label}"')
                .order_by("pk")
                .values_list("pk", "journal")
            )
            self._records_by_row[label] = {
                row_id_of(row): pk
                for pk, journal in records.iterator(PORTION)
                for row in journal.get("rows", ())
                if row["model"] == label
            }
        return self._records_by_row[label]

    def _record_filters(self, row_ids: Collection[RowId]) -> Iterator[Q]:
        """Yield conditions for the records of posts with those rows, in portions."""
        ids_by_model: defaultdict[ModelType, set[str]] = defaultdict(set)
        for label, key in row_ids:
            if (model := find_model(label)) is not None:
                ids_by_model[model].add(canonical_id(deserialize_key(model, key)))
        for portion in chunked(sorted(set().union(*ids_by_model.values())), PORTION):
            yield Q(loser_id__in=portion)
        for model in filter(has_separate_keys, ids_by_model):
            for portion in chunked(sorted(ids_by_model[model]), PORTION):
                yield related_model_records_q(model, portion, self.using)

    def keeper_id_as(self, record: MergeRecord, model: ModelType) -> str:
        """Return the canonical id of the record's keeper as a post of the model."""
        if not has_separate_keys(model):
            return str(record.keeper_id)
        # If the keeper is gone, the journal of its next record holds its key under that model.
        next_record = next_record_on_keeper(record, self._records_in_force(), self.using)
        return (
            keeper_id_for_model(record, model, self.using)
            if next_record is None
            else loser_id_for_model(next_record, model)
        )

    def find_moving_journal(self, row_id: RowId) -> RecordJournal | None:
        """Return the journal of the merge that moved a row to its current id. Return None if no merge did.

        The merge has the same keeper, or a later one.
        """
        sibling_records = self._records_in_force().filter(merged_into_keeper_q(self.record, self.using))
        for journal in [
            *(self._journal_of(sibling_record) for sibling_record in sibling_records),
            *self.keeper_chain,
        ]:
            if journal.record.emptied is None and any(
                journal.row_id_after(old_row_id) == row_id
                for old_row_id, _name in journal.moves_by_column
                if old_row_id[0] == row_id[0]
            ):
                return journal
        return None

    def save_journals(self) -> None:
        """Save the amended journals of the later records."""
        for journal in self.journals.values():
            if journal.is_changed and journal.record.pk != self.record.pk:
                journal.record.save(using=self.using, update_fields=["journal"])

    def _read_keeper_chain(self) -> Iterable[RecordJournal]:
        current_record: MergeRecord | None = self.record
        while current_record is not None and current_record.action == MergeRecord.Action.MERGE:
            current_record = next_record_on_keeper(current_record, self._records_in_force(), self.using)
            if current_record is not None:
                yield self._journal_of(current_record)

    def _records_in_force(self) -> QuerySet[MergeRecord]:
        rows = MergeRecord.objects.using(self.using).filter(undone=None).exclude(pk=self.record.pk)
        rows = rows.exclude(action=MergeRecord.Action.HIDE)
        return rows.select_for_update() if self.lock_rows else rows

    def _journal_of(self, record: MergeRecord) -> RecordJournal:
        return self.journals.setdefault(record.pk, RecordJournal(record))


def _starts_from_value(move: Mapping[str, Any], value: Any) -> bool:
    model = find_model(move["model"])
    return model is not None and is_same_value(model._meta.get_field(move["field"]), move["from"], value)

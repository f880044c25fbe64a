"""Removal of an erased post's words from journals: its own are emptied, those of other posts lose only its values."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.utils import timezone

from ...models import MergeRecord
from ...pipeline.emptied_journals import empty_journal, is_moved_reference, own_rows_of
from ..addresses import MOVED_URLS_KEY
from ..journal.editor import UNPLANNED_KEY
from ..journal.serialization import RowId, row_id_of, serialize_key
from .post_rows import PostRows

StoredRow = dict[str, Any]
Cell = tuple[RowId, str]

_WORD = re.compile(r"[^\W_]{3,}")

REDIRECTS_KEY = "redirects"
"""The key of a journal for the redirects that were written for the record: the new path by the old one."""


class LostValue(NamedTuple):
    """A value that the undo of another post's record does not restore any more."""

    record: MergeRecord
    row_id: RowId
    field_name: str

    def __str__(self) -> str:
        label, key = self.row_id
        return f"{label} {key}, {self.field_name}"


class JournalCleaning:
    """One pass over the records of a database, oldest first.

    A merge may have copied values of an erased post to its keeper, and later merges from there to others. So a
    copy is known by its row, its column and its value. In a journal it is replaced by the value that the row had
    before the copy. If that is not possible, the value is left out of the undo. The name of a post with copies is
    blanked if it has a word of them.

    - ``losses``: values that are left out of the undo of other posts.
    - ``copied_post_ids``: records of posts that had copies when they were merged, hidden or deleted.
    """

    def __init__(self, posts: PostRows, paths: Iterable[str] = ()) -> None:
        self.posts, self.paths = posts, set(paths)
        self.losses: list[LostValue] = []
        self._values_before: defaultdict[Cell, dict[str, Any]] = defaultdict(dict)
        self._copied_rows: defaultdict[UUID, set[RowId]] = defaultdict(set)
        self._copied_words: set[str] = set()
        self.copied_post_ids: set[int] = set()
        self._own_ids = posts.own_record_ids
        for record in posts.own_records:
            self._note_copies(record)

    def clean(self, record: MergeRecord) -> bool:
        """Take the words of the posts out of a record. Return whether it held any. Nothing is saved."""
        if record.pk in self._own_ids:
            return self._empty(record)
        before = as_key(record.journal), record.loser_text, record.keeper_text
        self._clean_journal(record)
        holders = self.copy_holders
        if {row_id_of(row) for row in own_rows_of(record.journal)} & holders:
            record.loser_text = self.without_copied_words(record.loser_text)
        if self.posts.is_keeper_of(record):
            record.keeper_text = ""
        elif keeper_row_id(record) in holders:
            record.keeper_text = self.without_copied_words(record.keeper_text)
        return before != (as_key(record.journal), record.loser_text, record.keeper_text)

    @property
    def copy_holders(self) -> set[RowId]:
        """Return the rows that hold or held copies, in all records cleaned so far."""
        return {row_id for row_id, _name in self._values_before}

    def without_copied_words(self, name: str) -> str:
        """Return the name of a post with copies. Return an empty text if it has a word of them."""
        return "" if words_of(name) & self._copied_words else name

    def _empty(self, record: MergeRecord) -> bool:
        emptied = empty_journal(record.journal, keeps_addresses=False)
        is_clean = record.emptied is not None and emptied == record.journal
        if is_clean and not (record.loser_text or record.author):
            return False
        record.journal, record.loser_text, record.author, record.left = emptied, "", "", []
        record.emptied = record.emptied or timezone.now()
        return True

    def _note_copies(self, record: MergeRecord) -> None:
        """Note the values that the record of an erased post has put elsewhere, and the values before them."""
        for move in record.journal.get("moves", ()):
            if is_moved_reference(move, record.journal) or is_empty(move["to"]) or _is_counter_share(move):
                continue
            self._note_copy(move)
            self._copied_rows[record.batch].add(row_id_of(move))

    def _note_copy(self, move: Mapping[str, Any]) -> None:
        self._values_before[row_id_of(move), move["field"]][as_key(move["to"])] = move["from"]
        self._copied_words |= words_of(move["to"]) - words_of(move["from"])

    def _clean_journal(self, record: MergeRecord) -> None:
        journal = record.journal
        own_rows = own_rows_of(journal)
        own_ids = {row_id_of(row) for row in own_rows}
        dropped = self.posts.rows_in(journal.get("rows", ()), own_ids)
        # Before the rows change: a copy in the post's own row may be the source of a move.
        copied_cells = {
            (row["model"], name, as_key(value))
            for row in own_rows
            for name, value in row["fields"].items()
            if self._is_copy((row_id_of(row), name), value)
        }
        if copied_cells:
            self.copied_post_ids.add(record.pk)
        if dropped:
            journal["rows"] = [row for row in journal["rows"] if row_id_of(row) not in dropped]
        for row in journal.get("rows", ()):
            for name, value in row["fields"].items():
                row["fields"][name] = self._before(row_id_of(row), name, value)
        if "moves" in journal:
            journal["moves"] = [
                cleaned
                for move in journal["moves"]
                if (cleaned := self._clean_move(move, record, dropped, copied_cells)) is not None
            ]
        self._clean_addresses(journal)

    def _clean_move(
        self,
        move: StoredRow,
        record: MergeRecord,
        dropped: set[RowId],
        copied_cells: set[tuple[str, str, str]],
    ) -> StoredRow | None:
        """Return a move without copies. Return None if the undo has to leave its column as it is."""
        row_id, name = row_id_of(move), move["field"]
        if row_id in dropped or row_id in self.posts.row_ids:
            # The row is gone with the erased post.
            return None
        if _is_counter_share(move):
            return move
        is_copy = not isinstance(move["to"], bool) and (
            self._is_copy((row_id, name), move["to"])
            or (move["model"], name, as_key(move["to"])) in copied_cells
            or self._is_derived_copy(move, record)
        )
        cleaned = {**move, "from": self._before(row_id, name, move["from"])}
        if not is_copy:
            return cleaned
        self._note_copy(cleaned)
        self.losses.append(LostValue(record, row_id, name))
        return None

    def _is_derived_copy(self, move: Mapping[str, Any], record: MergeRecord) -> bool:
        """Return whether a text was derived from a copy of the same confirmation, as an address from a title."""
        # All that a save() derives stands with the first value that it was called for, which may be another post's.
        return (
            bool(move.get(UNPLANNED_KEY))
            and isinstance(move["to"], str | list | dict)
            and row_id_of(move) in self._copied_rows.get(record.batch, ())
        )

    def _is_copy(self, cell: Cell, value: Any) -> bool:
        return not is_empty(value) and as_key(value) in self._values_before.get(cell, ())

    def _before(self, row_id: RowId, name: str, value: Any) -> Any:
        """Return the value that a column had before it became a copy. Return the value itself if it is none."""
        cell, seen = (row_id, name), set[str]()
        while self._is_copy(cell, value) and as_key(value) not in seen:
            seen.add(as_key(value))
            value = self._values_before[cell][as_key(value)]
        return value

    def _clean_addresses(self, journal: dict[str, Any]) -> None:
        """Take the old addresses of the posts out of a journal."""
        if MOVED_URLS_KEY in journal:
            replaced = journal[MOVED_URLS_KEY].get("replaced", ())
            journal[MOVED_URLS_KEY] = {
                **journal[MOVED_URLS_KEY],
                "replaced": [entry for entry in replaced if entry["record"] not in self._own_ids],
            }
        if self.paths and REDIRECTS_KEY in journal:
            journal[REDIRECTS_KEY] = {
                old_path: new_path
                for old_path, new_path in journal[REDIRECTS_KEY].items()
                if not {old_path, new_path} & self.paths
            }


def words_of(value: Any) -> set[str]:
    """Return the words of a stored text in lower case, without the shortest. Other values have none."""
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    return set(_WORD.findall(value.casefold())) if isinstance(value, str) else set()


def keeper_row_id(record: MergeRecord) -> RowId | None:
    """Return the id of the keeper's row in the table of its model. Return None without a keeper."""
    model = record.keeper_type.model_class() if record.keeper_type is not None else None
    if model is None:
        return None
    return model._meta.label_lower, serialize_key(model, model._meta.pk.to_python(record.keeper_id))


def is_empty(value: Any) -> bool:
    """Return whether a stored value says nothing."""
    return value is None or value == "" or value == [] or value == {}


def as_key(value: Any) -> str:
    """Return a stored value in a form that can be looked up."""
    return json.dumps(value, sort_keys=True)


def _is_counter_share(move: Mapping[str, Any]) -> bool:
    """Return whether a move is an unplanned change of a number, which an undo gives back as a share."""
    return bool(move.get(UNPLANNED_KEY)) and all(type(move[end]) is int for end in ("from", "to"))

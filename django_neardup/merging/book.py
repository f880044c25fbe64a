"""A record's journal, to be looked up and amended, and the trail of a column through later ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..models import MergeRecord
from .stored import Place, model_of, place_of

Row = dict[str, Any]


@dataclass
class Book:
    """A record's journal, looked up by row and by column. ``changed``: it was amended."""

    record: MergeRecord
    changed: bool = False

    @cached_property
    def rows(self) -> dict[Place, Row]:
        """The rows that are no more since."""
        return {place_of(row): row for row in self.record.journal.get("rows", ()) if not row.get("stays")}

    @cached_property
    def own(self) -> set[Place]:
        """The post's own rows."""
        rows = self.record.journal.get("rows", ())
        return {place_of(row) for row in rows[: self.record.journal.get("own", 1)]}

    @cached_property
    def moves(self) -> dict[tuple[Place, str], Row]:
        return {(place_of(move), move["field"]): move for move in self.record.journal.get("moves", ())}

    def key_after(self, place: Place) -> Place:
        """Where a row is after this record: a column that moved may be of its key."""
        label, key = place
        model = model_of(label)
        if model is None:
            return place
        parts = key if isinstance(key, tuple) else (key,)
        steps = [self.moves.get((place, each.name)) for each in model._meta.pk_fields]
        after = tuple(part if step is None else step["to"] for part, step in zip(parts, steps, strict=True))
        return label, after if isinstance(key, tuple) else after[0]

    def add_move(self, row: Mapping[str, Any], name: str, new: Any) -> None:
        """As though the record had moved that column too."""
        move = {"model": row["model"], "pk": row["pk"], "field": name, "from": row["fields"][name], "to": new}
        self._rewrite("moves", [*self.record.journal.get("moves", ()), move])

    def go_back_to(self, cell: tuple[Place, str], value: Any) -> None:
        """As though the record had found that value where it moved that column."""
        self.moves[cell]["from"] = value
        self.changed = True

    def add_row(self, row: Row) -> None:
        """As though the row had gone with this record."""
        self._rewrite("rows", [*self.record.journal["rows"], row])

    def drop_moves(self, cells: Collection[tuple[Place, str]]) -> None:
        """As though the record had not moved those columns."""
        moves = self.record.journal["moves"]
        self._rewrite("moves", [move for move in moves if (place_of(move), move["field"]) not in cells])

    def take(self, places: Collection[Place]) -> None:
        """As though those rows had not gone with this record."""
        own = len(self.own - set(places))
        self._rewrite("rows", [row for row in self.record.journal["rows"] if place_of(row) not in places])
        self.record.journal["own"] = own

    def set_value(self, place: Place, name: str, value: Any) -> None:
        """As though a row had gone with that value."""
        self.rows[place]["fields"][name] = value
        self.changed = True

    def _rewrite(self, name: str, items: list[Row]) -> None:
        self.record.journal[name] = items
        self.changed = True
        for cached in ("rows", "own", "moves"):
            self.__dict__.pop(cached, None)


@dataclass
class Trail:
    """Where a column that a record moved is by now, and the value that it has if nobody else touched it.

    ``book`` is the later journal that keeps the row, None where it should be in its table; ``steps`` are the journals
    that moved the column on, each with the row's place then.  ``over``: that of a later merge into the same post, which
    has set the column to what it holds; the trail ends there.
    """

    place: Place
    value: Any
    book: Book | None = None
    over: Book | None = None
    steps: list[tuple[Book, Place]] = field(default_factory=list)

"""Which columns an undo puts back: those that still are as the deed, or a later merge, left them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist

from .book import Book, Trail
from .later import Later
from .leftovers import EDITED, GONE, LATER, OVER, Leftovers
from .noting import rows_now
from .stored import Place, model_of, same

Row = dict[str, Any]
Found = tuple[Mapping[str, Any], Trail]


@dataclass
class Back:
    """A row some of whose columns go back: where it is now, and their stored values by name."""

    place: Place
    values: Row = field(default_factory=dict)

    @property
    def after(self) -> Place:
        """Where the row is then."""
        return moved(self.place, self.values)


class Returning:
    """The moves of a record, each found again.

    ``backs`` are rows of today, by place. ``taken`` are rows that a later deed has taken along and that come back with
    this undo: by the journal that keeps them, and by place, the values that go back.
    """

    def __init__(self, later: Later, coming: set[Place], left: Leftovers) -> None:
        self.later, self.coming, self.left = later, coming, left
        self.backs: dict[Place, Back] = {}
        self.taken: defaultdict[int, dict[Place, Row]] = defaultdict(dict)
        self._trails: dict[tuple[Place, str], Trail] = {}
        self._find()

    def _find(self) -> None:
        moves = self.later.books[self.later.record.pk].record.journal.get("moves", ())
        trails = [(move, self.later.trail(move)) for move in moves if _is_known(move)]
        current = rows_now(_asked(found for found in trails if found[1].book is None), self.later.using)
        trails = [(move, self._whole(move, trail, current)) for move, trail in trails]
        missing = [found for found in trails if found[1].book is None and found[1].place not in current]
        kept = self.later.keeping({trail.place for _move, trail in missing} - self.coming)
        for move, trail in trails:
            book = trail.book or kept.get(trail.place)
            if trail.over is not None:
                trail.over.go_back_to((trail.place, move["field"]), move["from"])
                self.left.add(OVER, trail.place, move["field"])
            elif trail.book is None and trail.place in current:
                self._in_table(move, trail, current[trail.place])
            elif book is not None:
                self._in_journal(move, trail, book)
            elif trail.place not in self.coming:
                self.left.add(GONE, trail.place)

    def _whole(self, move: Mapping[str, Any], trail: Trail, current: Mapping[Place, Row]) -> Trail:
        """The trail through all later merges, where that tells more of a column that is not as the chain left it."""
        if self._is_as_left(move, trail, current):
            return trail
        found = self.later.whole_trail(move)
        return trail if found.book is None and found.over is None else found

    def _is_as_left(self, move: Mapping[str, Any], trail: Trail, current: Mapping[Place, Row]) -> bool:
        """Whether the column is where the trail ends, and nobody else touched it."""
        if trail.book is not None:
            stored = value_in(trail.book.rows[trail.place], move["field"])
        elif trail.place in current:
            stored = current[trail.place][move["field"]]
        else:
            return False
        return self._state(move, trail, stored) != "edited"

    def keep(self, place: Place, name: str, why: Any) -> None:
        """Leave a column after all."""
        self.left.add(why, place, name)
        del self.backs[place].values[name], self._trails[place, name]
        if not self.backs[place].values:
            del self.backs[place]

    def hand_over(self, place: Place, name: str, book: Book) -> None:
        """Leave a column to a later undo, as though that record had moved it."""
        row = {"model": place[0], "pk": place[1], "fields": {name: self.backs[place].values[name]}}
        book.add_move(row, name, self._trails[place, name].value)
        self.keep(place, name, LATER)

    def settle(self) -> None:
        """Later journals have nothing to do any more with what goes back."""
        gone: defaultdict[int, set[tuple[Place, str]]] = defaultdict(set)
        for (_place, name), trail in self._trails.items():
            for book, then in trail.steps:
                gone[book.record.pk].add((then, name))
        for pk, cells in gone.items():
            self.later.books[pk].drop_moves(cells)

    def _in_table(self, move: Mapping[str, Any], trail: Trail, values: Row) -> None:
        match self._state(move, trail, values[move["field"]]):
            case "ours":
                back = self.backs.setdefault(trail.place, Back(trail.place))
                back.values[move["field"]] = move["from"]
                self._trails[trail.place, move["field"]] = trail
            case "edited":
                self.left.add(EDITED, trail.place, move["field"])

    def _in_journal(self, move: Mapping[str, Any], trail: Trail, book: Book) -> None:
        """The row went with a later deed: with its post, which stays away, or beside it."""
        name, place = move["field"], trail.place
        is_key = name in key_names(place)
        state = self._state(move, trail, value_in(book.rows[place], name))
        if state == "edited":
            self.left.add(EDITED, place, name)
        elif state == "ours" and place in book.own and not is_key:
            book.set_value(place, name, move["from"])
            self._trails[place, name] = trail
        elif state == "ours":
            self.taken[book.record.pk].setdefault(place, {})[name] = move["from"]
            self._trails[place, name] = trail

    def _state(self, move: Mapping[str, Any], trail: Trail, stored: Any) -> str:
        column = column_of(move)
        if same(column, stored, trail.value):
            return "ours"
        return "" if same(column, stored, move["from"]) else "edited"


def moved(place: Place, values: Mapping[str, Any]) -> Place:
    """Where a row is once its columns have those values."""
    label, key = place
    names = key_names(place)
    parts = key if isinstance(key, tuple) else (key,)
    after = tuple(values.get(name, part) for name, part in zip(names, parts, strict=True))
    return label, after if isinstance(key, tuple) else after[0]


def key_names(place: Place) -> Sequence[str]:
    """The columns of the row's primary key."""
    model = model_of(place[0])
    return [] if model is None else [each.name for each in model._meta.pk_fields]


def value_in(row: Mapping[str, Any], name: str) -> Any:
    """A column of a stored row, be it of its key."""
    if name in row["fields"]:
        return row["fields"][name]
    names = key_names((row["model"], None))
    parts = row["pk"] if len(names) > 1 else [row["pk"]]
    return dict(zip(names, parts, strict=True)).get(name)


def column_of(move: Mapping[str, Any]) -> Any:
    """The column that a move is about."""
    return apps.get_model(move["model"])._meta.get_field(move["field"])


def _is_known(move: Mapping[str, Any]) -> bool:
    """Whether the site has that column still."""
    try:
        column_of(move)
    except (LookupError, FieldDoesNotExist):
        return False
    return True


def _asked(found: Iterable[Found]) -> Iterable[Row]:
    for move, trail in found:
        yield {"model": trail.place[0], "pk": trail.place[1], "fields": {move["field"]: None}}

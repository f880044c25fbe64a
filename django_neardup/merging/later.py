"""Journals that came after: who moved on, or took along, what an undo looks for. They are amended with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from ..models import MergeRecord
from ..pipeline import canonical_id
from ..pipeline.deed_keys import keeper_under, key_under
from ..portions import portions
from .following import goes_apart, next_on_keeper, of_kin
from .relations import PORTION, ModelType
from .stored import Place, key_of, model_of, place_of, same

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
    that moved the column on, each with the row's place then.
    """

    place: Place
    value: Any
    book: Book | None = None
    steps: list[tuple[Book, Place]] = field(default_factory=list)


class Later:
    """The records, not undone, that took over what one record had moved: later merges of its keeper, one by one."""

    def __init__(self, record: MergeRecord, using: str, *, lock: bool) -> None:
        self.record, self.using, self.lock = record, using, lock
        self.books = {record.pk: Book(record)}
        self.chain = list(self._followers())

    def trail(self, move: Mapping[str, Any]) -> Trail:
        """Follow a move of the record."""
        name = move["field"]
        trail = Trail(self.books[self.record.pk].key_after(place_of(move)), move["to"])
        for book in self.chain:
            if trail.place in book.rows:
                trail.book = book
                break
            step = book.moves.get((trail.place, name))
            if step is not None and _is_same(step, trail.value):
                trail.value = step["to"]
                trail.steps.append((book, trail.place))
            trail.place = book.key_after(trail.place)
        return trail

    def keeping(self, places: Collection[Place]) -> dict[Place, Book]:
        """The journals of posts that those rows belong to, where such a post was merged or deleted itself."""
        found: dict[Place, Book] = {}
        records = {
            record.pk: record for named in self._naming(places) for record in self._standing().filter(named)
        }
        for _pk, record in sorted(records.items()):
            book = self._book(record)
            found |= {place: book for place in book.own & set(places) if place in book.rows}
        return found

    def _naming(self, places: Collection[Place]) -> Iterator[Q]:
        """Where the records of posts with those rows may be, in portions."""
        ids: defaultdict[ModelType, set[str]] = defaultdict(set)
        for label, key in places:
            if (model := model_of(label)) is not None:
                ids[model].add(canonical_id(key_of(model, key)))
        for some in portions(sorted(set().union(*ids.values())), PORTION):
            yield Q(loser_id__in=some)
        for model in filter(goes_apart, ids):
            for some in portions(sorted(ids[model]), PORTION):
                yield of_kin(model, some, self.using)

    def heir(self, record: MergeRecord, model: ModelType) -> str:
        """The canonical id, as one of that model, of the post that the record's was merged into."""
        if not goes_apart(model):
            return str(record.keeper_id)
        following = next_on_keeper(record, self._standing(), self.using)
        return keeper_under(record, model, self.using) if following is None else key_under(following, model)

    def bringer(self, place: Place) -> Book | None:
        """The journal, of the same keeper or later, of the merge that has brought a row to where it is."""
        record = self.record
        same = (
            self._standing()
            .filter(keeper_type=record.keeper_type_id, keeper_id=record.keeper_id)
            .exclude(keeper_id="")
        )
        for book in [*(self._book(each) for each in same), *self.chain]:
            if any(book.key_after(row) == place for row, _name in book.moves if row[0] == place[0]):
                return book
        return None

    def save(self) -> None:
        """Write the amended journals."""
        for book in self.books.values():
            if book.changed and book.record.pk != self.record.pk:
                book.record.save(using=self.using, update_fields=["journal"])

    def _followers(self) -> Iterable[Book]:
        last: MergeRecord | None = self.record
        while last is not None and last.keeper_id and last.keeper_type_id:
            last = next_on_keeper(last, self._standing(), self.using)
            if last is not None:
                yield self._book(last)

    def _standing(self) -> QuerySet[MergeRecord]:
        rows = MergeRecord.objects.using(self.using).filter(undone=None).exclude(pk=self.record.pk)
        rows = rows.exclude(action=MergeRecord.Action.HIDE)
        return rows.select_for_update() if self.lock else rows

    def _book(self, record: MergeRecord) -> Book:
        return self.books.setdefault(record.pk, Book(record))


def _is_same(step: Mapping[str, Any], value: Any) -> bool:
    model = model_of(step["model"])
    return model is not None and same(model._meta.get_field(step["field"]), step["from"], value)

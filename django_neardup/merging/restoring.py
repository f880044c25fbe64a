"""Which rows an undo puts in again, and on what they stand: keys, unique values, the rows that they point at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..models import MergeRecord
from .book import Book
from .later import Later
from .leftovers import EMPTY, FILE, HEIR, LATER, LOST, TAKEN, Leftovers
from .needs import Target, lacks_file, model_at, offers, present, targets, with_dependants
from .noting import rows_now
from .occupied import claims, holders
from .relations import ModelType
from .returning import Returning, moved
from .stored import Place, model_of, place_of, plain_key

Row = dict[str, Any]


class Restoring:
    """The rows of a record that come back. ``reasons``: why its post cannot; nothing comes back then."""

    def __init__(self, later: Later, left: Leftovers) -> None:
        self.later, self.using, self.left = later, later.using, left
        self.book = later.books[later.record.pk]
        self.reasons: list[str] = []
        self.own: set[Place] = set()
        self.rows: dict[Place, Row] = {}
        for row in _gone(self.book, self.using):
            self.rows[place_of(row)] = deepcopy(row)
        self.own = self.book.own & set(self.rows)
        self._taken: list[tuple[Book, Row]] = []

    def settle(self, returning: Returning) -> None:
        """Drop what cannot come back, and point elsewhere what has lost its target."""
        for back in returning.backs.values():  # a row of the post's own that went over to the keeper
            self.rows.pop(back.after, None)
        self._take(returning)
        self._check_values(returning)
        self._check_places(returning)
        while self._check_references(returning):
            pass
        self._checktargets(returning)
        for place, row in self.rows.items():
            if lacks_file(row):
                self.left.add(FILE, place)

    def _take(self, returning: Returning) -> None:
        for pk, taken in returning.taken.items():
            book = self.later.books[pk]
            whole = with_dependants(book.rows, set(taken), book.own)
            rows = {place: deepcopy(book.rows[place]) for place in book.rows if place in whole}
            self._taken += ((book, book.rows[place]) for place in taken)
            book.take(whole)
            for place, row in rows.items():
                after = _put(row, taken.get(place, {}))
                self.rows[place_of(after)] = after

    def _check_values(self, returning: Returning) -> None:
        """A value that another row has got since does not go back."""
        for place, back in list(returning.backs.items()):
            model = model_at(place)
            for name in list(back.values):
                field: Any = model._meta.get_field(name)
                if not (field.unique and not field.is_relation) or back.values[name] is None:
                    continue
                row = {"model": place[0], "pk": place[1], "fields": {name: back.values[name]}}
                if self._holder(row, returning):
                    returning.keep(place, name, TAKEN)

    def _check_places(self, returning: Returning) -> None:
        """Keys and unique values that are in use by now."""
        there = set(rows_now(({**row, "fields": {}} for row in self.rows.values()), self.using))
        for place in list(self.rows):
            back = returning.backs.get(place)
            if place in there and (back is None or back.after == place):
                self._give_way(place, place, _("%(post)s cannot come back: its key is taken again."))
            elif place in self.rows and (holder := self._holder(self.rows[place], returning)):
                words = _("%(post)s cannot come back: another row has a value that only one may have.")
                self._give_way(place, holder, words)

    def _holder(self, row: Row, returning: Returning) -> Place | None:
        """A row that has what that one needs, and keeps it."""
        for place, names in holders(model_at(place_of(row)), row, self.using):
            back = returning.backs.get(place)
            if back is None or not names & set(back.values):
                return place
        return None

    def _give_way(self, place: Place, holder: Place, sentence: str) -> None:
        """The post is refused; another row waits for the undo of the merge that has taken its place from a row that
        goes back with this undo, or has brought what is there."""
        if place in self.own:
            self.reasons.append(sentence % {"post": post_of(self.later.record)})
        elif place in self.rows:
            book = self._successor(place) or self.later.bringer(holder)
            self._hand_over(place, book, TAKEN if book is None else LATER)

    def _successor(self, place: Place) -> Book | None:
        """The journal that kept a row, taken from it now, with a value that this one needs for itself alone."""
        model = model_at(place)
        needed = claims(model, self.rows[place])
        kept = (book for book, row in self._taken if row["model"] == place[0] and needed & claims(model, row))
        return next(kept, None)

    def _hand_over(self, place: Place, book: Book | None, why: Any) -> None:
        """Leave out a row that is not the post's own, and what hangs on it; a journal keeps them where there is one."""
        self.left.add(why, place)
        for each in with_dependants(self.rows, {place}, self.own):
            row = self.rows.pop(each)
            if book is not None:
                book.add_row(row)

    def _check_references(self, returning: Returning) -> bool:
        """One round over the references; whether a row was left out, and others may hang in the air now."""
        lost = self._lost(
            ((place, name, target) for place, row in self.rows.items() for name, target in targets(row)),
            returning,
        )
        size = len(self.rows)
        for place, name, target in lost:
            if place in self.rows:
                self._repoint(place, name, target, returning)
        return len(self.rows) < size

    def _repoint(self, place: Place, name: str, target: Target, returning: Returning) -> None:
        """What a row points at is gone: follow it to the post that stayed, else empty the reference, else leave the
        row with the record that has taken its target.
        """
        row = self.rows[place]
        field: Any = model_at(place)._meta.get_field(name)
        keeping = self._keeping(target)
        step = keeping.moves.get((place, name)) if keeping and name in row["fields"] else None
        if step is not None and (step["to"] is None or self._is_there(target, step["to"], returning)):
            row["fields"][name] = step["to"]
            self.left.add(EMPTY if step["to"] is None else HEIR, place, name)
        elif keeping and name in row["fields"] and self._follow(row, field, target, returning):
            self.left.add(HEIR, place, name)
        elif name in row["fields"] and field.null:
            if keeping:
                keeping.add_move(row, name, None)
            row["fields"][name] = None
            self.left.add(EMPTY, place, name)
        elif getattr(field, "db_constraint", True):
            self._leave(place, keeping, str(field.verbose_name))

    def _leave(self, place: Place, keeping: Book | None, name: str) -> None:
        if place in self.own:
            words = _("%(post)s cannot come back: what it points at (%(field)s) is gone.")
            self.reasons.append(words % {"post": post_of(self.later.record), "field": name})
            return
        book = self._successor(place) or keeping
        self._hand_over(place, book, LOST if book is None else LATER)

    def _follow(self, row: Row, field: Any, target: Target, returning: Returning) -> bool:
        """Point the row at the post that its target was merged into; the merges are told, so that their undo takes it
        back.
        """
        model, attname, value = target
        told: list[tuple[Book, Any, Any]] = []
        while not self._is_there(target, value, returning):
            keeping = self._keeping((model, attname, value))
            if keeping is None or keeping.record.action != MergeRecord.Action.MERGE:
                return False
            heir = plain_key(model, model._meta.pk.to_python(self.later.heir(keeping.record, model)))
            told.append((keeping, value, heir))
            value = heir
        changed = {**row, "fields": {**row["fields"], field.name: value}}
        if self._holder(changed, returning):
            return False
        for keeping, old, heir in told:
            row["fields"][field.name] = old
            keeping.add_move(row, field.name, heir)
        row["fields"][field.name] = value
        return True

    def _checktargets(self, returning: Returning) -> None:
        """References that would go back to something that is gone stay, until it comes back with a later undo."""
        wanted = (
            (place, name, target)
            for place, back in returning.backs.items()
            for name, target in targets({"model": place[0], "pk": place[1], "fields": back.values})
            if name in back.values
        )
        for place, name, target in self._lost(wanted, returning):
            if (book := self._awaited(target)) is not None:
                returning.hand_over(place, name, book)
            else:
                returning.keep(place, name, LOST)

    def _lost(
        self, wanted: Iterable[tuple[Place, str, Target]], returning: Returning
    ) -> list[tuple[Place, str, Target]]:
        """The references whose target is neither there nor coming back."""
        coming = self._coming(returning)
        asked = [each for each in wanted if each[2] not in coming]
        values: defaultdict[tuple[ModelType, str], set[Any]] = defaultdict(set)
        for _place, _name, (model, attname, value) in asked:
            values[model, attname].add(value)
        there = {
            (model, attname, value)
            for (model, attname), held in values.items()
            for value in present(model, attname, held, self.using)
        }
        return [each for each in asked if each[2] not in there]

    def _coming(self, returning: Returning) -> set[Target]:
        found = {target for row in self.rows.values() for target in offers(row)}
        for back in returning.backs.values():
            model = model_at(back.place)
            if back.after != back.place and len(model._meta.pk_fields) == 1:
                found.add((model, model._meta.pk.attname, back.after[1]))
        return found

    def _is_there(self, target: Target, value: Any, returning: Returning) -> bool:
        model, attname, _value = target
        wanted = (model, attname, value)
        return wanted in self._coming(returning) or bool(present(model, attname, {value}, self.using))

    def _awaited(self, target: Target) -> Book | None:
        """The later journal with which the row comes back that was pointed at."""
        place = _row_of(target)
        books = (book for book in self.later.books.values() if book is not self.book and place in book.rows)
        return next(books, None)

    def _keeping(self, target: Target) -> Book | None:
        """The journal that keeps the row that was pointed at."""
        place = _row_of(target)
        return None if place is None else self.later.keeping({place}).get(place)


def _row_of(target: Target) -> Place | None:
    """The row that is pointed at by its key."""
    model, attname, value = target
    return (model._meta.label_lower, value) if attname == model._meta.pk.attname else None


def post_of(record: MergeRecord) -> str:
    """The record's post in words, though it is no more."""
    return f"{capfirst(record.loser_type.name)} “{record.loser_text[:100]}” ({record.loser_id})"


def _gone(book: Book, using: str) -> Iterator[Row]:
    """The record's rows that are no more: also those that a soft deletion had left, and somebody has purged."""
    rows = book.record.journal.get("rows", ())
    staying = rows_now([row for row in rows if row.get("stays")], using)
    for row in rows:
        if place_of(row) not in staying and model_of(row["model"]) is not None:
            yield row


def _put(row: Row, values: Mapping[str, Any]) -> Row:
    """The stored row with those values, be they of its key."""
    fields = {name: values.get(name, value) for name, value in row["fields"].items()}
    key = moved(place_of(row), values)[1]
    return {**row, "pk": list(key) if isinstance(key, tuple) else key, "fields": fields}

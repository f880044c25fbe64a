"""One model's rows in a merge: which of them move, which the keeper has already, which clash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, Protocol

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from .clashes import Row, Unique, plain, uniques
from .relations import ModelType, Pointer, link_models, rows_of

NAMED = 50


class Change(NamedTuple):
    """The value that a column gets, and the number of the loser that it is about."""

    new: Any
    loser: int


class Move(NamedTuple):
    """A row that comes to point at the keeper."""

    pointer: Pointer
    pk: Any
    old: Any
    new: Any
    loser: int
    link: bool


class Drop(NamedTuple):
    """A row of a many-to-many relation that the keeper has already, or that would link it with itself."""

    model: ModelType
    pointer: Pointer
    pk: Any
    loser: int


@dataclass(frozen=True)
class Shift:
    """A column whose values change: what each old one becomes."""

    pointer: Pointer
    changes: Mapping[Any, Change]

    def follow(self, pointer: Pointer) -> Shift:
        """The same for a column that holds those values as keys of the changed rows."""
        fit = pointer.stored if pointer.kind else lambda value: value
        changed = {fit(old): Change(fit(change.new), change.loser) for old, change in self.changes.items()}
        return Shift(pointer, {old: change for old, change in changed.items() if old is not None})


@dataclass(frozen=True)
class Target:
    """Whom a merge is about, under every model that has a row of them."""

    keeper: models.Model
    keeper_faces: Mapping[ModelType, models.Model]
    loser_faces: Sequence[Mapping[ModelType, models.Model]]

    def shift(self, pointer: Pointer) -> Shift:
        """What becomes of the values of that column."""
        new = pointer.value(self.keeper_faces[pointer.at])
        found = {
            pointer.value(theirs[pointer.at]): Change(new, number)
            for number, theirs in enumerate(self.loser_faces)
            if pointer.at in theirs
        }
        return Shift(pointer, {old: change for old, change in found.items() if old not in (None, new)})

    def is_keeper(self, model: ModelType, key: Any) -> bool:
        """Whether that row is one of the keeper's own."""
        return model in self.keeper_faces and key_in(model, self.keeper_faces[model]) == key

    def loser_number(self, model: ModelType, key: Any) -> int | None:
        """The number of the loser whose own row that is, and that goes with it."""
        if model not in self.keeper_faces:
            return None
        theirs = (each.get(model) for each in self.loser_faces)
        return next((n for n, face in enumerate(theirs) if face and key_in(model, face) == key), None)


def key_in(model: ModelType, face: models.Model) -> Any:
    """The primary key of an object's row in the table of that model."""
    return getattr(face, model._meta.pk.attname)


class Report(Protocol):
    """What a table writes its findings to: a plan."""

    moves: list[Move]
    drops: list[Drop]
    reasons: list[str]


class Table:
    """The rows of one model that point at the keeper or at losers."""

    def __init__(self, model: ModelType, shifts: Sequence[Shift], target: Target, using: str) -> None:
        self.model, self.shifts, self.target, self.using = model, shifts, target, using
        self.is_link = model in link_models()
        self.rules = uniques(model, {shift.pointer.column for shift in shifts})
        self._seen: dict[tuple[Unique | None, Any], Any] = {}
        self._clashes: list[tuple[Any, Unique]] = []

    def settle(self, plan: Report) -> None:
        """Write to the plan what becomes of every row."""
        changed = []
        for row in self._read():
            moves = self._moves(row)
            if moves:
                changed.append((row, moves))
            elif self.target.loser_number(self.model, row["pk"]) is None:
                self._remember(row)
        for row, moves in sorted(changed, key=lambda each: each[1][0].loser):
            self._place(row, moves, plan)
        plan.reasons += self._refusals()

    def _place(self, row: Row, moves: list[Move], plan: Report) -> None:
        if self.target.loser_number(self.model, row["pk"]) is not None:
            plan.moves += [self._own(move) for move in moves]
            return
        if self.target.is_keeper(self.model, row["pk"]):
            plan.reasons += [self._stuck(move) for move in moves if not move.pointer.field.null]
            plan.moves += [move._replace(new=None) for move in moves]
            return
        after = {**row, **{move.pointer.column: move.new for move in moves}}
        if self.is_link and (self._links_itself(after, moves) or self._taken(after)):
            plan.drops.append(Drop(self.model, moves[0].pointer, row["pk"], moves[0].loser))
            return
        self._clashes += [(row["pk"], rule) for rule in self._broken(after)]
        self._remember(after)
        plan.moves += moves

    def _moves(self, row: Row) -> list[Move]:
        found = []
        for pointer, changes in ((shift.pointer, shift.changes) for shift in self.shifts):
            value = row[pointer.column]
            if value not in changes or not pointer.holds(row):
                continue
            change = changes[value]
            if self.target.loser_number(self.model, row["pk"]) != change.loser:
                found.append(Move(pointer, row["pk"], value, change.new, change.loser, self.is_link))
        return found

    def _own(self, move: Move) -> Move:
        """A loser that points at another one: it is about to go, and must not take a unique place."""
        field = move.pointer.field
        return move._replace(new=None) if field.unique and field.null else move

    def _read(self) -> Iterable[Row]:
        """Rows of the losers; of the keeper too where they matter."""
        with_keeper = self.is_link or bool(self.rules)
        match = reduce(or_, (shift.pointer.match(self._values(shift, with_keeper)) for shift in self.shifts))
        computed = {name: value for rule in self.rules for name, value in rule.computed.items()}
        rows = rows_of(self.model, self.using).filter(match).annotate(**computed).order_by("pk")
        return list(rows.values("pk", *self._columns(), *computed))

    def _values(self, shift: Shift, with_keeper: bool) -> set[Any]:
        return {*shift.changes, *({change.new for change in shift.changes.values()} if with_keeper else ())}

    def _columns(self) -> list[str]:
        if self.is_link:
            return [field.attname for field in self.model._meta.local_concrete_fields]
        names = {shift.pointer.column for shift in self.shifts}
        names |= {shift.pointer.kind[0] for shift in self.shifts if shift.pointer.kind}
        for rule in self.rules:
            names |= {*rule.names} - {*rule.computed}
        return sorted(names)

    def _remember(self, row: Row) -> None:
        for rule in self.rules:
            self._seen.setdefault((rule, rule.key(row)), row["pk"])
        if self.is_link:
            self._seen.setdefault((None, self._content(row)), row["pk"])

    def _broken(self, row: Row) -> list[Unique]:
        keys = ((rule, rule.key(row)) for rule in self.rules)
        return [rule for rule, key in keys if key is not None and (rule, key) in self._seen]

    def _taken(self, row: Row) -> bool:
        return (None, self._content(row)) in self._seen or bool(self._broken(row))

    def _content(self, row: Row) -> tuple[Any, ...]:
        """All that a row of a many-to-many table says, but for its own key."""
        keys = self.model._meta.pk_fields
        own = {keys[0].attname} if len(keys) == 1 else set()
        return tuple(plain(row[name]) for name in self._columns() if name not in own)

    def _links_itself(self, row: Row, moves: list[Move]) -> bool:
        ends = [shift.pointer for shift in self.shifts if shift.pointer.at is moves[0].pointer.at]
        columns = {pointer.column for pointer in ends if pointer.kind is None}
        return len(columns) > 1 and len({row[column] for column in columns}) == 1

    def _stuck(self, move: Move) -> str:
        return _(
            "%(model)s %(key)s: the keeper itself points at the post by “%(field)s”, which cannot be empty."
        ) % {
            "model": capfirst(self.model._meta.verbose_name),
            "key": move.pk,
            "field": move.pointer.field.verbose_name,
        }

    def _refusals(self) -> list[str]:
        shown, rest = self._clashes[:NAMED], len(self._clashes) - NAMED
        names = rows_of(self.model, self.using).in_bulk([key for key, _rule in shown])
        kind = capfirst(self.model._meta.verbose_name)
        reasons = [
            _("%(model)s %(key)s “%(name)s”: the keeper has one with the same %(rule)s already.")
            % {"model": kind, "key": key, "name": str(names.get(key, ""))[:100], "rule": rule.words}
            for key, rule in shown
        ]
        if rest > 0:
            reasons.append(_("%(model)s: %(count)d more like these.") % {"model": kind, "count": rest})
        return reasons

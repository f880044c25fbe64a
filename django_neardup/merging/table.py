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

from .clashes import KEEPER, LOSER, Clash, Row, Unique, plain, uniques
from .places import Places
from .relations import ModelType, Pointer, link_models, rows_of
from .spare import content

THERE, ITSELF, DECIDED, OWN, FALLEN = "there", "itself", "decided", "own", "fallen"
"""Why a row goes: the keeper has one like it, it would link the keeper with itself, it was not chosen, it is the
keeper's own and was not chosen, or it goes with such a one."""


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
    """A row that does not come to the keeper, and is deleted; ``why`` is one of the words above."""

    model: ModelType
    pointer: Pointer
    pk: Any
    loser: int
    why: str = THERE


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

    keeper: models.Model
    losers: Sequence[models.Model]
    using: str
    choices: Mapping[str, str]
    moves: list[Move]
    drops: list[Drop]
    clashes: list[Clash]
    going: list[models.Model]
    obstacles: list[str]


class Table:
    """The rows of one model that point at the keeper or at losers."""

    def __init__(self, model: ModelType, shifts: Sequence[Shift], target: Target, using: str) -> None:
        self.model, self.shifts, self.target, self.using = model, shifts, target, using
        self.is_link = model in link_models()
        self.content = content(model, self.is_link)
        self.rules = uniques(model, {shift.pointer.column for shift in shifts})
        self.places = Places(self.rules, self._content if self.content else None)
        self._evicted: dict[Any, set[Any]] = {}

    def settle(self, plan: Report) -> None:
        """Write to the plan what becomes of every row."""
        changed = []
        for row in self._read():
            moves = self._moves(row)
            if moves:
                changed.append((row, moves))
            elif self.target.loser_number(self.model, row["pk"]) is None:
                self.places.take(row)
        for row, moves in sorted(changed, key=lambda each: each[1][0].loser):
            self._place(row, moves, plan)

    def _place(self, row: Row, moves: list[Move], plan: Report) -> None:
        if self.target.loser_number(self.model, row["pk"]) is not None:
            plan.moves += [self._own(move) for move in moves]
            return
        if self.target.is_keeper(self.model, row["pk"]):
            plan.obstacles += [self._stuck(move) for move in moves if not move.pointer.field.null]
            plan.moves += [move._replace(new=None) for move in moves]
            return
        after = {**row, **{move.pointer.column: move.new for move in moves}}
        if why := self._is_spare(after, moves):
            plan.drops.append(Drop(self.model, moves[0].pointer, row["pk"], moves[0].loser, why))
        elif broken := self.places.broken(after):
            self._clash(after, broken, moves, plan)
        else:
            self.places.take(after)
            plan.moves += moves

    def _clash(self, row: Row, broken: list[Unique], moves: list[Move], plan: Report) -> None:
        clash = self._clash_of(row, broken, moves[0])
        if self.model in self.target.keeper_faces:
            plan.obstacles.append(str(clash))
            return
        clash.choice = plan.choices.get(clash.key) or plan.choices.get(self.model._meta.label_lower)
        clash.choice = clash.choice if clash.choice in (KEEPER, LOSER) else None
        plan.clashes.append(clash)
        if clash.choice == KEEPER:
            plan.drops.append(Drop(self.model, clash.pointer, clash.pk, clash.loser, DECIDED))
        elif clash.choice == LOSER:
            for pk in self.places.holders(row, broken):
                self._evict(pk, clash, plan)
            self.places.take(row)
            plan.moves += moves

    def _clash_of(self, row: Row, broken: list[Unique], move: Move) -> Clash:
        taken = self.places.first(row, broken)
        return Clash(self.model, move.pointer, row["pk"], taken, broken[0].words, move.loser)

    def _evict(self, pk: Any, clash: Clash, plan: Report) -> None:
        """The row that holds the place goes. One that a loser brought goes with that one's record; the keeper's own
        with the record of whoever holds the place at last, since it can come back only after that one."""
        brought = [move for move in plan.moves if move.pointer.model is self.model and move.pk == pk]
        plan.moves = [move for move in plan.moves if move not in brought]
        loser, why = (brought[0].loser, DECIDED) if brought else (clash.loser, OWN)
        own = self._evicted.pop(pk, set()) if brought else {pk}
        self._evicted.setdefault(clash.pk, set()).update(own)
        plan.drops.append(Drop(self.model, clash.pointer, pk, loser, why))
        plan.drops = [
            drop._replace(loser=clash.loser) if drop.model is self.model and drop.pk in own else drop
            for drop in plan.drops
        ]
        self.places.free(pk)

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
        return sorted({*names, *self.content})

    def _is_spare(self, row: Row, moves: list[Move]) -> str:
        """Why a row need not come along: a link or a mark that is there already. Empty where it must."""
        if self.is_link and self._links_itself(row, moves):
            return ITSELF
        equal, broken = self.places.has_equal(row), bool(self.places.broken(row))
        spare = equal or broken if self.is_link else equal and broken
        return THERE if spare else ""

    def _content(self, row: Row) -> tuple[Any, ...]:
        return tuple(plain(row[name]) for name in self.content)

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

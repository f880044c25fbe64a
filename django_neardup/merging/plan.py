"""What a merge would do: rows that move, rows that go, and every reason against it. Nothing is changed
here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from .clashes import Clash
from .fallen import settle_falls
from .files import File, left_behind, names_of
from .lines import Line, lines_of
from .obstacles import held, loops, other_kinds, unlike
from .relations import ModelType, at_key, faces, pointers_to, rows_of
from .table import Drop, Move, Shift, Table, Target
from .values import Column, Value, columns, stamp_of, taken

NAMED = 50
"""Clashes of one model that are told one by one."""


@dataclass
class Plan:
    """A merge, thought through. ``reasons`` says, in words, why it must not be; without any it may be applied.

    ``obstacles`` are those that no decision can settle. ``clashes`` want decisions, ``fields`` are the columns whose
    values differ, ``going`` the rows that a decision deletes, with all that falls with them; ``below`` are the losers'
    rows as multi-table children, which go with them.
    """

    keeper: models.Model
    losers: Sequence[models.Model]
    using: str
    choices: Mapping[str, str] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    fields: list[Column] = field(default_factory=list)
    going: list[models.Model] = field(default_factory=list)
    below: list[models.Model] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)

    @property
    def open(self) -> list[Clash]:
        """The clashes that nobody has decided."""
        return [clash for clash in self.clashes if clash.choice is None]

    @property
    def reasons(self) -> list[str]:
        return [*self.obstacles, *self.undecided]

    @property
    def undecided(self) -> list[str]:
        """How many decisions are needed, and on what."""
        return _undecided(self.open)

    @property
    def values(self) -> list[Value]:
        """The values that the keeper takes from losers."""
        return taken(self.fields, self.keeper, self.losers)

    @property
    def stamp(self) -> str:
        """A digest of the values that may be chosen: it changes when one of them does (32 hexadecimal digits)."""
        return stamp_of(self.fields)

    @cached_property
    def files(self) -> list[File]:
        """Files that nothing would name afterwards; their storages are asked for the sizes."""
        kept = names_of([self.keeper]) + [str(value.new) for value in self.values]
        return left_behind([*self.losers, *self.going], kept)

    def lines(self) -> list[Line]:
        """The relations that have rows: those that want a decision first, then by model and column."""
        return lines_of(self.moves, self.drops, self.clashes)


def make_plan(
    keeper: models.Model,
    losers: Sequence[models.Model],
    using: str,
    values: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> Plan:
    """Think a merge of those objects through, as they are in that database now.

    ``values``: primary keys of the posts whose value is taken, by column. ``choices``: "keeper" or "loser" by the
    key of a clash, or by the label of a model for all of its clashes.
    """
    plan = Plan(keeper, losers, using, choices or {})
    plan.obstacles = unlike(keeper, losers)
    if plan.obstacles:
        return plan
    target = Target(keeper, faces(keeper, using), [faces(loser, using) for loser in losers])
    plan.obstacles = other_kinds(target, losers)
    plan.below = _below(target, losers)
    if not plan.obstacles:
        shifts = _shifts(target, using)
        for model, own in shifts.items():
            Table(model, own, target, using).settle(plan)
        _show(plan)
        settle_falls(plan)
        plan.obstacles += loops(target, shifts, plan)
        plan.obstacles += held(plan)
        plan.fields, wrong = columns(keeper, losers, values)
        plan.obstacles += wrong
    return plan


def _below(target: Target, losers: Sequence[models.Model]) -> list[models.Model]:
    """The rows of children that the keeper has too: where it has none they move."""
    return [
        face
        for loser, theirs in zip(losers, target.loser_faces, strict=True)
        for model, face in theirs.items()
        if face is not loser and model in target.keeper_faces
    ]


def _undecided(clashes: Sequence[Clash]) -> list[str]:
    if not clashes:
        return []
    count = len(clashes)
    head = ngettext("%(count)d decision is needed.", "%(count)d decisions are needed.", count)
    rest: defaultdict[ModelType, int] = defaultdict(int)
    words = []
    for clash in clashes:
        if clash.theirs is None:
            rest[clash.model] += 1
        else:
            words.append(str(clash))
    more = [
        _("%(model)s: %(count)d more like these.")
        % {"model": capfirst(model._meta.verbose_name), "count": number}
        for model, number in rest.items()
    ]
    return [head % {"count": count}, *words, *more]


def _show(plan: Plan) -> None:
    """Read the rows of the clashes that are told one by one."""
    by_model: defaultdict[ModelType, list[Clash]] = defaultdict(list)
    for clash in plan.clashes:
        by_model[clash.model].append(clash)
    for model, clashes in by_model.items():
        shown = clashes[:NAMED]
        keys = [key for clash in shown for key in (clash.pk, *clash.taken)]
        rows = rows_of(model, plan.using).in_bulk(keys)
        for clash in shown:
            clash.theirs = rows.get(clash.pk)
            clash.ours = [rows[key] for key in clash.taken if key in rows]


def _shifts(target: Target, using: str) -> dict[ModelType, list[Shift]]:
    """By model, every column whose values change; a row that gets another key takes along what points at
    it.
    """
    found: defaultdict[ModelType, list[Shift]] = defaultdict(list)
    waiting = [target.shift(pointer) for pointer in pointers_to(set(target.keeper_faces), using)]
    followed: set[ModelType] = set()
    while waiting:
        shift = waiting.pop(0)
        model = shift.pointer.model
        if not shift.changes:
            continue
        found[model].append(shift)
        if shift.pointer.rekeys and model not in followed:
            followed.add(model)
            waiting += [shift.follow(pointer) for pointer in at_key(model, using)]
    return found

"""What a merge would do: rows that move, rows that go, and every reason against it. Nothing is changed
here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from .relations import ModelType, Pointer, faces, pointers_to, rows_of
from .table import Drop, Move, Shift, Table, Target

STEPS = 1000


@dataclass(frozen=True)
class Line:
    """One relation of a plan: how many rows it has, how many move, how many the keeper has already."""

    model: ModelType
    name: str
    moves: int
    drops: int

    @property
    def total(self) -> int:
        return self.moves + self.drops


@dataclass
class Plan:
    """A merge, thought through. ``reasons`` says, in words, why it must not be; without any it may be
    applied.
    """

    keeper: models.Model
    losers: Sequence[models.Model]
    using: str
    moves: list[Move] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def models(self) -> set[ModelType]:
        """Every model whose rows would be changed."""
        return {move.pointer.model for move in self.moves} | {drop.model for drop in self.drops}

    def lines(self) -> list[Line]:
        """The relations that have rows, by model and column."""
        counts: defaultdict[tuple[ModelType, str], list[int]] = defaultdict(lambda: [0, 0])
        for move in self.moves:
            counts[move.pointer.model, str(move.pointer.field.verbose_name)][0] += 1
        for drop in self.drops:
            counts[drop.model, str(drop.pointer.field.verbose_name)][1] += 1
        lines = [Line(model, name, *count) for (model, name), count in counts.items()]
        return sorted(lines, key=lambda line: (line.model._meta.label_lower, line.name))


def make_plan(keeper: models.Model, losers: Sequence[models.Model], using: str) -> Plan:
    """Think a merge of those objects through, as they are in that database now."""
    plan = Plan(keeper, losers, using)
    plan.reasons = _unlike(keeper, losers)
    if plan.reasons:
        return plan
    target = Target(keeper, faces(keeper, using), [faces(loser, using) for loser in losers])
    plan.reasons = _other_kinds(target, losers)
    if not plan.reasons:
        shifts = _shifts(target, using)
        for model, own in shifts.items():
            Table(model, own, target, using).settle(plan)
        plan.reasons += _loops(target, shifts, plan)
        plan.reasons += _held(plan)
    return plan


def named(instance: models.Model) -> str:
    """An object in words: what it is, its name, its primary key."""
    return f"{capfirst(instance._meta.verbose_name)} “{str(instance)[:100]}” ({instance.pk})"


def _unlike(keeper: models.Model, losers: Sequence[models.Model]) -> list[str]:
    reasons = []
    for loser in losers:
        if type(loser)._meta.concrete_model is not type(keeper)._meta.concrete_model:
            reasons.append(
                _("%(loser)s is of another model than %(keeper)s.")
                % {"loser": named(loser), "keeper": named(keeper)}
            )
        elif loser.pk == keeper.pk:
            reasons.append(_("%(loser)s cannot be merged into itself.") % {"loser": named(loser)})
    return reasons


def _other_kinds(target: Target, losers: Sequence[models.Model]) -> list[str]:
    ours = set(target.keeper_faces)
    return [
        _("%(loser)s is of another kind than %(keeper)s.")
        % {"loser": named(loser), "keeper": named(target.keeper)}
        for loser, theirs in zip(losers, target.loser_faces, strict=True)
        if set(theirs) - ours and ours - set(theirs)
    ]


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
            waiting += [shift.follow(pointer) for pointer in _at_key(model, using)]
    return found


def _at_key(model: ModelType, using: str) -> list[Pointer]:
    return [pointer for pointer in pointers_to({model}, using) if pointer.target == model._meta.pk.attname]


def _loops(target: Target, shifts: dict[ModelType, list[Shift]], plan: Plan) -> list[str]:
    """References to oneself that would lead from the keeper back to it."""
    moved = {(move.pointer.model, move.pointer.column) for move in plan.moves}
    return [
        _("%(keeper)s descends (%(field)s) from a post to be merged: it would be its own ancestor.")
        % {"keeper": named(plan.keeper), "field": shift.pointer.field.verbose_name}
        for model, own in shifts.items()
        for shift in own
        if model in target.keeper_faces and (model, shift.pointer.column) in moved
        if shift.pointer.kind is None and _leads_back(target, shift, plan.using)
    ]


def _leads_back(target: Target, shift: Shift, using: str) -> bool:
    """Whether a way up from the keeper, longer than one step, comes to a loser."""
    pointer = shift.pointer
    value = getattr(target.keeper_faces[pointer.model], pointer.target)
    for step in range(STEPS):
        above = rows_of(pointer.model, using).filter(**{pointer.target: value})
        value = above.values_list(pointer.column, flat=True).first()
        if value is None or value in shift.changes:
            return value is not None and step > 0
    return False


def _held(plan: Plan) -> list[str]:
    """Rows that would go, and that something else still points at."""
    going: defaultdict[ModelType, list[Any]] = defaultdict(list)
    for drop in plan.drops:
        going[drop.model].append(drop.pk)
    return [
        _("%(model)s %(keys)s: rows of %(other)s point at it, and the keeper has one like it already.")
        % {
            "model": capfirst(model._meta.verbose_name),
            "keys": ", ".join(map(str, keys[:5])),
            "other": pointer.model._meta.verbose_name_plural,
        }
        for model, keys in going.items()
        if len(model._meta.pk_fields) == 1
        for pointer in _at_key(model, plan.using)
        if rows_of(pointer.model, plan.using)
        .filter(pointer.match([pointer.stored(key) for key in keys]))
        .exists()
    ]

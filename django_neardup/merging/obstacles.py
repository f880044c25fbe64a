"""What no decision can settle: a merge that has one of these is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..portions import portions
from .relations import ModelType, Pointer, at_key, named, rows_of
from .table import DECIDED, FALLEN, OWN, Report, Shift, Target

STEPS = 1000


def unlike(keeper: models.Model, losers: Sequence[models.Model]) -> list[str]:
    """Posts of another model, and one that would be merged into itself."""
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


def other_kinds(target: Target, losers: Sequence[models.Model]) -> list[str]:
    """Posts whose multi-table children are others than the keeper's."""
    ours = set(target.keeper_faces)
    return [
        _("%(loser)s is of another kind than %(keeper)s.")
        % {"loser": named(loser), "keeper": named(target.keeper)}
        for loser, theirs in zip(losers, target.loser_faces, strict=True)
        if set(theirs) - ours and ours - set(theirs)
    ]


def loops(target: Target, shifts: Mapping[ModelType, Sequence[Shift]], plan: Report) -> list[str]:
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


def held(plan: Report) -> list[str]:
    """Rows that would go, and that something else still points at."""
    going: defaultdict[ModelType, list[Any]] = defaultdict(list)
    for drop in plan.drops:
        if drop.why not in (DECIDED, OWN, FALLEN):
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
        for pointer in at_key(model, plan.using)
        if _is_used(pointer, keys, plan.using)
    ]


def _is_used(pointer: Pointer, keys: Sequence[Any], using: str) -> bool:
    """Whether something points at rows of those keys."""
    rows = rows_of(pointer.model, using)
    values = [pointer.stored(key) for key in keys]
    return any(rows.filter(pointer.match(some)).exists() for some in portions(values))

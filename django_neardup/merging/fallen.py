"""What goes with the rows that were not chosen: it is written to the plan, and moves no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from .cascade import Fall, falling, protecting
from .relations import Pointer, concrete, named, rows_of
from .table import DECIDED, FALLEN, OWN, Drop, Move, Report


def settle_falls(plan: Report) -> None:
    """Find what the deletion of those rows does to others; an obstacle where something forbids it."""
    decided: defaultdict[int, list[models.Model]] = defaultdict(list)
    for drop in plan.drops:
        if drop.why in (DECIDED, OWN):
            decided[drop.loser] += rows_of(drop.model, plan.using).filter(pk=drop.pk)
    for loser, rows in decided.items():
        try:
            fall = falling(rows, plan.using)
        except models.ProtectedError as error:
            plan.obstacles += protecting(error.protected_objects)
        except models.RestrictedError as error:
            plan.obstacles += protecting(error.restricted_objects)
        else:
            _write_fall(plan, loser, rows, fall)


def _write_fall(plan: Report, loser: int, rows: Sequence[models.Model], fall: Fall) -> None:
    posts = [each for each in fall.rows if each in (plan.keeper, *plan.losers)]
    plan.obstacles += [
        _("%(post)s would be deleted with a row that is not chosen.") % {"post": named(post)}
        for post in posts
    ]
    plan.going += [*rows, *fall.rows]
    fallen = {(concrete(row), row.pk) for row in fall.rows}
    plan.moves = [move for move in plan.moves if (move.pointer.model, move.pk) not in fallen]
    plan.drops = [drop for drop in plan.drops if (drop.model, drop.pk) not in fallen]
    plan.drops += [Drop(type(row), _own_key(row), row.pk, loser, FALLEN) for row in fall.rows]
    plan.moves += [
        Move(_pointer(at), row.pk, getattr(row, at.attname), new, loser, False)
        for row, at, new in fall.emptied
        if row not in plan.losers
    ]


def _pointer(column: Any) -> Pointer:
    at = concrete(column.remote_field.model)
    return Pointer(column.model, column, at, column.target_field.attname)


def _own_key(row: models.Model) -> Pointer:
    """A row that falls comes by no pointer of the posts: it is named by its key."""
    model = concrete(row)
    return Pointer(model, model._meta.pk, model, model._meta.pk.attname)

"""The steps of a merge that change rows: spare ones go, what points at the losers moves, the keeper takes values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connections, models

from ..adapters import adapters_of
from ..exceptions import MergeRefused
from ..pipeline import mark_key
from ..pipeline.committing import after_commit
from ..queues import ring
from .plan import Plan
from .relations import ModelType, ancestors, faces, in_portions, rows_of
from .table import DECIDED, ITSELF, OWN, THERE, Move, key_in
from .values import put, refusals


def drop_rows(plan: Plan) -> None:
    """Spare rows go at once, those that were not chosen each by its own ``delete()``, with all that falls with it."""
    spare = [drop for drop in plan.drops if drop.why in (THERE, ITSELF)]
    for model in dict.fromkeys(drop.model for drop in spare):
        for portion in in_portions(model, [drop.pk for drop in spare if drop.model is model], plan.using):
            portion.delete()
    for drop in plan.drops:
        if drop.why in (DECIDED, OWN):
            for row in rows_of(drop.model, plan.using).filter(pk=drop.pk):
                row.delete()


def move_rows(plan: Plan) -> None:
    """One update a set of rows; rows that get another key come last, and where a database checks at once,
    unchecked.
    """
    groups: dict[tuple[Any, ...], list[Move]] = {}
    for move in sorted(plan.moves, key=lambda move: move.pointer.rekeys):
        groups.setdefault((move.pointer, move.new), []).append(move)
    if any(move.pointer.rekeys for move in plan.moves):
        with connections[plan.using].constraint_checks_disabled():
            _update(groups, plan.using)
    else:
        _update(groups, plan.using)
    for pointer, _new in groups:
        _mark_moved(pointer.model, pointer.field, groups[pointer, _new], plan.using)


def put_values(plan: Plan) -> None:
    """The keeper, as it is now, takes the chosen values; the plan's own instance is read afresh."""
    rows = rows_of(type(plan.keeper), plan.using)
    if plan.values:
        try:
            put(rows.get(pk=plan.keeper.pk), plan.values, plan.using)
        except ValidationError as error:
            raise MergeRefused(refusals(error, plan.keeper)) from error
    plan.keeper.refresh_from_db(using=plan.using, from_queryset=rows)


def deepest(loser: models.Model, shared: set[ModelType], using: str) -> models.Model:
    """The loser as it is now, under the last of the models that it shares with the keeper."""
    theirs = {model: face for model, face in faces(loser, using).items() if model in shared}
    model = max(theirs, key=lambda each: len(ancestors(each)))
    found: models.Model = rows_of(model, using).get(pk=key_in(model, theirs[model]))
    return found


def _update(groups: dict[tuple[Any, ...], list[Move]], using: str) -> None:
    for (pointer, new), moves in groups.items():
        for portion in in_portions(pointer.model, [move.pk for move in moves], using):
            portion.update(**{pointer.field.name: new})


def _mark_moved(model: ModelType, field: Any, moves: Sequence[Move], using: str) -> None:
    """Rows whose watched columns moved are compared anew: an update sends no signal."""
    for adapter in adapters_of(model):
        if field.name in adapter.watched:
            for move in moves:
                mark_key(adapter, move.new if move.pointer.rekeys else move.pk, using)
            after_commit(using, ring, using)

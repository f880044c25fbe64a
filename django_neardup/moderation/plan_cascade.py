"""Cascades of rows that were not chosen. The cascaded rows are added to the plan, and they no longer move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from .cascade import CascadeResult, collect_cascade, protection_messages
from .model_plan import CASCADED, KEEPER_NOT_CHOSEN, NOT_CHOSEN, PlanProtocol, RowMove, RowRemoval
from .relations import Reference, concrete_model, describe_object, rows_of


def add_cascaded_rows(plan: PlanProtocol) -> None:
    """Add what the deletion of the rows does to other rows. Add an obstacle if something forbids it."""
    rows_by_loser: defaultdict[int, list[models.Model]] = defaultdict(list)
    for removal in plan.removals:
        if removal.reason in (NOT_CHOSEN, KEEPER_NOT_CHOSEN):
            rows_by_loser[removal.loser_index] += rows_of(removal.model, plan.using).filter(pk=removal.pk)
    for loser_index, rows in rows_by_loser.items():
        try:
            cascade = collect_cascade(rows, plan.using)
        except models.ProtectedError as error:
            plan.obstacles += protection_messages(error.protected_objects)
        except models.RestrictedError as error:
            plan.obstacles += protection_messages(error.restricted_objects)
        else:
            _add_cascade(plan, loser_index, rows, cascade)


def _add_cascade(
    plan: PlanProtocol, loser_index: int, rows: Sequence[models.Model], cascade: CascadeResult
) -> None:
    posts = [row for row in cascade.deleted_rows if row in (plan.keeper, *plan.losers)]
    plan.obstacles += [
        _("%(post)s would be deleted with a row that is not selected.") % {"post": describe_object(post)}
        for post in posts
    ]
    plan.deleted_rows += [*rows, *cascade.deleted_rows]
    cascaded_keys = {(concrete_model(row), row.pk) for row in cascade.deleted_rows}
    plan.moves = [move for move in plan.moves if (move.reference.model, move.pk) not in cascaded_keys]
    plan.removals = [removal for removal in plan.removals if (removal.model, removal.pk) not in cascaded_keys]
    plan.removals += [
        RowRemoval(type(row), _reference_to_own_key(row), row.pk, loser_index, CASCADED)
        for row in cascade.deleted_rows
    ]
    plan.moves += [
        RowMove(_reference_by(field), row.pk, getattr(row, field.attname), new_value, loser_index, False)
        for row, field, new_value in cascade.emptied_references
        if row not in plan.losers
    ]


def _reference_by(column: Any) -> Reference:
    target_model = concrete_model(column.remote_field.model)
    return Reference(column.model, column, target_model, column.target_field.attname)


def _reference_to_own_key(row: models.Model) -> Reference:
    """Return a reference that names a cascaded row by its own key."""
    # No reference to the posts leads to this row.
    model = concrete_model(row)
    return Reference(model, model._meta.pk, model, model._meta.pk.attname)

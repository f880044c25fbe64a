"""The steps of a merge that change rows: delete redundant rows, move references, set the keeper's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connections, models

from ..adapters import adapters_of
from ..db.transactions import call_after_commit
from ..exceptions import MergeRefused
from ..pipeline import mark_key
from ..queues import notify_worker
from .announced_updates import delete_rows, update_rows
from .journal.statement_watch import StatementWatch
from .model_plan import KEEPER_NOT_CHOSEN, NOT_CHOSEN, REDUNDANT, SELF_LINK, RowMove, key_in_table
from .plan import MergePlan
from .relations import ModelType, model_and_parents, rows_by_model, rows_of
from .values import error_messages, save_values


def remove_rows(plan: MergePlan, watch: StatementWatch) -> None:
    """Delete the rows that do not move.

    Redundant rows are deleted in bulk. A row that was not chosen is deleted by its own ``delete()``, with
    its cascade.
    """
    redundant = [removal for removal in plan.removals if removal.reason in (REDUNDANT, SELF_LINK)]
    for model in dict.fromkeys(removal.model for removal in redundant):
        delete_rows(model, [removal.pk for removal in redundant if removal.model is model], plan.using)
    for removal in plan.removals:
        if removal.reason in (NOT_CHOSEN, KEEPER_NOT_CHOSEN):
            watch.post_number = removal.loser_index
            for row in rows_of(removal.model, plan.using).filter(pk=removal.pk):
                row.delete()


def move_rows(plan: MergePlan) -> None:
    """Move the rows, with one update for each set of rows with the same reference and new value."""
    groups: dict[tuple[Any, ...], list[RowMove]] = {}
    # Rows that get another primary key come last.
    for move in sorted(plan.moves, key=lambda move: move.reference.is_primary_key):
        groups.setdefault((move.reference, move.new_value), []).append(move)
    if any(move.reference.is_primary_key for move in plan.moves):
        # Some databases check constraints after each statement, not at the commit.
        with connections[plan.using].constraint_checks_disabled():
            _update_rows(groups, plan.using)
    else:
        _update_rows(groups, plan.using)
    for reference, new_value in groups:
        _mark_moved_rows(reference.model, reference.field, groups[reference, new_value], plan.using)


def save_taken_values(plan: MergePlan) -> None:
    """Save the chosen values in the keeper's current state. Refresh the plan's own instance."""
    rows = rows_of(type(plan.keeper), plan.using)
    if plan.taken_values:
        try:
            save_values(rows.get(pk=plan.keeper.pk), plan.taken_values, plan.using)
        except ValidationError as error:
            raise MergeRefused(error_messages(error, plan.keeper)) from error
    plan.keeper.refresh_from_db(using=plan.using, from_queryset=rows)


def load_as_shared_model(loser: models.Model, shared_models: set[ModelType], using: str) -> models.Model:
    """Return the loser's current state, under the most derived model that it shares with the keeper."""
    shared_rows = {model: row for model, row in rows_by_model(loser, using).items() if model in shared_models}
    model = max(shared_rows, key=lambda candidate: len(model_and_parents(candidate)))
    loser_row: models.Model = rows_of(model, using).get(pk=key_in_table(model, shared_rows[model]))
    return loser_row


def _update_rows(groups: dict[tuple[Any, ...], list[RowMove]], using: str) -> None:
    for (reference, new_value), moves in groups.items():
        update_rows(reference.model, [move.pk for move in moves], {reference.field.name: new_value}, using)


def _mark_moved_rows(model: ModelType, field: Any, moves: Sequence[RowMove], using: str) -> None:
    """Mark rows for another check if one of their watched columns moved."""
    # ``update()`` sends no signal that would mark them.
    for adapter in adapters_of(model):
        if field.name in adapter.watched:
            for move in moves:
                mark_key(adapter, move.new_value if move.reference.is_primary_key else move.pk, using)
            call_after_commit(using, notify_worker, using)

"""The plan of a merge: rows that move, rows that are deleted, and every obstacle.

Planning changes nothing.
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

from .model_plan import ColumnChange, MergePosts, ModelPlan, RowMove, RowRemoval
from .orphaned_files import OrphanedFile, file_names_of, find_orphaned_files
from .plan_cascade import add_cascaded_rows
from .plan_lines import PlanLine, build_plan_lines
from .refusals import (
    check_loops,
    check_referenced_rows,
    check_refused_relations,
    check_same_kind,
    check_same_model,
)
from .relation_rules import MOVE, UNITE, RelationRules
from .relations import ModelType, references_to, references_to_pk, rows_by_model, rows_of
from .sums import AddedAmount, find_sums
from .trees import check_places, is_parent_reference
from .unique_conflicts import UniqueConflict
from .values import ColumnChoice, TakenValue, columns_digest, differing_columns, find_taken_values

MAX_LISTED_CONFLICTS = 50
"""Conflicts of one model that are listed one by one."""


@dataclass
class MergePlan:
    """A planned merge. It may be applied only if ``reasons`` is empty.

    ``obstacles`` are reasons that no decision can settle. ``conflicts`` need decisions. ``column_choices``
    are the columns with differing values. ``deleted_rows`` are the rows that a decision deletes, with their
    cascades. ``loser_child_rows`` are the losers' rows as multi-table children, which are deleted with the
    losers. ``sums`` are the amounts that the losers add to number fields of the keeper.
    """

    keeper: models.Model
    losers: Sequence[models.Model]
    using: str
    choices: Mapping[str, str] = field(default_factory=dict)
    moves: list[RowMove] = field(default_factory=list)
    removals: list[RowRemoval] = field(default_factory=list)
    conflicts: list[UniqueConflict] = field(default_factory=list)
    column_choices: list[ColumnChoice] = field(default_factory=list)
    deleted_rows: list[models.Model] = field(default_factory=list)
    loser_child_rows: list[models.Model] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)
    sums: list[AddedAmount] = field(default_factory=list)

    @property
    def undecided_conflicts(self) -> list[UniqueConflict]:
        """Return the conflicts without a decision."""
        return [conflict for conflict in self.conflicts if conflict.choice is None]

    @property
    def reasons(self) -> list[str]:
        return [*self.obstacles, *self.undecided_messages]

    @property
    def undecided_messages(self) -> list[str]:
        """Return how many decisions are needed, and on what, in words."""
        return _undecided_messages(self.undecided_conflicts)

    @property
    def row_count(self) -> int:
        """Return how many rows the merge changes. Automatic changes by the site and the database are not
        counted.
        """
        changed = (self.losers, self.loser_child_rows, self.moves, self.removals, self.deleted_rows)
        return sum(map(len, changed))

    @property
    def taken_values(self) -> list[TakenValue]:
        """Return the values that the keeper takes from losers."""
        return find_taken_values(self.column_choices, self.keeper, self.losers)

    @property
    def values_digest(self) -> str:
        """Return a digest of the values that may be chosen (32 hexadecimal digits).

        It changes with any of them.
        """
        return columns_digest(self.column_choices)

    @cached_property
    def orphaned_files(self) -> list[OrphanedFile]:
        """Return the files that no row names after the merge. Their storages are queried for the sizes."""
        kept_names = file_names_of([self.keeper]) + [str(value.new_value) for value in self.taken_values]
        return find_orphaned_files([*self.losers, *self.deleted_rows], kept_names)

    def lines(self) -> list[PlanLine]:
        """Return the relations that have rows: first relations with conflicts, then by model and column."""
        return build_plan_lines(self.moves, self.removals, self.conflicts)


def plan_merge(
    keeper: models.Model,
    losers: Sequence[models.Model],
    using: str,
    values: Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
) -> MergePlan:
    """Plan a merge of the objects from their current state in the database.

    ``values`` maps columns to the primary keys of the posts with the wanted values. ``choices`` maps the
    key of a conflict, or the label of a model for all its conflicts, to "keeper" or "loser".
    """
    plan = MergePlan(keeper, losers, using, choices or {})
    plan.obstacles = check_same_model(keeper, losers)
    if plan.obstacles:
        return plan
    posts = MergePosts(
        keeper, rows_by_model(keeper, using), [rows_by_model(loser, using) for loser in losers]
    )
    plan.obstacles = check_same_kind(posts, losers)
    plan.loser_child_rows = _loser_child_rows(posts, losers)
    if not plan.obstacles:
        column_changes = _column_changes(posts, using)
        for model, changes in column_changes.items():
            ModelPlan(model, changes, posts, using).add_to_plan(plan)
        _load_conflict_rows(plan)
        add_cascaded_rows(plan)
        plan.obstacles += check_loops(posts, column_changes, plan)
        plan.obstacles += check_referenced_rows(plan)
        plan.obstacles += check_refused_relations(losers, using) + check_places(keeper, losers)
        plan.sums = find_sums(keeper, losers)
        plan.column_choices, value_errors = differing_columns(keeper, losers, values)
        plan.obstacles += value_errors
    return plan


def _loser_child_rows(posts: MergePosts, losers: Sequence[models.Model]) -> list[models.Model]:
    """Return the losers' child rows under models that the keeper has too."""
    return [
        row
        for loser, rows in zip(losers, posts.loser_rows, strict=True)
        for model, row in rows.items()
        # Under a model that the keeper lacks, a child row moves to the keeper.
        if row is not loser and model in posts.keeper_rows
    ]


def _undecided_messages(conflicts: Sequence[UniqueConflict]) -> list[str]:
    if not conflicts:
        return []
    count = len(conflicts)
    head = ngettext("%(count)d choice is needed.", "%(count)d choices are needed.", count)
    unlisted_counts: defaultdict[ModelType, int] = defaultdict(int)
    listed = []
    for conflict in conflicts:
        if conflict.loser_row is None:
            unlisted_counts[conflict.model] += 1
        else:
            listed.append(str(conflict))
    unlisted = [
        _("%(model)s: %(count)d more like these.")
        % {"model": capfirst(model._meta.verbose_name), "count": unlisted_count}
        for model, unlisted_count in unlisted_counts.items()
    ]
    return [head % {"count": count}, *listed, *unlisted]


def _load_conflict_rows(plan: MergePlan) -> None:
    """Read the rows of the conflicts that are listed one by one."""
    conflicts_by_model: defaultdict[ModelType, list[UniqueConflict]] = defaultdict(list)
    for conflict in plan.conflicts:
        conflicts_by_model[conflict.model].append(conflict)
    for model, conflicts in conflicts_by_model.items():
        listed = conflicts[:MAX_LISTED_CONFLICTS]
        keys = [key for conflict in listed for key in (conflict.pk, *conflict.holder_pks)]
        rows = rows_of(model, plan.using).in_bulk(keys)
        for conflict in listed:
            conflict.loser_row = rows.get(conflict.pk)
            conflict.holder_rows = [rows[key] for key in conflict.holder_pks if key in rows]


def _column_changes(posts: MergePosts, using: str) -> dict[ModelType, list[ColumnChange]]:
    """Return the columns with changing values, by model."""
    changes_by_model: defaultdict[ModelType, list[ColumnChange]] = defaultdict(list)
    rules = RelationRules.of(type(posts.keeper))
    pending = [
        posts.column_change(reference)
        for reference in references_to(set(posts.keeper_rows), using)
        if rules.rule_for_reference(reference) in (MOVE, UNITE) and not is_parent_reference(reference)
    ]
    followed: set[ModelType] = set()
    while pending:
        column_change = pending.pop(0)
        model = column_change.reference.model
        if not column_change.changes:
            continue
        changes_by_model[model].append(column_change)
        # A row with a new primary key takes along the rows that reference it.
        if column_change.reference.is_primary_key and model not in followed:
            followed.add(model)
            pending += [
                column_change.for_reference(reference) for reference in references_to_pk(model, using)
            ]
    return changes_by_model

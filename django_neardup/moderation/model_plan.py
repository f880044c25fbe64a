"""One model's rows in a merge: which of them move, which the keeper already has, and which conflict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, Protocol

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from .journal.serialization import stores_null
from .redundant_rows import content_attributes
from .relation_rules import UNITE, RelationRules
from .relations import ModelType, Reference, rows_of, through_models
from .unique_conflicts import (
    KEEPER,
    LOSER,
    RowValues,
    UniqueConflict,
    UniqueRule,
    UniqueSlots,
    hashable_value,
    unique_rules,
)

REDUNDANT, SELF_LINK, NOT_CHOSEN, KEEPER_NOT_CHOSEN, CASCADED = "there", "itself", "decided", "own", "fallen"
"""Reasons for the deletion of a row, in this order:

- the keeper has an equal row
- the row would link the keeper with itself
- the row was not chosen
- the row is the keeper's own and was not chosen
- the row is deleted with a row that was not chosen
"""


class ValueChange(NamedTuple):
    """The new value of a column, and the index of the loser that the change is about."""

    new_value: Any
    loser_index: int


class RowMove(NamedTuple):
    """A row that will point at the keeper. ``new_value`` is None if its reference is emptied instead."""

    reference: Reference
    pk: Any
    old_value: Any
    new_value: Any
    loser_index: int
    is_through: bool


class RowRemoval(NamedTuple):
    """A row that does not move to the keeper and is deleted. ``reason`` is one of the constants above."""

    model: ModelType
    reference: Reference
    pk: Any
    loser_index: int
    reason: str = REDUNDANT


@dataclass(frozen=True)
class ColumnChange:
    """A column with changing values: ``changes`` maps each old value to its change."""

    reference: Reference
    changes: Mapping[Any, ValueChange]

    def for_reference(self, reference: Reference) -> ColumnChange:
        """Return the change of a column that holds the old values as keys of the changed rows."""
        convert = reference.stored_value if reference.content_type_condition else lambda value: value
        converted_changes = {
            convert(old): ValueChange(convert(change.new_value), change.loser_index)
            for old, change in self.changes.items()
        }
        return ColumnChange(
            reference, {old: change for old, change in converted_changes.items() if old is not None}
        )


@dataclass(frozen=True)
class MergePosts:
    """The posts of a merge, under every model that has a row of them."""

    keeper: models.Model
    keeper_rows: Mapping[ModelType, models.Model]
    loser_rows: Sequence[Mapping[ModelType, models.Model]]

    def column_change(self, reference: Reference) -> ColumnChange:
        """Return the change of the values of a column that references the posts."""
        new_value = reference.value_for(self.keeper_rows[reference.target_model])
        changes = {
            reference.value_for(rows[reference.target_model]): ValueChange(new_value, loser_index)
            for loser_index, rows in enumerate(self.loser_rows)
            if reference.target_model in rows
        }
        return ColumnChange(
            reference,
            {
                old_value: change
                for old_value, change in changes.items()
                if old_value not in (None, new_value)
            },
        )

    def is_keeper(self, model: ModelType, key: Any) -> bool:
        """Return whether the row is one of the keeper's own rows."""
        return model in self.keeper_rows and key_in_table(model, self.keeper_rows[model]) == key

    def find_loser_index(self, model: ModelType, key: Any) -> int | None:
        """Return the index of the loser that owns the row and takes it along.

        Return None for any other row.
        """
        # Child rows under a model that the keeper lacks move to the keeper.
        if model not in self.keeper_rows:
            return None
        loser_rows = (rows_by_model.get(model) for rows_by_model in self.loser_rows)
        return next(
            (
                loser_index
                for loser_index, row in enumerate(loser_rows)
                if row and key_in_table(model, row) == key
            ),
            None,
        )


def key_in_table(model: ModelType, row: models.Model) -> Any:
    """Return the primary key of an object's row in the table of the model."""
    return getattr(row, model._meta.pk.attname)


class PlanProtocol(Protocol):
    """The part of a plan that the planning functions read and write."""

    keeper: models.Model
    losers: Sequence[models.Model]
    using: str
    choices: Mapping[str, str]
    moves: list[RowMove]
    removals: list[RowRemoval]
    conflicts: list[UniqueConflict]
    deleted_rows: list[models.Model]
    obstacles: list[str]


class ModelPlan:
    """The rows of one model that point at the keeper or at losers."""

    def __init__(
        self, model: ModelType, column_changes: Sequence[ColumnChange], posts: MergePosts, using: str
    ) -> None:
        self.model, self.column_changes, self.posts, self.using = model, column_changes, posts, using
        self.is_through = model in through_models()
        rules = RelationRules.of(type(posts.keeper))
        self.is_united = any(
            rules.rule_for_reference(column_change.reference) == UNITE for column_change in column_changes
        )
        # A link between two objects is removed if the keeper has it, even if the row has other values. A
        # named rule says that these values matter.
        self.is_link = self.is_through and not any(
            rules.is_named(model, column_change.reference.field.name) for column_change in column_changes
        )
        self.content_attributes = content_attributes(model, self.is_through)
        self.rules = unique_rules(model, {column_change.reference.column for column_change in column_changes})
        self.slots = UniqueSlots(self.rules, self._content_key if self.content_attributes else None)
        self._converted_fields = [
            field for field in model._meta.local_concrete_fields if hasattr(field, "from_db_value")
        ]
        self._removed_keeper_rows: dict[Any, set[Any]] = {}

    def add_to_plan(self, plan: PlanProtocol) -> None:
        """Add the result for every row to the plan."""
        changed_rows = []
        for row in self._load_rows():
            moves = self._moves_of_row(row)
            if moves:
                changed_rows.append((row, moves))
            # A loser's own row is deleted, so it occupies no unique slot.
            elif (loser_index := self.posts.find_loser_index(self.model, row["pk"])) is None:
                self.slots.occupy(row)
            else:
                plan.moves += self._emptied_references(row, loser_index)
        for row, moves in sorted(changed_rows, key=lambda row_and_moves: row_and_moves[1][0].loser_index):
            self._add_row(row, moves, plan)

    def _add_row(self, row: RowValues, moves: list[RowMove], plan: PlanProtocol) -> None:
        if self.posts.find_loser_index(self.model, row["pk"]) is not None:
            plan.moves += [self._empty_if_unique(move) for move in moves]
            return
        # The keeper itself points at a loser: its reference is emptied if that is possible.
        if self.posts.is_keeper(self.model, row["pk"]):
            plan.obstacles += [
                self._not_null_message(move) for move in moves if not move.reference.field.null
            ]
            plan.moves += [move._replace(new_value=None) for move in moves]
            return
        row_after = {**row, **{move.reference.column: move.new_value for move in moves}}
        if reason := self._redundancy_reason(row_after, moves):
            plan.removals.append(
                RowRemoval(self.model, moves[0].reference, row["pk"], moves[0].loser_index, reason)
            )
        elif violated_rules := self.slots.violated_rules(row_after):
            self._add_conflict(row_after, violated_rules, moves, plan)
        else:
            self.slots.occupy(row_after)
            plan.moves += moves

    def _add_conflict(
        self, row: RowValues, violated_rules: list[UniqueRule], moves: list[RowMove], plan: PlanProtocol
    ) -> None:
        conflict = self._build_conflict(row, violated_rules, moves[0])
        # These rows are posts or parts of posts, so no choice between them is offered.
        if self.model in self.posts.keeper_rows:
            plan.obstacles.append(str(conflict))
            return
        conflict.choice = plan.choices.get(conflict.choice_key) or plan.choices.get(
            self.model._meta.label_lower
        )
        conflict.choice = conflict.choice if conflict.choice in (KEEPER, LOSER) else None
        plan.conflicts.append(conflict)
        if conflict.choice == KEEPER:
            plan.removals.append(
                RowRemoval(self.model, conflict.reference, conflict.pk, conflict.loser_index, NOT_CHOSEN)
            )
        elif conflict.choice == LOSER:
            for pk in self.slots.current_holders(row, violated_rules):
                self._remove_holder(pk, conflict, plan)
            self.slots.occupy(row)
            plan.moves += moves

    def _build_conflict(
        self, row: RowValues, violated_rules: list[UniqueRule], move: RowMove
    ) -> UniqueConflict:
        holder_pks = self.slots.original_holders(row, violated_rules)
        return UniqueConflict(
            self.model, move.reference, row["pk"], holder_pks, violated_rules[0].label, move.loser_index
        )

    def _remove_holder(self, pk: Any, conflict: UniqueConflict, plan: PlanProtocol) -> None:
        """Remove the row that holds the unique slot, as decided."""
        brought_moves = [move for move in plan.moves if move.reference.model is self.model and move.pk == pk]
        plan.moves = [move for move in plan.moves if move not in brought_moves]
        # A row that a loser brought belongs in the record of that loser.
        loser_index, reason = (
            (brought_moves[0].loser_index, NOT_CHOSEN)
            if brought_moves
            else (conflict.loser_index, KEEPER_NOT_CHOSEN)
        )
        # The keeper's own row belongs in the record of the last holder of the slot: it can come back only
        # after that holder has left it.
        keeper_pks = self._removed_keeper_rows.pop(pk, set()) if brought_moves else {pk}
        self._removed_keeper_rows.setdefault(conflict.pk, set()).update(keeper_pks)
        plan.removals.append(RowRemoval(self.model, conflict.reference, pk, loser_index, reason))
        plan.removals = [
            removal._replace(loser_index=conflict.loser_index)
            if removal.model is self.model and removal.pk in keeper_pks
            else removal
            for removal in plan.removals
        ]
        self.slots.release(pk)

    def _moves_of_row(self, row: RowValues) -> list[RowMove]:
        moves = []
        for reference, changes in (
            (column_change.reference, column_change.changes) for column_change in self.column_changes
        ):
            value = row[reference.column]
            if value not in changes or not reference.applies_to(row):
                continue
            change = changes[value]
            if self.posts.find_loser_index(self.model, row["pk"]) != change.loser_index:
                moves.append(
                    RowMove(
                        reference, row["pk"], value, change.new_value, change.loser_index, self.is_through
                    )
                )
        return moves

    def _empty_if_unique(self, move: RowMove) -> RowMove:
        """Empty the reference of one loser to another if the column is unique."""
        # The loser is deleted later, and until then it must not take a unique slot.
        field = move.reference.field
        return move._replace(new_value=None) if field.unique and field.null else move

    def _emptied_references(self, row: RowValues, loser_index: int) -> Iterator[RowMove]:
        """Yield moves that empty the unique references of a loser to the keeper: another row may take the place."""
        for reference, changes in (
            (column_change.reference, column_change.changes) for column_change in self.column_changes
        ):
            value = row[reference.column]
            is_keeper = any(change.new_value == value for change in changes.values())
            if is_keeper and reference.field.unique and reference.field.null:
                yield RowMove(reference, row["pk"], value, None, loser_index, self.is_through)

    def _load_rows(self) -> Iterable[RowValues]:
        """Return the rows that point at losers, and the rows that point at the keeper if they matter."""
        with_keeper = self.is_through or bool(self.rules)
        condition = reduce(
            or_,
            (
                column_change.reference.matching_q(self._referenced_values(column_change, with_keeper))
                for column_change in self.column_changes
            ),
        )
        expressions = {name: value for rule in self.rules for name, value in rule.expressions.items()}
        rows = rows_of(self.model, self.using).filter(condition).annotate(**expressions).order_by("pk")
        return [self._with_nulls(row) for row in rows.values("pk", *self._column_names(), *expressions)]

    def _with_nulls(self, row: dict[str, Any]) -> RowValues:
        """Return the row with None where its columns hold NULL: NULL clashes with nothing."""
        for field in self._converted_fields:
            if field.attname in row and stores_null(field, row[field.attname]):
                row[field.attname] = None
        return row

    def _referenced_values(self, column_change: ColumnChange, with_keeper: bool) -> set[Any]:
        return {
            *column_change.changes,
            *({change.new_value for change in column_change.changes.values()} if with_keeper else ()),
        }

    def _column_names(self) -> list[str]:
        if self.is_through:
            return [field.attname for field in self.model._meta.local_concrete_fields]
        names = {column_change.reference.column for column_change in self.column_changes}
        names |= {
            column_change.reference.content_type_condition[0]
            for column_change in self.column_changes
            if column_change.reference.content_type_condition
        }
        for rule in self.rules:
            names |= {*rule.column_names} - {*rule.expressions}
        return sorted({*names, *self.content_attributes})

    def _redundancy_reason(self, row: RowValues, moves: list[RowMove]) -> str:
        """Return why a row need not move: an equal link or marker row exists.

        Return "" if the row must move.
        """
        if self.is_through and self._is_self_link(row, moves):
            return SELF_LINK
        has_equal_row, violates_rule = self.slots.has_equal_row(row), bool(self.slots.violated_rules(row))
        if self.is_united and violates_rule:
            return REDUNDANT
        is_redundant = has_equal_row or violates_rule if self.is_link else has_equal_row and violates_rule
        return REDUNDANT if is_redundant else ""

    def _content_key(self, row: RowValues) -> tuple[Any, ...]:
        return tuple(hashable_value(row[name]) for name in self.content_attributes)

    def _is_self_link(self, row: RowValues, moves: list[RowMove]) -> bool:
        references = [
            column_change.reference
            for column_change in self.column_changes
            if column_change.reference.target_model is moves[0].reference.target_model
        ]
        columns = {reference.column for reference in references if reference.content_type_condition is None}
        return len(columns) > 1 and len({row[column] for column in columns}) == 1

    def _not_null_message(self, move: RowMove) -> str:
        return _(
            "%(model)s %(key)s: the keeper itself refers to this post by “%(field)s”, which cannot be empty."
        ) % {
            "model": capfirst(self.model._meta.verbose_name),
            "key": move.pk,
            "field": move.reference.field.verbose_name,
        }

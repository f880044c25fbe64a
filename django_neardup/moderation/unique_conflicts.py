"""Unique conflicts: values that two rows cannot share once both point at the keeper."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import BooleanField, Case, F, UniqueConstraint, Value, When
from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _

from .relations import ModelType, Reference, get_field

RowValues = Mapping[str, Any]
KEEPER, LOSER = "keeper", "loser"
"""The choices in a conflict: the row that exists already, or the row of the merged post."""


@dataclass
class UniqueConflict:
    """A unique slot of the keeper that two rows claim.

    ``pk`` is the row of the loser with index ``loser_index``. ``holder_pks`` are the rows that hold the
    slot before any decision: the keeper's own row, or another loser's. ``choice`` is KEEPER or LOSER, or
    None before a decision. ``loser_row`` and ``holder_rows`` are loaded only if the conflict is listed.
    """

    model: ModelType
    reference: Reference
    pk: Any
    holder_pks: tuple[Any, ...]
    rule_label: str
    loser_index: int
    choice: str | None = None
    loser_row: models.Model | None = None
    holder_rows: list[models.Model] = field(default_factory=list)

    @property
    def choice_key(self) -> str:
        """Return the name of the conflict in a form."""
        # It names all rows, so that a decision never applies to other rows.
        return ":".join(map(str, (self.model._meta.label_lower, self.pk, *self.holder_pks)))

    def __str__(self) -> str:
        return _("%(model)s %(key)s “%(name)s”: the keeper has one with the same %(rule)s already.") % {
            "model": capfirst(self.model._meta.verbose_name),
            "key": self.pk,
            "name": str(self.loser_row or "")[:100],
            "rule": self.rule_label,
        }


@dataclass(frozen=True)
class UniqueRule:
    """Values that no two rows of a model may share.

    ``column_names`` are attributes, or keys of ``expressions``, which the database computes for each row
    before the change. ``condition`` is the key of the expression that is true for the rows under the rule.
    """

    column_names: tuple[str, ...]
    label: str
    expressions: Mapping[str, Any] = field(default_factory=dict, compare=False)
    condition: str = ""
    nulls_distinct: bool = True

    def unique_values(self, row: RowValues) -> tuple[Any, ...] | None:
        """Return the values that must be unique. Return None if the rule does not cover the row."""
        values = tuple(hashable_value(row[name]) for name in self.column_names)
        if self.condition and not row[self.condition]:
            return None
        return None if self.nulls_distinct and None in values else values


def hashable_value(value: Any) -> Any:
    """Return a value in a form that can be compared and hashed."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    return repr(value) if isinstance(value, list | dict | set) else value


def unique_rules(model: ModelType, moved_columns: Collection[str]) -> list[UniqueRule]:
    """Return the rules of a model that concern any of the attributes.

    Rules that cannot be evaluated before the change are left out.
    """
    rules = [*_field_rules(model), *_constraint_rules(model, moved_columns)]
    return [rule for rule in rules if {*rule.column_names} & {*moved_columns}]


def _field_rules(model: ModelType) -> Iterator[UniqueRule]:
    for column in model._meta.local_concrete_fields:
        if column.unique:
            yield _build_rule(model, [column.name])
    for names in model._meta.unique_together:
        yield _build_rule(model, names)
    if len(model._meta.pk_fields) > 1:
        yield _build_rule(model, [column.name for column in model._meta.pk_fields])


def _constraint_rules(model: ModelType, moved_columns: Collection[str]) -> Iterator[UniqueRule]:
    for number, constraint in enumerate(model._meta.constraints):
        if not isinstance(constraint, UniqueConstraint):
            continue
        names, expressions = _constraint_columns(model, constraint, moved_columns, f"neardup_{number}")
        condition = f"neardup_{number}_condition" if constraint.condition else ""
        if constraint.condition:
            condition_holds = When(constraint.condition, then=Value(True))
            expressions[condition] = Case(condition_holds, default=Value(False), output_field=BooleanField())
        if names:
            label = _field_labels(model, constraint.fields) or constraint.name
            nulls_distinct = constraint.nulls_distinct is not False
            yield UniqueRule(tuple(names), label, expressions, condition, nulls_distinct)


def _constraint_columns(
    model: ModelType, constraint: UniqueConstraint, moved_columns: Collection[str], prefix: str
) -> tuple[list[str], dict[str, Any]]:
    """Return the constraint's columns and expressions.

    Return empty ones if an expression uses a moved column.
    """
    names = [get_field(model, name).attname for name in constraint.fields]
    expressions: dict[str, Any] = {}
    for number, expression in enumerate(constraint.expressions):
        plain_expression = strip_ordering(expression)
        if isinstance(plain_expression, F):
            names.append(*_column_names(model, [plain_expression]))
        elif _column_names(model, plain_expression.flatten()) & {*moved_columns}:
            # The database computes expressions before the change, with the old value of the column.
            return [], {}
        else:
            expressions[f"{prefix}_{number}"] = plain_expression
            names.append(f"{prefix}_{number}")
    return names, expressions


def strip_ordering(expression: Any) -> Any:
    """Return an expression without its ordering and its operator class."""
    strip = getattr(expression, "get_expression_for_validation", None)
    return strip() if strip else expression


def _column_names(model: ModelType, parts: Iterable[Any]) -> set[str]:
    """Return the columns that the parts of an expression name."""
    columns: list[Any] = [part for part in parts if isinstance(part, F)]
    return {get_field(model, part.name).attname for part in columns}


def _build_rule(model: ModelType, names: Collection[str]) -> UniqueRule:
    return UniqueRule(tuple(get_field(model, name).attname for name in names), _field_labels(model, names))


def _field_labels(model: ModelType, names: Iterable[str]) -> str:
    return get_text_list([str(get_field(model, name).verbose_name) for name in names], _("and"))


class UniqueSlots:
    """The holders of the slots, by unique rules.

    With ``content_key``, rows of equal content share a slot too.
    """

    def __init__(self, rules: Sequence[UniqueRule], content_key: Callable[[RowValues], Any] | None) -> None:
        self.rules, self.content_key = rules, content_key
        self._holders: dict[tuple[UniqueRule | None, Any], Any] = {}
        self._original_holders: dict[tuple[UniqueRule | None, Any], Any] = {}

    def occupy(self, row: RowValues) -> None:
        """Let the row hold its slots that are free."""
        keys: list[tuple[UniqueRule | None, Any]] = [(rule, rule.unique_values(row)) for rule in self.rules]
        if self.content_key is not None:
            keys.append((None, self.content_key(row)))
        for key in keys:
            self._holders.setdefault(key, row["pk"])
            self._original_holders.setdefault(key, row["pk"])

    def release(self, pk: Any) -> None:
        """Free all slots of the row."""
        self._holders = {key: holder for key, holder in self._holders.items() if holder != pk}

    def violated_rules(self, row: RowValues) -> list[UniqueRule]:
        """Return the rules by which another row holds a slot of this row."""
        keys = ((rule, rule.unique_values(row)) for rule in self.rules)
        return [rule for rule, key in keys if key is not None and (rule, key) in self._holders]

    def has_equal_row(self, row: RowValues) -> bool:
        """Return whether a row of the same content exists."""
        return self.content_key is not None and (None, self.content_key(row)) in self._holders

    def current_holders(self, row: RowValues, rules: Iterable[UniqueRule]) -> tuple[Any, ...]:
        """Return the rows that hold the slots of this row."""
        return tuple(dict.fromkeys(self._holders[rule, rule.unique_values(row)] for rule in rules))

    def original_holders(self, row: RowValues, rules: Iterable[UniqueRule]) -> tuple[Any, ...]:
        """Return the rows that would hold the slots of this row if no slot had been freed."""
        return tuple(dict.fromkeys(self._original_holders[rule, rule.unique_values(row)] for rule in rules))

"""The rows that hold the unique values that a stored row needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, UniqueConstraint, Value
from django.db.models.lookups import Exact

from ..journal.serialization import (
    RowId,
    deserialize_value,
    hashable_key,
    row_id_of,
    serialize_key,
    stored_value,
    stores_null,
)
from ..relations import ModelType, rows_of
from ..unique_conflicts import strip_ordering


class ValueHolder(NamedTuple):
    """A row that holds a unique value that another row needs, and the columns of the unique rule."""

    row_id: RowId
    column_names: frozenset[str]


def find_value_holders(model: ModelType, row: Mapping[str, Any], using: str) -> Iterator[ValueHolder]:
    """Yield the rows that prevent the insertion of a stored row. Its primary key is not checked."""
    values = {field.name: _value_of(field, row) for field in model._meta.local_concrete_fields}
    for column_names, rows in _holders_by_rule(model, values, using):
        for key in rows.values_list("pk", flat=True):
            row_id = model._meta.label_lower, hashable_key(serialize_key(model, key))
            if row_id != row_id_of(row):
                yield ValueHolder(row_id, frozenset(column_names))


def _value_of(field: Any, row: Mapping[str, Any]) -> Any:
    stored = stored_value(row, field.name)
    if stored is None:  # of a row that is not stored whole, too: some fields refuse to read None
        return None
    value = deserialize_value(field, stored)
    return None if stores_null(field, value) else value


def unique_column_values(model: ModelType, row: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return the unique columns of a stored row with their values, without its primary key.

    Rules by expressions, and the conditions of rules, are left out.
    """
    rules = [rule.fields for rule in model._meta.constraints if isinstance(rule, UniqueConstraint)]
    column_sets = [list(names) for names in (*_unique_column_sets(model), *rules) if names]
    fields = {field.name: field for field in model._meta.local_concrete_fields}
    values = [
        [None if _value_of(fields[name], row) is None else stored_value(row, name) for name in names]
        for names in column_sets
    ]
    return {
        (repr(names), repr(column_values))
        for names, column_values in zip(column_sets, values)
        if None not in column_values
    }


def _unique_column_sets(model: ModelType) -> list[list[str]]:
    """Return the sets of columns that are unique in the table, without the primary key."""
    fields = model._meta.local_concrete_fields
    column_sets = [[field.name] for field in fields if field.unique and not field.primary_key]
    return [*column_sets, *map(list, model._meta.unique_together)]


def _holders_by_rule(
    model: ModelType, values: Mapping[str, Any], using: str
) -> Iterator[tuple[set[str], QuerySet[Any]]]:
    rows = rows_of(model, using)
    for column_names in _unique_column_sets(model):
        if all(values[column_name] is not None for column_name in column_names):
            yield (
                set(column_names),
                rows.filter(**{column_name: values[column_name] for column_name in column_names}),
            )
    for rule in model._meta.constraints:
        if isinstance(rule, UniqueConstraint):
            yield from _holders_by_constraint(model, rule, values, rows)


def _holders_by_constraint(
    model: ModelType, rule: UniqueConstraint, values: Mapping[str, Any], rows: QuerySet[Any]
) -> Iterator[tuple[set[str], QuerySet[Any]]]:
    """Yield the columns of a constraint, and the rows that hold the values of these columns."""
    # This works as ``UniqueConstraint.validate()``, but returns the rows and leaves no row out.
    fields = {field.name: field for field in model._meta.local_concrete_fields}
    expressions_by_name = {name: Value(value, fields[name]) for name, value in values.items()}
    if rule.nulls_distinct is not False and any(values[name] is None for name in rule.fields):
        return
    if rule.condition is not None:
        if not Q(rule.condition).check(expressions_by_name, using=rows.db):
            return
        rows = rows.filter(rule.condition)
    for name in rule.fields:
        rows = rows.filter(**({f"{name}__isnull": True} if values[name] is None else {name: values[name]}))
    for expression in map(strip_ordering, rule.expressions):
        rows = rows.filter(
            Exact(expression, expression.replace_expressions(_replacements(expressions_by_name)))
        )
    yield (
        {*rule.fields, *(name for expression in rule.expressions for name in _field_names(expression))},
        rows,
    )


def _replacements(given: Mapping[str, Value]) -> dict[F, Value]:
    return {F(name): value for name, value in given.items()}


def _field_names(expression: Any) -> Iterator[str]:
    parts = expression.flatten() if hasattr(expression, "flatten") else [expression]
    columns: list[Any] = [part for part in parts if isinstance(part, F)]
    return (part.name for part in columns)

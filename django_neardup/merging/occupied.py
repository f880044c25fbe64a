"""Who has, by now, the unique values that a stored row needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, UniqueConstraint, Value
from django.db.models.lookups import Exact

from .clashes import bare_of
from .relations import ModelType, rows_of
from .returning import value_in
from .stored import Place, frozen, place_of, plain_key, value_of


class Holder(NamedTuple):
    """A row that has what another one needs, and the columns of the rule that says so."""

    place: Place
    names: frozenset[str]


def holders(model: ModelType, row: Mapping[str, Any], using: str) -> Iterator[Holder]:
    """The rows that stand against putting that stored row in, its own key aside."""
    values = {
        field.name: value_of(field, value_in(row, field.name)) for field in model._meta.local_concrete_fields
    }
    for names, rows in _rules(model, values, using):
        for key in rows.values_list("pk", flat=True):
            place = model._meta.label_lower, frozen(plain_key(model, key))
            if place != place_of(row):
                yield Holder(place, frozenset(names))


def claims(model: ModelType, row: Mapping[str, Any]) -> set[tuple[str, str]]:
    """What a stored row has for itself alone, its key aside: columns and their values. Rules by expressions are left
    out, and so are conditions."""
    rules = [rule.fields for rule in model._meta.constraints if isinstance(rule, UniqueConstraint)]
    sets = [list(names) for names in (*_sets(model), *rules) if names]
    values = [[value_in(row, name) for name in names] for names in sets]
    return {(repr(names), repr(each)) for names, each in zip(sets, values) if None not in each}


def _sets(model: ModelType) -> list[list[str]]:
    """The columns that have one value, or values, only once in the table, the key aside."""
    fields = model._meta.local_concrete_fields
    sets = [[field.name] for field in fields if field.unique and not field.primary_key]
    return [*sets, *map(list, model._meta.unique_together)]


def _rules(
    model: ModelType, values: Mapping[str, Any], using: str
) -> Iterator[tuple[set[str], QuerySet[Any]]]:
    rows = rows_of(model, using)
    for names in _sets(model):
        if all(values[name] is not None for name in names):
            yield set(names), rows.filter(**{name: values[name] for name in names})
    for rule in model._meta.constraints:
        if isinstance(rule, UniqueConstraint):
            yield from _constraint(model, rule, values, rows)


def _constraint(
    model: ModelType, rule: UniqueConstraint, values: Mapping[str, Any], rows: QuerySet[Any]
) -> Iterator[tuple[set[str], QuerySet[Any]]]:
    """As ``UniqueConstraint.validate``, but it says who, and leaves no row out."""
    fields = {field.name: field for field in model._meta.local_concrete_fields}
    given = {name: Value(value, fields[name]) for name, value in values.items()}
    if rule.nulls_distinct is not False and any(values[name] is None for name in rule.fields):
        return
    if rule.condition is not None:
        if not Q(rule.condition).check(given, using=rows.db):
            return
        rows = rows.filter(rule.condition)
    for name in rule.fields:
        rows = rows.filter(**({f"{name}__isnull": True} if values[name] is None else {name: values[name]}))
    for expression in map(bare_of, rule.expressions):
        rows = rows.filter(Exact(expression, expression.replace_expressions(_replacements(given))))
    yield {*rule.fields, *(name for each in rule.expressions for name in _names(each))}, rows


def _replacements(given: Mapping[str, Value]) -> dict[F, Value]:
    return {F(name): value for name, value in given.items()}


def _names(expression: Any) -> Iterator[str]:
    parts = expression.flatten() if hasattr(expression, "flatten") else [expression]
    named: list[Any] = [part for part in parts if isinstance(part, F)]
    return (part.name for part in named)

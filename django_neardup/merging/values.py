"""Which of the posts' values the keeper has afterwards, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..text.hashing import digest
from .clashes import plain
from .relations import ModelType, rows_of


class Value(NamedTuple):
    """A value that the keeper takes: the table and the primary key of its row, the column, the number of the loser
    whose value it is."""

    model: ModelType
    pk: Any
    field: Any
    old: Any
    new: Any
    loser: int


@dataclass(frozen=True)
class Option:
    """A value that may be chosen, and the posts that have it."""

    value: Any
    owners: tuple[models.Model, ...]
    empty: bool

    @property
    def pk(self) -> Any:
        """The primary key by which it is chosen: that of its first owner."""
        return self.owners[0].pk


@dataclass(frozen=True)
class Column:
    """A column in which the posts differ: the keeper's value first, then the others' in their order."""

    field: Any
    options: tuple[Option, ...]
    chosen: Option

    @property
    def own(self) -> Option:
        """The keeper's value."""
        return self.options[0]

    @property
    def changes(self) -> bool:
        return self.chosen is not self.own


def columns(
    keeper: models.Model, losers: Sequence[models.Model], values: Mapping[str, Any] | None
) -> tuple[list[Column], list[str]]:
    """The columns that differ, each with what is chosen, and what is wrong with those choices, in words.

    ``values``: primary keys of the posts whose value is taken, by the column's name. Where nothing is said the keeper's
    value stays; an empty one is filled where the others agree on one and no other row may not have it.
    """
    wanted = {name: str(pk) for name, pk in (values or {}).items()}
    fields = {field.name: field for field in offered(type(keeper))}
    found = [_column(field, keeper, losers, wanted.get(name)) for name, field in fields.items()]
    differing = [column for column in found if column is not None]
    posts = {str(each.pk) for each in (keeper, *losers)}
    strange = [name for name, pk in wanted.items() if name not in fields or pk not in posts]
    reasons = [_("“%(name)s” cannot be taken from that post.") % {"name": name} for name in strange]
    return differing, reasons + [reason for column in differing for reason in _wrong(column, keeper)]


def offered(model: ModelType) -> Iterator[Any]:
    """The columns whose values may be chosen: the model's own and its parents', as far as people may edit them.

    Not keys, links to parents, dates that set themselves, and references to posts of the same model: these move.
    """
    fields: Sequence[Any] = model._meta.concrete_fields
    for field in fields:
        target = field.remote_field.model._meta.concrete_model if field.is_relation else None
        same = target is not None and (issubclass(model, target) or issubclass(target, model))
        sets_itself = getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
        if field.editable and not (field.primary_key or sets_itself or same):
            yield field


def taken(
    plan_columns: Sequence[Column], keeper: models.Model, losers: Sequence[models.Model]
) -> list[Value]:
    """The values that change."""
    numbers = {loser.pk: number for number, loser in enumerate(losers)}
    return [
        Value(
            column.field.model,
            _row_key(keeper, column.field.model),
            column.field,
            column.own.value,
            column.chosen.value,
            numbers[column.chosen.pk],
        )
        for column in plan_columns
        if column.changes
    ]


def stamp_of(columns: Sequence[Column]) -> str:
    """A digest of the columns and of what may be chosen there, whatever is."""
    parts = [
        (column.field.name, str(plain(option.value)), [str(owner.pk) for owner in option.owners])
        for column in columns
        for option in column.options
    ]
    return digest([repr(parts)]).hex()


def put(instance: models.Model, values: Sequence[Value], using: str) -> None:
    """Give the values to that object by its own ``save()``; ``ValidationError`` where they do not fit it now."""
    for value in values:
        setattr(instance, value.field.attname, value.new)
    names = {value.field.name for value in values}
    instance.clean_fields(exclude={field.name for field in instance._meta.fields} - names)
    _check_unique(instance, values, using)
    instance.validate_constraints()
    instance.save(using=using, update_fields=sorted(names))


def _column(
    field: Any, keeper: models.Model, losers: Sequence[models.Model], wanted: str | None
) -> Column | None:
    by_value: dict[Any, list[models.Model]] = {}
    for instance in (keeper, *losers):
        by_value.setdefault(plain(_value(field, instance)), []).append(instance)
    if len(by_value) < 2:
        return None
    options = tuple(_option(field, owners) for owners in by_value.values())
    named = [option for option in options if wanted in [str(owner.pk) for owner in option.owners]]
    return Column(field, options, named[0] if named else _default(field, options))


def _option(field: Any, owners: Sequence[models.Model]) -> Option:
    value = _value(field, owners[0])
    return Option(value, tuple(owners), value in field.empty_values)


def _default(field: Any, options: Sequence[Option]) -> Option:
    own, *others = options
    return others[0] if own.empty and len(others) == 1 and not _is_unique(field) else own


def _is_unique(field: Any) -> bool:
    model = field.model
    together = {name for names in model._meta.unique_together for name in names}
    together |= {name for rule in model._meta.constraints for name in getattr(rule, "fields", ())}
    return bool(field.unique) or field.name in together


def _value(field: Any, instance: models.Model) -> Any:
    value = field.value_from_object(instance)
    return (value.name or "") if isinstance(value, models.fields.files.FieldFile) else value


def _wrong(column: Column, keeper: models.Model) -> list[str]:
    if not column.changes:
        return []
    value = column.field.value_from_object(column.chosen.owners[0])
    try:
        column.field.clean(value, keeper)
    except ValidationError as error:
        return [_in_words(column.field, message) for message in error.messages]
    except OSError:
        return [_in_words(column.field, _("Its file cannot be read: it may be no more in its storage."))]
    return []


def refusals(error: ValidationError, instance: models.Model) -> list[str]:
    """What is wrong with the values, in words, each with its column's name."""
    if not hasattr(error, "error_dict"):
        return list(error.messages)
    fields = {field.name: field for field in instance._meta.fields}
    return [
        _in_words(fields[name], message) if name in fields else message
        for name, messages in error.message_dict.items()
        for message in messages
    ]


def _in_words(field: Any, message: str) -> str:
    return f"{capfirst(field.verbose_name)}: {message}"


def _row_key(instance: models.Model, model: ModelType) -> Any:
    return getattr(instance, model._meta.pk.attname)


def _check_unique(instance: models.Model, values: Sequence[Value], using: str) -> None:
    """Each changed column that no two rows may share, in that database: the default one is not asked instead."""
    for value in values:
        if not value.field.unique or value.new in value.field.empty_values:
            continue
        others = rows_of(value.model, using).filter(**{value.field.name: value.new}).exclude(pk=value.pk)
        if others.exists():
            raise ValidationError(
                {value.field.name: _("Another row has this value, and no two may share it.")}
            )

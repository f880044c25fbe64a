"""The values of the keeper after a merge, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..adapters import adapters_of
from ..text.hashing import digest
from .journal.serialization import comparable_value, stores_null
from .relations import ModelType, rows_of
from .trees import place_fields


class TakenValue(NamedTuple):
    """A value that the keeper takes.

    ``model`` and ``pk`` name the keeper's row, ``loser_index`` the value's owner.
    """

    model: ModelType
    pk: Any
    field: Any
    old_value: Any
    new_value: Any
    loser_index: int


@dataclass(frozen=True)
class ValueOption:
    """A value that may be chosen, and the posts that have it."""

    value: Any
    owners: tuple[models.Model, ...]
    is_empty: bool

    @property
    def pk(self) -> Any:
        """Return the primary key that stands for the value in a choice: that of its first owner."""
        return self.owners[0].pk


@dataclass(frozen=True)
class ColumnChoice:
    """A column in which the posts differ.

    The keeper's value is the first option, the others follow in their order.
    """

    field: Any
    options: tuple[ValueOption, ...]
    chosen_option: ValueOption

    @property
    def keeper_option(self) -> ValueOption:
        """Return the keeper's value."""
        return self.options[0]

    @property
    def is_changed(self) -> bool:
        return self.chosen_option is not self.keeper_option


def differing_columns(
    keeper: models.Model, losers: Sequence[models.Model], chosen_posts: Mapping[str, Any] | None
) -> tuple[list[ColumnChoice], list[str]]:
    """Return the columns that differ, each with the chosen value, and the errors of the choices in words.

    ``chosen_posts`` maps column names to primary keys of the posts with the chosen values. In other columns
    the keeper's value stays. If it is empty, it is filled if the others agree on one value and the column
    is not unique.
    """
    chosen_pks = {name: str(pk) for name, pk in (chosen_posts or {}).items()}
    fields = {field.name: field for field in choosable_fields(type(keeper))}
    columns = [_build_column(field, keeper, losers, chosen_pks.get(name)) for name, field in fields.items()]
    differing = [column for column in columns if column is not None]
    post_pks = {str(post.pk) for post in (keeper, *losers)}
    invalid_names = [name for name, pk in chosen_pks.items() if name not in fields or pk not in post_pks]
    reasons = [_("“%(name)s” cannot be taken from that post.") % {"name": name} for name in invalid_names]
    return differing, reasons + [reason for column in differing for reason in _choice_errors(column, keeper)]


def choosable_fields(model: ModelType) -> Iterator[Any]:
    """Yield the columns with values that may be chosen: editable ones of the model and its parents.

    Keys, links to parents and automatic dates are left out. So are references to posts of the same model,
    because these move, slugs, which are part of addresses, and the ``fixed_fields`` and ``sum_fields`` of the
    adapter.
    """
    fixed = {
        name for adapter in adapters_of(model) for name in (*adapter.fixed_fields, *adapter.sum_fields)
    } | place_fields(model)
    # With django-modeltranslation, a field with a column for each language stands for one of them.
    fixed |= {
        field.translated_field.name
        for field in model._meta.concrete_fields
        if hasattr(field, "translated_field")
    }
    fields: Sequence[Any] = model._meta.concrete_fields
    for field in fields:
        target_model = field.remote_field.model._meta.concrete_model if field.is_relation else None
        is_same_model = target_model is not None and (
            issubclass(model, target_model) or issubclass(target_model, model)
        )
        is_automatic = getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
        if (
            field.editable
            and field.name not in fixed
            and not isinstance(field, models.SlugField)
            and not (field.primary_key or is_automatic or is_same_model)
        ):
            yield field


def find_taken_values(
    columns: Sequence[ColumnChoice], keeper: models.Model, losers: Sequence[models.Model]
) -> list[TakenValue]:
    """Return the values that change."""
    loser_indexes = {loser.pk: loser_index for loser_index, loser in enumerate(losers)}
    return [
        TakenValue(
            column.field.model,
            _key_in_table(keeper, column.field.model),
            column.field,
            column.keeper_option.value,
            column.chosen_option.value,
            loser_indexes[column.chosen_option.pk],
        )
        for column in columns
        if column.is_changed
    ]


def columns_digest(columns: Sequence[ColumnChoice]) -> str:
    """Return a digest of the columns and of all values that may be chosen. The choices do not affect it."""
    parts = [
        (
            column.field.name,
            comparable_value(column.field, option.value),
            [str(owner.pk) for owner in option.owners],
        )
        for column in columns
        for option in column.options
    ]
    return digest([repr(parts)]).hex()


def save_values(instance: models.Model, values: Sequence[TakenValue], using: str) -> None:
    """Set the values and save the object by its own ``save()``.

    Raise ValidationError if a value no longer fits.
    """
    names = {value.field.name for value in values}
    other_fields = [field for field in instance._meta.concrete_fields if field.name not in names]
    values_before = _comparable_values(instance, other_fields)
    for value in values:
        setattr(instance, value.field.attname, value.new_value)
    instance.clean_fields(exclude={field.name for field in instance._meta.fields} - names)
    _check_unique(instance, values, using)
    instance.validate_constraints()
    instance.save(using=using, update_fields=sorted(names))
    # ``save()`` or a receiver may compute other columns from the values, such as a text as HTML or a slug.
    values_after = _comparable_values(instance, other_fields)
    computed = {
        field.attname: getattr(instance, field.attname)
        for field in other_fields
        if values_after[field.name] != values_before[field.name]
    }
    if computed:
        rows_of(type(instance), using).filter(pk=instance.pk).update(**computed)


def _comparable_values(instance: models.Model, fields: Iterable[Any]) -> dict[str, str]:
    return {field.name: comparable_value(field, _field_value(field, instance)) for field in fields}


def _build_column(
    field: Any, keeper: models.Model, losers: Sequence[models.Model], chosen_pk: str | None
) -> ColumnChoice | None:
    posts_by_value: dict[str, list[models.Model]] = {}
    for post in (keeper, *losers):
        posts_by_value.setdefault(comparable_value(field, _field_value(field, post)), []).append(post)
    if len(posts_by_value) < 2:
        return None
    options = tuple(_build_option(field, owners) for owners in posts_by_value.values())
    chosen_options = [option for option in options if chosen_pk in [str(owner.pk) for owner in option.owners]]
    return ColumnChoice(
        field, options, chosen_options[0] if chosen_options else _default_option(field, options)
    )


def _build_option(field: Any, owners: Sequence[models.Model]) -> ValueOption:
    value = _field_value(field, owners[0])
    return ValueOption(value, tuple(owners), stores_null(field, value) or value in field.empty_values)


def _default_option(field: Any, options: Sequence[ValueOption]) -> ValueOption:
    keeper_option, *others = options
    return (
        others[0] if keeper_option.is_empty and len(others) == 1 and not _is_unique(field) else keeper_option
    )


def _is_unique(field: Any) -> bool:
    model = field.model
    together = {name for names in model._meta.unique_together for name in names}
    together |= {name for rule in model._meta.constraints for name in getattr(rule, "fields", ())}
    return bool(field.unique) or field.name in together


def _field_value(field: Any, instance: models.Model) -> Any:
    value = field.value_from_object(instance)
    return (value.name or "") if isinstance(value, models.fields.files.FieldFile) else value


def _choice_errors(column: ColumnChoice, keeper: models.Model) -> list[str]:
    if not column.is_changed:
        return []
    value = column.field.value_from_object(column.chosen_option.owners[0])
    try:
        # Validators may read a file.
        column.field.clean(value, keeper)
    except ValidationError as error:
        return [_field_message(column.field, message) for message in error.messages]
    except OSError:
        return [
            _field_message(column.field, _("Its file cannot be read: it may be missing from the storage."))
        ]
    return []


def error_messages(error: ValidationError, instance: models.Model) -> list[str]:
    """Return the errors in words, each with the label of its column."""
    if not hasattr(error, "error_dict"):
        return list(error.messages)
    fields = {field.name: field for field in instance._meta.fields}
    return [
        _field_message(fields[name], message) if name in fields else message
        for name, messages in error.message_dict.items()
        for message in messages
    ]


def _field_message(field: Any, message: str) -> str:
    return f"{capfirst(field.verbose_name)}: {message}"


def _key_in_table(instance: models.Model, model: ModelType) -> Any:
    return getattr(instance, model._meta.pk.attname)


def _check_unique(instance: models.Model, values: Sequence[TakenValue], using: str) -> None:
    """Raise ValidationError if another row has the new value of a unique column in the given database."""
    # ``Model.validate_unique()`` would query the default database instead.
    for value in values:
        if not value.field.unique or value.new_value in value.field.empty_values:
            continue
        others = (
            rows_of(value.model, using).filter(**{value.field.name: value.new_value}).exclude(pk=value.pk)
        )
        if others.exists():
            raise ValidationError({value.field.name: _("Another row has this value, which must be unique.")})

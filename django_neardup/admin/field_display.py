"""Values of columns in words, as people read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import display_for_field
from django.db import models
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _

from ..moderation.relations import rows_of
from ..moderation.values import ColumnChoice
from ..reports.segments import replace_control_characters
from .text_format import format_object_number

MAX_VALUE_LENGTH = 100
"""Letters of a value that stand in a row; the rest is unfolded."""

MAX_FULL_LENGTH = 20_000
MAX_DESCRIBED_COLUMNS = 3
"""Columns by which a row without a name of its own is described."""


@dataclass(frozen=True)
class DisplayValue:
    """A value in one line; ``full_text`` and the number of its words where that is longer."""

    short: str
    full_text: str = ""
    word_count: int = 0


def format_value(field: Any, value: Any, names: Mapping[Any, str]) -> DisplayValue:
    """The value of a column; ``names`` are those of the rows that references lead to, by model and value."""
    words = replace_control_characters(" ".join(_value_text(field, value, names).split()))
    if len(words) <= MAX_VALUE_LENGTH:
        return DisplayValue(words)
    return DisplayValue(
        Truncator(words).chars(MAX_VALUE_LENGTH), str(value)[:MAX_FULL_LENGTH], len(words.split())
    )


def load_related_names(columns: Iterable[ColumnChoice], using: str) -> dict[Any, str]:
    """The names of the rows that those columns' values lead to: a query a model."""
    wanted: defaultdict[tuple[Any, str], set[Any]] = defaultdict(set)
    for column in columns:
        if column.field.is_relation:
            values = {option.value for option in column.options if not option.is_empty}
            wanted[column.field.remote_field.model, column.field.target_field.attname] |= values
    return {
        (model, getattr(row, target)): str(row)
        for (model, target), values in wanted.items()
        for row in rows_of(model, using).filter(**{f"{target}__in": values})
    }


def describe_row(row: models.Model) -> str:
    """A row in words: its name, or what its columns hold where it has none."""
    if type(row).__str__ is not models.Model.__str__:
        return Truncator(str(row)).chars(MAX_VALUE_LENGTH)
    columns = [each for each in row._meta.concrete_fields if not (each.is_relation or each.primary_key)]
    told = [
        f"{capfirst(each.verbose_name)} {format_value(each, each.value_from_object(row), {}).short}"
        for each in columns[:MAX_DESCRIBED_COLUMNS]
    ]
    return ", ".join(told) or format_object_number(row.pk)


def _value_text(field: Any, value: Any, names: Mapping[Any, str]) -> str:
    if value in field.empty_values:
        return _("empty")
    if field.is_relation:
        return names.get((field.remote_field.model, value), str(value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(field, models.FileField):
        return str(value)
    return str(display_for_field(value, field, ""))

"""Values of columns as text for people."""

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
"""Characters of a value that a row shows. The full value can be unfolded."""

MAX_FULL_LENGTH = 20_000
"""Characters of a value that can be unfolded."""

MAX_DESCRIBED_COLUMNS = 3
"""The number of columns that describe a row if its model does not define ``__str__``."""


@dataclass(frozen=True)
class DisplayValue:
    """A value in one line. ``full_text`` and ``word_count`` are set only if the value is longer."""

    short: str
    full_text: str = ""
    word_count: int = 0


def format_value(field: Any, value: Any, names: Mapping[Any, str]) -> DisplayValue:
    """Return the value of a column as text.

    ``names`` holds the names of related rows, by model and value.
    """
    # Control characters could reverse the order of the letters that follow.
    line = replace_control_characters(" ".join(_value_text(field, value, names).split()))
    if len(line) <= MAX_VALUE_LENGTH:
        return DisplayValue(line)
    return DisplayValue(
        Truncator(line).chars(MAX_VALUE_LENGTH),
        replace_control_characters(str(value)[:MAX_FULL_LENGTH]),
        len(line.split()),
    )


def load_related_names(columns: Iterable[ColumnChoice], using: str) -> dict[Any, str]:
    """Return the names of the rows that the columns' values refer to.

    Takes one query for each model and referenced key.
    """
    referenced_values: defaultdict[tuple[Any, str], set[Any]] = defaultdict(set)
    for column in columns:
        if column.field.is_relation:
            values = {option.value for option in column.options if not option.is_empty}
            referenced_values[column.field.remote_field.model, column.field.target_field.attname] |= values
    return {
        (model, getattr(row, target)): str(row)
        for (model, target), values in referenced_values.items()
        for row in rows_of(model, using).filter(**{f"{target}__in": values})
    }


def describe_row(row: models.Model) -> str:
    """Return a row in words: its ``__str__``, or its columns if the model does not define ``__str__``."""
    if type(row).__str__ is not models.Model.__str__:
        return replace_control_characters(Truncator(str(row)).chars(MAX_VALUE_LENGTH))
    fields = [field for field in row._meta.concrete_fields if not (field.is_relation or field.primary_key)]
    descriptions = [
        f"{capfirst(field.verbose_name)} {format_value(field, field.value_from_object(row), {}).short}"
        for field in fields[:MAX_DESCRIBED_COLUMNS]
    ]
    return ", ".join(descriptions) or format_object_number(row.pk)


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

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

from ..comparison.pieces import showable
from ..merging.relations import rows_of
from ..merging.values import Column
from .words import numbered

LETTERS = 100
"""Letters of a value that stand in a row; the rest is unfolded."""

UNFOLDED = 20_000
TOLD = 3
"""Columns by which a row without a name of its own is described."""


@dataclass(frozen=True)
class Text:
    """A value in one line; ``whole`` and the number of its words where that is longer."""

    short: str
    whole: str = ""
    count: int = 0


def text_of(field: Any, value: Any, names: Mapping[Any, str]) -> Text:
    """The value of a column; ``names`` are those of the rows that references lead to, by model and value."""
    words = showable(" ".join(_words(field, value, names).split()))
    if len(words) <= LETTERS:
        return Text(words)
    return Text(Truncator(words).chars(LETTERS), str(value)[:UNFOLDED], len(words.split()))


def related(columns: Iterable[Column], using: str) -> dict[Any, str]:
    """The names of the rows that those columns' values lead to: a query a model."""
    wanted: defaultdict[tuple[Any, str], set[Any]] = defaultdict(set)
    for column in columns:
        if column.field.is_relation:
            values = {option.value for option in column.options if not option.empty}
            wanted[column.field.remote_field.model, column.field.target_field.attname] |= values
    return {
        (model, getattr(row, target)): str(row)
        for (model, target), values in wanted.items()
        for row in rows_of(model, using).filter(**{f"{target}__in": values})
    }


def describe(row: models.Model) -> str:
    """A row in words: its name, or what its columns hold where it has none."""
    if type(row).__str__ is not models.Model.__str__:
        return Truncator(str(row)).chars(LETTERS)
    columns = [each for each in row._meta.concrete_fields if not (each.is_relation or each.primary_key)]
    told = [
        f"{capfirst(each.verbose_name)} {text_of(each, each.value_from_object(row), {}).short}"
        for each in columns[:TOLD]
    ]
    return ", ".join(told) or numbered(row.pk)


def _words(field: Any, value: Any, names: Mapping[Any, str]) -> str:
    if value in field.empty_values:
        return _("empty")
    if field.is_relation:
        return names.get((field.remote_field.model, value), str(value))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(field, models.FileField):
        return str(value)
    return str(display_for_field(value, field, ""))

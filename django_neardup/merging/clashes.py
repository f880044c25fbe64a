"""What would break: uniqueness that two rows cannot share once both point at the keeper."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import BooleanField, Case, F, UniqueConstraint, Value, When
from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _

from .relations import ModelType, Pointer, column

Row = Mapping[str, Any]
KEEPER, LOSER = "keeper", "loser"
"""What may be chosen of a clash: the row that is there already, or the merged post's."""


@dataclass
class Clash:
    """A place that the keeper has once and two rows claim.

    ``pk`` is the row of the loser with that number, ``taken`` those that hold the place where nothing is decided:
    the keeper's own, or another loser's. ``choice`` is KEEPER or LOSER, None while nobody has decided.
    ``theirs`` and ``ours`` are the rows, as far as they are shown.
    """

    model: ModelType
    pointer: Pointer
    pk: Any
    taken: tuple[Any, ...]
    rule: str
    loser: int
    choice: str | None = None
    theirs: models.Model | None = None
    ours: list[models.Model] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What a form calls it: it names both rows, so that a decision never falls on others."""
        return ":".join(map(str, (self.model._meta.label_lower, self.pk, *self.taken)))

    def __str__(self) -> str:
        return _("%(model)s %(key)s “%(name)s”: the keeper has one with the same %(rule)s already.") % {
            "model": capfirst(self.model._meta.verbose_name),
            "key": self.pk,
            "name": str(self.theirs or "")[:100],
            "rule": self.rule,
        }


@dataclass(frozen=True)
class Unique:
    """Values that no two rows of a model may share.

    ``names`` are attributes, or names in ``computed``: expressions that the database works out for each row
    before the change. ``condition`` names the expression that tells for which rows the rule holds.
    """

    names: tuple[str, ...]
    words: str
    computed: Mapping[str, Any] = field(default_factory=dict, compare=False)
    condition: str = ""
    nulls_distinct: bool = True

    def key(self, row: Row) -> tuple[Any, ...] | None:
        """What must differ; None for a row that the rule lets be."""
        values = tuple(plain(row[name]) for name in self.names)
        if self.condition and not row[self.condition]:
            return None
        return None if self.nulls_distinct and None in values else values


def plain(value: Any) -> Any:
    """A value that can be compared and hashed."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    return repr(value) if isinstance(value, list | dict | set) else value


def uniques(model: ModelType, moved: Collection[str]) -> list[Unique]:
    """The rules of a model that concern any of those attributes, as far as they can be told beforehand."""
    found = [*_plain_rules(model), *_constraints(model, moved)]
    return [rule for rule in found if {*rule.names} & {*moved}]


def _plain_rules(model: ModelType) -> Iterator[Unique]:
    for each in model._meta.local_concrete_fields:
        if each.unique:
            yield _rule(model, [each.name])
    for names in model._meta.unique_together:
        yield _rule(model, names)
    if len(model._meta.pk_fields) > 1:
        yield _rule(model, [each.name for each in model._meta.pk_fields])


def _constraints(model: ModelType, moved: Collection[str]) -> Iterator[Unique]:
    for number, constraint in enumerate(model._meta.constraints):
        if not isinstance(constraint, UniqueConstraint):
            continue
        names, computed = _parts(model, constraint, moved, f"neardup_{number}")
        condition = f"neardup_{number}_condition" if constraint.condition else ""
        if constraint.condition:
            holds = When(constraint.condition, then=Value(True))
            computed[condition] = Case(holds, default=Value(False), output_field=BooleanField())
        if names:
            words = _words(model, constraint.fields) or constraint.name
            nulls_distinct = constraint.nulls_distinct is not False
            yield Unique(tuple(names), words, computed, condition, nulls_distinct)


def _parts(
    model: ModelType, constraint: UniqueConstraint, moved: Collection[str], prefix: str
) -> tuple[list[str], dict[str, Any]]:
    """The constraint's columns and expressions; nothing where an expression is of a moved column."""
    names = [column(model, name).attname for name in constraint.fields]
    computed: dict[str, Any] = {}
    for number, expression in enumerate(constraint.expressions):
        bare = bare_of(expression)
        if isinstance(bare, F):
            names.append(*_columns(model, [bare]))
        elif _columns(model, bare.flatten()) & {*moved}:
            return [], {}
        else:
            computed[f"{prefix}_{number}"] = bare
            names.append(f"{prefix}_{number}")
    return names, computed


def bare_of(expression: Any) -> Any:
    """An expression without its order and its operator class."""
    strip = getattr(expression, "get_expression_for_validation", None)
    return strip() if strip else expression


def _columns(model: ModelType, parts: Iterable[Any]) -> set[str]:
    """The columns that an expression's parts name."""
    named: list[Any] = [part for part in parts if isinstance(part, F)]
    return {column(model, part.name).attname for part in named}


def _rule(model: ModelType, names: Collection[str]) -> Unique:
    return Unique(tuple(column(model, name).attname for name in names), _words(model, names))


def _words(model: ModelType, names: Iterable[str]) -> str:
    return get_text_list([str(column(model, name).verbose_name) for name in names], _("and"))

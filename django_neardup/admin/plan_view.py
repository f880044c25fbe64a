"""The context of the merge page: the keeper, the column values, the related rows, the leftovers and the
notifications.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..adapters import adapters_of
from ..moderation.plan import MergePlan
from ..moderation.plan_lines import PlanLine
from ..moderation.trees import count_below
from ..moderation.unique_conflicts import KEEPER, LOSER, UniqueConflict
from ..moderation.values import ColumnChoice, choosable_fields
from ..pipeline import canonical_id
from .field_display import DisplayValue, describe_row, format_value, load_related_names
from .text_format import format_object_number

MAX_SINGLE_QUESTIONS = 10
"""Conflicts of one relation that get a question each. If there are more, one question decides all of them."""


@dataclass(frozen=True)
class RadioOption:
    """One choice. ``owners`` are the numbers of the posts that have this value."""

    value: str
    display_value: DisplayValue
    owners: str
    is_chosen: bool


@dataclass(frozen=True)
class ColumnRow:
    """A column in which the posts differ, with its value after the merge."""

    name: str
    label: str
    radios: list[RadioOption]
    is_changed: bool

    @property
    def keeper_value(self) -> DisplayValue:
        return self.radios[0].display_value

    @property
    def result_value(self) -> DisplayValue:
        return next(radio.display_value for radio in self.radios if radio.is_chosen)


@dataclass(frozen=True)
class PlanQuestion:
    """A choice between conflicting rows.

    ``text`` names the conflict. It is empty if the conflict is the only one of its relation.
    """

    name: str
    text: str
    radios: list[RadioOption]


@dataclass(frozen=True)
class RelationRow:
    """A relation. ``is_in_admin``: its model is registered in the admin."""

    line: PlanLine
    is_in_admin: bool
    questions: list[PlanQuestion]


def format_post_number(instance: models.Model) -> str:
    """Return an object's number as people write it."""
    return format_object_number(canonical_id(instance.pk))


def build_plan_context(plan: MergePlan | None, lines: Sequence[PlanLine], site: Any) -> dict[str, Any]:
    """Return the context of the merge page without the posts. Return an empty dict if there is no plan."""
    if plan is None:
        return {}
    return {
        "columns": build_column_rows(plan),
        "same": (same := equal_column_names(plan)),
        "fields": len(plan.column_choices) + len(same),
        "choosable": bool(plan.column_choices or plan.conflicts),
        "lines": build_relation_rows(plan, lines, site),
        "total": sum(line.row_count for line in lines),
        "moves": sum(line.moved_count for line in lines),
        "drops": sum(line.removed_count for line in lines),
        "below": count_below(plan.losers),
        "rights": required_permissions(plan, len(lines)),
        "tells": notifies_authors(plan.keeper),
        "authors": count_authors(plan.losers),
    }


def build_column_rows(plan: MergePlan) -> list[ColumnRow]:
    """Return the columns that differ, each with its possible values."""
    names = load_related_names(plan.column_choices, plan.using)
    return [_build_column_row(column, names) for column in plan.column_choices]


def equal_column_names(plan: MergePlan) -> list[str]:
    """Return the names of the columns in which the posts agree."""
    differing = {column.field for column in plan.column_choices}
    return [
        str(field.verbose_name) for field in choosable_fields(type(plan.keeper)) if field not in differing
    ]


def build_relation_rows(plan: MergePlan, lines: Sequence[PlanLine], site: Any) -> list[RelationRow]:
    """Return the relations, each with the questions that the person has to answer."""
    return [
        RelationRow(line, _is_in_admin(line.model, site), list(_iterate_questions(line, plan)))
        for line in lines
    ]


def required_permissions(plan: MergePlan, relation_count: int) -> list[str]:
    """Return, in words, the permissions that the merge needs."""
    losers = len(plan.losers)
    permissions = [
        _("change %(post)s") % {"post": format_post_number(plan.keeper)},
        ngettext("delete %(count)d post", "delete %(count)d posts", losers) % {"count": losers},
    ]
    if relation_count:
        words = ngettext(
            "change the rows of %(count)d relation", "change the rows of %(count)d relations", relation_count
        )
        permissions.append(words % {"count": relation_count})
    return permissions


def notifies_authors(instance: models.Model | None) -> bool:
    """Return whether the site notifies the authors of merged posts."""
    return instance is not None and any(adapter.notifies_authors for adapter in adapters_of(instance)[:1])


def count_authors(instances: Sequence[models.Model]) -> int:
    """Return the number of different authors of the posts.

    A post is not counted if its adapter names no author.
    """
    authors = {adapter.author(instance) for instance in instances for adapter in adapters_of(instance)[:1]}
    return len(authors - {None})


def _build_column_row(column: ColumnChoice, names: Mapping[Any, str]) -> ColumnRow:
    radios = [
        RadioOption(
            canonical_id(option.pk),
            format_value(column.field, option.value, names),
            ", ".join(format_post_number(owner) for owner in option.owners),
            option is column.chosen_option,
        )
        for option in column.options
    ]
    return ColumnRow(column.field.name, str(capfirst(column.field.verbose_name)), radios, column.is_changed)


def _iterate_questions(line: PlanLine, plan: MergePlan) -> Iterator[PlanQuestion]:
    clashes = line.conflicts
    if len(clashes) > MAX_SINGLE_QUESTIONS:
        label = line.model._meta.label_lower
        words = ngettext(
            "%(count)d row of the keeper conflicts with a row of another post.",
            "%(count)d rows of the keeper conflict with rows of other posts.",
            len(clashes),
        ) % {"count": len(clashes)}
        choices = {clash.choice for clash in clashes}
        chosen = choices.pop() if len(choices) == 1 else None
        yield PlanQuestion(
            label,
            words,
            _build_radios(_("Keep the rows of the keeper"), _("Take the rows of the others"), chosen),
        )
        return
    for clash in clashes:
        yield PlanQuestion(
            clash.choice_key, clash.rule_label if len(clashes) > 1 else "", _clash_radios(clash, plan)
        )


def _clash_radios(clash: UniqueConflict, plan: MergePlan) -> list[RadioOption]:
    loser_number = format_post_number(plan.losers[clash.loser_index])
    keeper_label = _("Keep that of %(post)s: %(row)s") % {
        "post": format_post_number(plan.keeper),
        "row": ", ".join(describe_row(row) for row in clash.holder_rows),
    }
    loser_label = _("Take that of %(post)s: %(row)s") % {
        "post": loser_number,
        "row": describe_row(clash.loser_row) if clash.loser_row is not None else "",
    }
    return _build_radios(keeper_label, loser_label, clash.choice)


def _build_radios(keeper_label: str, other_label: str, chosen: str | None) -> list[RadioOption]:
    return [
        RadioOption(KEEPER, DisplayValue(keeper_label), "", chosen == KEEPER),
        RadioOption(LOSER, DisplayValue(other_label), "", chosen == LOSER),
    ]


def _is_in_admin(model: type[models.Model], site: Any) -> bool:
    """Return whether the model is registered in the admin.

    For an automatic many-to-many table, check the model that declares the field.
    """
    owner: Any = model._meta.auto_created
    return bool(site.is_registered(owner or model))

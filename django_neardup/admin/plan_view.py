"""A plan as its page shows it: who stays, which values, which rows, what is left behind, who is told."""

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
from ..moderation.unique_conflicts import KEEPER, LOSER, UniqueConflict
from ..moderation.values import ColumnChoice, choosable_fields
from ..pipeline import canonical_id
from .field_display import DisplayValue, describe_row, format_value, load_related_names
from .text_format import format_object_number

MAX_SINGLE_QUESTIONS = 10
"""Clashes of one relation that are decided one by one; more are decided by one word."""


@dataclass(frozen=True)
class RadioOption:
    """One thing to choose. ``owners``: the numbers of the posts that have it."""

    value: str
    display_value: DisplayValue
    owners: str
    is_chosen: bool


@dataclass(frozen=True)
class ColumnRow:
    """A column in which the posts differ, and what it becomes."""

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
    """A decision between rows; ``text`` says what of, where it is not the only one of its relation."""

    name: str
    text: str
    radios: list[RadioOption]


@dataclass(frozen=True)
class RelationRow:
    """A relation. ``is_in_admin``: the admin knows its model."""

    line: PlanLine
    is_in_admin: bool
    questions: list[PlanQuestion]


def format_post_number(instance: models.Model) -> str:
    """An object's number as people write it."""
    return format_object_number(canonical_id(instance.pk))


def build_plan_context(plan: MergePlan | None, lines: Sequence[PlanLine], site: Any) -> dict[str, Any]:
    """All that the page of a merge shows beside the posts."""
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
        "rights": required_permissions(plan, len(lines)),
        "tells": notifies_authors(plan.keeper),
        "authors": count_authors(plan.losers),
    }


def build_column_rows(plan: MergePlan) -> list[ColumnRow]:
    """The columns that differ, with what may be chosen."""
    names = load_related_names(plan.column_choices, plan.using)
    return [_build_column_row(column, names) for column in plan.column_choices]


def equal_column_names(plan: MergePlan) -> list[str]:
    """The names of the columns in which the posts agree."""
    differing = {column.field for column in plan.column_choices}
    return [
        str(field.verbose_name) for field in choosable_fields(type(plan.keeper)) if field not in differing
    ]


def build_relation_rows(plan: MergePlan, lines: Sequence[PlanLine], site: Any) -> list[RelationRow]:
    """The relations, each with the decisions that it wants."""
    return [
        RelationRow(line, _is_in_admin(line.model, site), list(_iterate_questions(line, plan)))
        for line in lines
    ]


def required_permissions(plan: MergePlan, relation_count: int) -> list[str]:
    """What a person may do who lacks nothing."""
    losers = len(plan.losers)
    found = [
        _("change %(post)s") % {"post": format_post_number(plan.keeper)},
        ngettext("delete %(count)d post", "delete %(count)d posts", losers) % {"count": losers},
    ]
    if relation_count:
        words = ngettext(
            "change the rows of %(count)d relation", "change the rows of %(count)d relations", relation_count
        )
        found.append(words % {"count": relation_count})
    return found


def notifies_authors(instance: models.Model | None) -> bool:
    """Whether the site tells authors of merged posts."""
    return instance is not None and any(adapter.notifies_authors for adapter in adapters_of(instance)[:1])


def count_authors(instances: Sequence[models.Model]) -> int:
    """How many people wrote those posts, as far as the adapter says."""
    found = {adapter.author(each) for each in instances for adapter in adapters_of(each)[:1]}
    return len(found - {None})


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
            "%(count)d row of the keeper's stands against one of the others.",
            "%(count)d rows of the keeper's stand against those of the others.",
            len(clashes),
        ) % {"count": len(clashes)}
        common = {clash.choice for clash in clashes}
        chosen = common.pop() if len(common) == 1 else None
        yield PlanQuestion(
            label, words, _build_radios(_("Keep the keeper's"), _("Take those of the others"), chosen)
        )
        return
    for clash in clashes:
        yield PlanQuestion(
            clash.choice_key, clash.rule_label if len(clashes) > 1 else "", _clash_radios(clash, plan)
        )


def _clash_radios(clash: UniqueConflict, plan: MergePlan) -> list[RadioOption]:
    loser = format_post_number(plan.losers[clash.loser_index])
    own = _("Keep that of %(post)s: %(row)s") % {
        "post": format_post_number(plan.keeper),
        "row": ", ".join(describe_row(row) for row in clash.holder_rows),
    }
    other = _("Take that of %(post)s: %(row)s") % {
        "post": loser,
        "row": describe_row(clash.loser_row) if clash.loser_row is not None else "",
    }
    return _build_radios(own, other, clash.choice)


def _build_radios(keeper_label: str, other_label: str, chosen: str | None) -> list[RadioOption]:
    return [
        RadioOption(KEEPER, DisplayValue(keeper_label), "", chosen == KEEPER),
        RadioOption(LOSER, DisplayValue(other_label), "", chosen == LOSER),
    ]


def _is_in_admin(model: type[models.Model], site: Any) -> bool:
    """Whether the admin knows that model, or, of a many-to-many table, the model that declares it."""
    owner: Any = model._meta.auto_created
    return bool(site.is_registered(owner or model))

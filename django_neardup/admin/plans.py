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
from ..merging.clashes import KEEPER, LOSER, Clash
from ..merging.lines import Line
from ..merging.plan import Plan
from ..merging.values import Column, offered
from ..pipeline import canonical_id
from .columns import Text, describe, related, text_of
from .words import numbered

SINGLY = 10
"""Clashes of one relation that are decided one by one; more are decided by one word."""


@dataclass(frozen=True)
class Radio:
    """One thing to choose. ``owners``: the numbers of the posts that have it."""

    value: str
    text: Text
    owners: str
    chosen: bool


@dataclass(frozen=True)
class ColumnRow:
    """A column in which the posts differ, and what it becomes."""

    name: str
    label: str
    radios: list[Radio]
    changes: bool

    @property
    def own(self) -> Text:
        return self.radios[0].text

    @property
    def becomes(self) -> Text:
        return next(radio.text for radio in self.radios if radio.chosen)


@dataclass(frozen=True)
class Ask:
    """A decision between rows; ``words`` say what of, where it is not the only one of its relation."""

    name: str
    words: str
    radios: list[Radio]


@dataclass(frozen=True)
class LineRow:
    """A relation. ``known``: the admin knows its model."""

    line: Line
    known: bool
    asks: list[Ask]


def number(instance: models.Model) -> str:
    """An object's number as people write it."""
    return numbered(canonical_id(instance.pk))


def sections(plan: Plan | None, lines: Sequence[Line], site: Any) -> dict[str, Any]:
    """All that the page of a merge shows beside the posts."""
    if plan is None:
        return {}
    return {
        "columns": column_rows(plan),
        "same": (same := same_columns(plan)),
        "fields": len(plan.fields) + len(same),
        "choosable": bool(plan.fields or plan.clashes),
        "lines": line_rows(plan, lines, site),
        "total": sum(line.total for line in lines),
        "moves": sum(line.moves for line in lines),
        "drops": sum(line.drops for line in lines),
        "rights": rights(plan, len(lines)),
        "tells": tells(plan.keeper),
        "authors": authors(plan.losers),
    }


def column_rows(plan: Plan) -> list[ColumnRow]:
    """The columns that differ, with what may be chosen."""
    names = related(plan.fields, plan.using)
    return [_column(column, names) for column in plan.fields]


def same_columns(plan: Plan) -> list[str]:
    """The names of the columns in which the posts agree."""
    differing = {column.field for column in plan.fields}
    return [str(field.verbose_name) for field in offered(type(plan.keeper)) if field not in differing]


def line_rows(plan: Plan, lines: Sequence[Line], site: Any) -> list[LineRow]:
    """The relations, each with the decisions that it wants."""
    return [LineRow(line, _is_known(line.model, site), list(_asks(line, plan))) for line in lines]


def rights(plan: Plan, relations: int) -> list[str]:
    """What a person may do who lacks nothing."""
    losers = len(plan.losers)
    found = [
        _("change %(post)s") % {"post": number(plan.keeper)},
        ngettext("delete %(count)d post", "delete %(count)d posts", losers) % {"count": losers},
    ]
    if relations:
        words = ngettext(
            "change the rows of %(count)d relation", "change the rows of %(count)d relations", relations
        )
        found.append(words % {"count": relations})
    return found


def tells(instance: models.Model | None) -> bool:
    """Whether the site tells authors of merged posts."""
    return instance is not None and any(adapter.tells_authors for adapter in adapters_of(instance)[:1])


def authors(instances: Sequence[models.Model]) -> int:
    """How many people wrote those posts, as far as the adapter says."""
    found = {adapter.author(each) for each in instances for adapter in adapters_of(each)[:1]}
    return len(found - {None})


def _column(column: Column, names: Mapping[Any, str]) -> ColumnRow:
    radios = [
        Radio(
            canonical_id(option.pk),
            text_of(column.field, option.value, names),
            ", ".join(number(owner) for owner in option.owners),
            option is column.chosen,
        )
        for option in column.options
    ]
    return ColumnRow(column.field.name, str(capfirst(column.field.verbose_name)), radios, column.changes)


def _asks(line: Line, plan: Plan) -> Iterator[Ask]:
    clashes = line.clashes
    if len(clashes) > SINGLY:
        label = line.model._meta.label_lower
        words = ngettext(
            "%(count)d row of the keeper's stands against one of the others.",
            "%(count)d rows of the keeper's stand against those of the others.",
            len(clashes),
        ) % {"count": len(clashes)}
        common = {clash.choice for clash in clashes}
        chosen = common.pop() if len(common) == 1 else None
        yield Ask(label, words, _radios(_("Keep the keeper's"), _("Take those of the others"), chosen))
        return
    for clash in clashes:
        yield Ask(clash.key, clash.rule if len(clashes) > 1 else "", _of_clash(clash, plan))


def _of_clash(clash: Clash, plan: Plan) -> list[Radio]:
    loser = number(plan.losers[clash.loser])
    own = _("Keep that of %(post)s: %(row)s") % {
        "post": number(plan.keeper),
        "row": ", ".join(describe(row) for row in clash.ours),
    }
    other = _("Take that of %(post)s: %(row)s") % {
        "post": loser,
        "row": describe(clash.theirs) if clash.theirs is not None else "",
    }
    return _radios(own, other, clash.choice)


def _radios(own: str, other: str, chosen: str | None) -> list[Radio]:
    return [
        Radio(KEEPER, Text(own), "", chosen == KEEPER),
        Radio(LOSER, Text(other), "", chosen == LOSER),
    ]


def _is_known(model: type[models.Model], site: Any) -> bool:
    """Whether the admin knows that model, or, of a many-to-many table, the model that declares it."""
    owner: Any = model._meta.auto_created
    return bool(site.is_registered(owner or model))

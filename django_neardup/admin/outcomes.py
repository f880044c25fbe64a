"""The four outcomes: leave, hide, merge, delete. Each says what it needs and would do, and does it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib.admin.utils import get_deleted_objects
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from .. import merging
from ..adapters import adapters_of
from ..exceptions import MergeRefused
from ..merging import Case, history
from ..merging.cascade import fall_with, protected
from ..merging.files import File, left_behind, names_of
from ..merging.lines import Line
from ..merging.permissions import MERGE, REVIEW, Need, missing, of_delete, of_merge, on_objects
from ..merging.plan import Plan
from ..models import Cluster
from ..pipeline import decide
from .groups import Group

LISTED = 200
"""Rows of a deletion that a page lists one by one."""


@dataclass(frozen=True)
class Options:
    """What a person chose beside the outcome.

    ``keeper``: the id of the document that stays, None for the representative. ``values``: the columns of the keeper
    that take another post's value, ``{field name: primary key of that post}``. ``choices``: which of two rows that
    clash stays, ``{key of the clash: "keeper" or "loser"}``. Both speak of a group decided by itself. Records and
    decisions of one confirmation share ``batch``. ``rest``: those that take no part are remembered as no duplicates.
    """

    keeper: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    batch: UUID = field(default_factory=uuid4)
    rest: bool = False


@dataclass
class Preview:
    """What an outcome would do to a group. It can be done where nothing is ``missing`` and no ``reasons`` speak
    against it; these are told only to those who lack nothing. ``undecided`` says which decisions it still wants."""

    group: Group
    options: Options = field(default_factory=Options)
    missing: list[Need | str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    plan: Plan | None = None
    lines: list[Line] = field(default_factory=list)
    falls: list[Any] = field(default_factory=list)
    counts: dict[Any, int] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)

    @property
    def possible(self) -> bool:
        return not self.missing and not self.reasons


class Outcome(ABC):
    """One of the four; ``permission`` is asked before any object is looked at."""

    name: str
    title: str | Promise
    button: str | Promise
    consequence: str | Promise
    permission: str | None = None
    proposes = True
    """Whether one of the posts stays: the site's policy proposes which."""

    def preview(self, group: Group, request: HttpRequest, site: Any, options: Options) -> Preview:
        """What would be done, what forbids it, which permissions are missing."""
        found = Preview(group, options)
        if group.keeper is None or len(group.losers) < len(group.chosen):
            found.reasons.append(
                _("An object of this group is deleted already; it will leave the list by itself.")
            )
            return found
        self.prepare(found, request, site)
        if found.missing:
            found.reasons, found.undecided = [], []
        return found

    @abstractmethod
    def done(self, count: int) -> str:
        """What is said when that many groups were decided so."""

    @abstractmethod
    def prepare(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        """Fill in the preview of a group whose objects all exist."""

    @abstractmethod
    def perform(self, group: Group, by: Any, check: Callable[[], None], options: Options) -> None:
        """Do it; ``MergeRefused`` or ``Conflict``, and nothing is done, where it must not be."""


class Leave(Outcome):
    name = "leave"
    title = gettext_lazy("Leave: these are not duplicates")
    button = pgettext_lazy("button", "Leave")
    consequence = gettext_lazy("remembered: not duplicates")
    permission = REVIEW
    proposes = False

    def done(self, count: int) -> str:
        return ngettext(
            "Left as not duplicates: %(count)d group.", "Left as not duplicates: %(count)d groups.", count
        ) % {"count": count}

    def prepare(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        """Nothing is needed on the objects: they stay as they are."""

    def perform(self, group: Group, by: Any, check: Callable[[], None], options: Options) -> None:
        chosen = {each.pk for each in group.chosen}
        apart = {each.pk: 1 if each.pk in chosen else 2 for each in group.documents}
        sides = None if group.whole and not group.aside else apart
        try:
            decide(
                "different", group.documents, by, group.using, sides=sides, check=check, batch=options.batch
            )
        except ValueError as error:
            raise MergeRefused([_("These posts are not compared with each other any more.")]) from error
        touched = [each for each in (group.keeper, *group.losers) if each is not None]
        history.log(by, touched, _("Decided: not duplicates."), group.using)


class Hide(Outcome):
    name = "hide"
    title = gettext_lazy("Hide the duplicates")
    button = pgettext_lazy("button", "Hide")
    consequence = gettext_lazy("taken from publication")

    def done(self, count: int) -> str:
        return ngettext(
            "Duplicates hidden in %(count)d group.", "Duplicates hidden in %(count)d groups.", count
        ) % {"count": count}

    def prepare(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        losers, using = preview.group.losers, preview.group.using
        preview.missing += missing(on_objects("change", losers), request, site, using)
        for loser in losers:
            if not any(adapter.can_hide for adapter in adapters_of(loser)[:1]):
                preview.reasons.append(
                    _("The adapter of “%(model)s” does not say how to hide.")
                    % {"model": loser._meta.verbose_name_plural}
                )
        preview.reasons = list(dict.fromkeys(preview.reasons))

    def perform(self, group: Group, by: Any, check: Callable[[], None], options: Options) -> None:
        merging.hide(group.losers, _case(group, by, check, options))


class Merge(Outcome):
    name = "merge"
    title = gettext_lazy("Merge into the one that stays")
    button = pgettext_lazy("button", "Merge…")
    consequence = gettext_lazy("first the plan")
    permission = MERGE

    def done(self, count: int) -> str:
        return ngettext("Merged: %(count)d group.", "Merged: %(count)d groups.", count) % {"count": count}

    def prepare(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        group = preview.group
        assert group.keeper is not None
        chosen = preview.options
        plan = merging.make_plan(group.keeper, group.losers, group.using, chosen.values, chosen.choices)
        preview.plan, preview.lines = plan, plan.lines()
        preview.reasons, preview.undecided = plan.obstacles, plan.undecided
        preview.missing += missing(of_merge(plan), request, site, group.using)

    def perform(self, group: Group, by: Any, check: Callable[[], None], options: Options) -> None:
        assert group.keeper is not None
        case = _case(group, by, check, options)
        merging.merge(group.keeper, group.losers, case, options.values, options.choices)


class Delete(Outcome):
    name = "delete"
    title = gettext_lazy("Delete the duplicates")
    button = pgettext_lazy("button", "Delete…")
    consequence = gettext_lazy("first the list of losses")

    def done(self, count: int) -> str:
        return ngettext(
            "Duplicates deleted in %(count)d group.", "Duplicates deleted in %(count)d groups.", count
        ) % {"count": count}

    def prepare(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        group = preview.group
        losers = group.losers
        preview.reasons = protected(losers, group.using)
        others = [] if preview.reasons else fall_with(losers, group.using)
        preview.missing += missing(of_delete(losers, others), request, site, group.using)
        if group.keeper in others:
            preview.reasons.append(_("The one that stays would be deleted with its duplicates."))
        if not preview.missing:
            self._list(preview, request, site)
            kept = [group.keeper] if group.keeper is not None else []
            preview.files = left_behind([*losers, *others], names_of(kept))

    def _list(self, preview: Preview, request: HttpRequest, site: Any) -> None:
        """All that goes, as Django's own confirmation lists it."""
        by_model: dict[Any, list[Any]] = {}
        for loser in preview.group.losers:
            by_model.setdefault(type(loser), []).append(loser)
        for model, losers in by_model.items():
            collect = site.get_model_admin(model).get_deleted_objects if site.is_registered(model) else None
            found = collect(losers, request) if collect else get_deleted_objects(losers, request, site)
            falls, counts, lacking, _protected = found
            preview.missing += [str(name) for name in lacking]
            for name, count in counts.items():
                preview.counts[name] = preview.counts.get(name, 0) + count
            if sum(counts.values()) <= LISTED:
                preview.falls += falls

    def perform(self, group: Group, by: Any, check: Callable[[], None], options: Options) -> None:
        merging.delete(group.losers, _case(group, by, check, options), keep=group.keeper)


OUTCOMES: dict[str, Outcome] = {outcome.name: outcome for outcome in (Leave(), Hide(), Merge(), Delete())}


def _case(group: Group, by: Any, check: Callable[[], None], options: Options) -> Case:
    return Case(
        by=by,
        using=group.using,
        cluster=group.cluster,
        resolves=group.whole and isinstance(group.source, Cluster),
        seen=group.seen_by_object(),
        check=check,
        batch=options.batch,
    )

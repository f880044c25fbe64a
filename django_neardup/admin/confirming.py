"""One request for an outcome: the confirmation, which changes nothing, then the deed, or why neither is possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..exceptions import Conflict, MergeRefused
from .groups import CAP, Group, joined, load, size_of, tokens_of
from .outcomes import Outcome, Preview
from .shown import Shown, show
from .words import percent

if TYPE_CHECKING:
    from .deciding import DecidingAdmin

FILTERS = "_changelist_filters"
TOLD = 5
"""Failures that a message tells one by one."""


class Deciding:
    """One request for an outcome."""

    def __init__(self, page: DecidingAdmin, request: HttpRequest, outcome: Outcome) -> None:
        self.page, self.request, self.outcome = page, request, outcome
        data = request.POST if request.method == "POST" else request.GET
        self.keys = _whole_numbers(data.getlist("id"))
        self.ticked = set(_whole_numbers(data.getlist("member"))) if "ticked" in data else None
        self.filters = data.get(FILTERS, "")
        self.token = data.get("token", "")
        self.using = page.get_queryset(request).db
        self.tokens: dict[int, str] = {}
        if not self.keys:
            raise Http404

    def answer(self) -> HttpResponse:
        """The confirmation, the deed, or why neither is possible."""
        groups = self.page.groups(self.keys, self.ticked, self.using)
        if self._is_strange(groups):
            return self._conflict()
        if not all(group.chosen for group in groups):
            return self._back(_("Nothing was done: tick at least one post."))
        if size_of(groups) > CAP:
            return self._back(too_many(size_of(groups)))
        load(groups, self.using)
        self.tokens = dict(
            zip((group.source.pk for group in groups), tokens_of(groups, self.using), strict=True)
        )
        site = self.page.admin_site
        previews = [self.outcome.preview(group, self.request, site) for group in groups]
        if self.request.method != "POST":
            return self._confirmation(previews)
        if any(preview.missing for preview in previews):
            raise PermissionDenied
        return self._perform(previews) if self.token == joined(self.tokens.values()) else self._conflict()

    def _is_strange(self, groups: Sequence[Group]) -> bool:
        """Whether a group has gone, or a ticked post belongs to it no more."""
        members = {each.pk for group in groups for each in group.others}
        return len(groups) < len(set(self.keys)) or not (self.ticked or set()) <= members

    def _perform(self, previews: Sequence[Preview]) -> HttpResponse:
        done, failed, late = 0, [], 0
        for preview in previews:
            try:
                self._one(preview)
                done += 1
            except Conflict:
                late += 1
            except MergeRefused as error:
                preview.reasons = error.reasons
                failed.append(preview)
        if not done:
            return self._confirmation(failed, status=422) if failed else self._conflict()
        messages.success(self.request, self.outcome.done(done))
        self._tell(failed, late)
        return HttpResponseRedirect(self.page.list_url(self.filters))

    def _one(self, preview: Preview) -> None:
        if preview.reasons:
            raise MergeRefused(preview.reasons)
        group = preview.group

        def check() -> None:
            fresh = self.page.groups([group.source.pk], self.ticked, self.using)
            load(fresh, self.using)
            if tokens_of(fresh, self.using) != [self.tokens[group.source.pk]]:
                raise Conflict(_("The group has changed."))

        self.outcome.perform(group, self.request.user, check)

    def _tell(self, failed: Sequence[Preview], late: int) -> None:
        """What was not done, and why."""
        for preview in failed[:TOLD]:
            words = _("Not done, %(name)s: %(reasons)s") % {
                "name": f"№ {preview.group.representative.object_id}",
                "reasons": " ".join(preview.reasons[:TOLD]),
            }
            messages.warning(self.request, words)
        rest = late + len(failed[TOLD:])
        if rest:
            words = ngettext(
                "%(count)d more was not done: it has changed since you saw it, or cannot be done.",
                "%(count)d more were not done: they have changed since you saw them, or cannot be done.",
                rest,
            )
            messages.warning(self.request, words % {"count": rest})

    def _confirmation(self, previews: Sequence[Preview], status: int = 200) -> HttpResponse:
        groups = [preview.group for preview in previews]
        documents = [each for group in groups for each in (group.representative, *group.chosen)]
        shown = show(documents, self.request, self.page.admin_site, self.using)
        context = {
            **self._context(str(self.outcome.title)),
            "outcome": self.outcome,
            "plans": [_plan(preview, shown, self.page.admin_site) for preview in previews],
            "can": all(not each.missing for each in previews) and any(each.possible for each in previews),
            "token": joined(self.tokens[group.source.pk] for group in groups),
            "keys": [group.source.pk for group in groups],
            "ticked": None if self.ticked is None else sorted(self.ticked),
            "filters": self.filters,
        }
        return TemplateResponse(self.request, "neardup/admin/confirm.html", context, status=status)

    def _conflict(self) -> HttpResponse:
        context = self._context(_("Nothing was done: it has changed since you saw it"))
        return TemplateResponse(self.request, "neardup/admin/conflict.html", context, status=409)

    def _context(self, title: str) -> dict[str, Any]:
        self.request.current_app = self.page.admin_site.name
        return {
            **self.page.admin_site.each_context(self.request),
            "title": title,
            "opts": self.page.opts,
            "media": self.page.media,
            "list_url": self.page.list_url(self.filters),
            "back_url": self._source_url(),
        }

    def _source_url(self) -> str:
        """The page that the person came from."""
        if len(self.keys) > 1:
            return self.page.list_url(self.filters)
        name = f"{self.page.admin_site.name}:neardup_{self.page.opts.model_name}_change"
        return reverse(name, args=[self.keys[0]])

    def _back(self, message: str) -> HttpResponse:
        messages.error(self.request, message)
        return HttpResponseRedirect(self._source_url())


def too_many(count: int) -> str:
    """What is said where more is chosen than one run may touch."""
    return _("Nothing was done: %(count)d were chosen, at most %(cap)d objects are decided at once.") % {
        "count": count,
        "cap": CAP,
    }


def _whole_numbers(values: Collection[str]) -> list[int]:
    """Primary keys as they came; 404 for what is none."""
    if not all(value.isascii() and value.isdecimal() and len(value) < 19 for value in values):
        raise Http404
    return list(dict.fromkeys(map(int, values)))


def _plan(preview: Preview, shown: dict[int, Shown], site: Any) -> dict[str, Any]:
    """A preview as the page shows it."""
    group = preview.group
    return {
        "preview": preview,
        "keeper": shown[group.representative.pk],
        "losers": [(shown[each.pk], _score(group, each.pk)) for each in group.chosen],
        "lines": [
            (line, str(line.model._meta.verbose_name_plural), _is_known(line.model, site))
            for line in preview.lines
        ],
        "total": sum(line.total for line in preview.lines),
        "moves": sum(line.moves for line in preview.lines),
        "drops": sum(line.drops for line in preview.lines),
        "rest": len(group.others) - len(group.chosen),
    }


def _score(group: Group, key: int) -> str:
    seen = group.seen.get(key)
    return "" if seen is None or seen.score is None else percent(seen.score, key in group.exact)


def _is_known(model: type[models.Model], site: Any) -> bool:
    """Whether the admin knows that model, or, of a many-to-many table, the model that declares it."""
    owner: Any = model._meta.auto_created
    return bool(site.is_registered(owner or model))

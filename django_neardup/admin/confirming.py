"""One request for an outcome: the confirmation, which changes nothing, then the deed, or why neither is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from ..exceptions import Conflict, MergeRefused
from ..merging.keeper import Proposal
from ..merging.permissions import REVIEW
from ..merging.plan import Plan
from ..merging.values import columns, stamp_of
from ..models import Cluster
from .asked import Asked, Sight, settled, sight_of
from .chosen import too_many
from .conflicts import First, first_of
from .groups import CAP, Group, groups_of, joined, load, size_of, tokens_of
from .outcomes import Options, Outcome, Preview
from .plans import sections
from .proposing import following, proposal_of
from .rest import remember_rest
from .results import Late, Results, name_of
from .shown import Shown, show
from .words import percent

if TYPE_CHECKING:
    from .queue.admin import QueueAdmin


class Deciding:
    """One request for an outcome."""

    def __init__(self, page: QueueAdmin, request: HttpRequest, outcome: Outcome, wanted: Asked) -> None:
        self.page, self.request, self.outcome, self.asked = page, request, outcome, wanted
        self.keys, self.ticked = wanted.keys, wanted.ticked
        self.options = wanted.options if outcome.name != "leave" else Options()
        if not request.user.has_perm(REVIEW):
            self.options = replace(self.options, rest=False)
        self.using = page.get_queryset(request).db
        self.tokens: dict[str, str] = {}
        self.proposals: dict[str, Proposal | None] = {}
        if not self.keys and request.method != "POST":
            raise Http404

    def answer(self) -> HttpResponse:
        """The confirmation, the deed, or why neither is possible."""
        groups = self._groups(self.keys)
        if self._is_strange(groups):
            return self._conflict()
        if not groups or not all(group.chosen for group in groups):
            return self._back(_("Nothing was done: tick at least one post."))
        if size_of(groups) > CAP:
            return self._back(too_many(size_of(groups)))
        groups = self._loaded(groups)
        self.tokens = dict(zip((group.key for group in groups), tokens_of(groups, self.using), strict=True))
        self.options = settled(self.options, groups, self.outcome.proposes)
        site = self.page.admin_site
        previews = [self.outcome.preview(group, self.request, site, self.options) for group in groups]
        if self.request.method != "POST" or "preview" in self.request.POST:
            return self._confirmation(previews)
        if any(preview.missing for preview in previews):
            raise PermissionDenied
        token = self.asked.token
        if token is None or token.digest != self._digest(previews):
            return self._conflict()
        return self._perform(previews)

    def _groups(self, keys: Sequence[str]) -> list[Group]:
        return groups_of(keys, self.ticked, self.options.keeper, self.using)

    def _loaded(self, groups: Sequence[Group]) -> list[Group]:
        """The groups with their objects, and with the post that stays as chosen, or as the site's policy proposes."""
        load(groups, self.using)
        if not self.outcome.proposes:
            return list(groups)
        self.proposals = {group.key: proposal_of(group) for group in groups}
        if self.options.keeper is not None:
            return list(groups)
        return [following(group, self.proposals[group.key]) for group in groups]

    def _is_strange(self, groups: Sequence[Group]) -> bool:
        """Whether a group has gone, or a post that was ticked or is to stay belongs to it no more."""
        members = {each.pk for group in groups for each in group.documents}
        wanted = (self.ticked or set()) | ({self.options.keeper} - {None})
        return len(groups) < len(self.keys) or not wanted <= members

    def _perform(self, previews: Sequence[Preview]) -> HttpResponse:
        results = Results(self.options.batch)
        for preview in previews:
            self._try(preview, self.outcome, results)
        if not results.done:
            return self._confirmation(results.failed, status=422) if results.failed else self._conflict()
        results.tell(self.request, self.page.admin_site.name)
        return HttpResponseRedirect(self.list_url)

    def _try(self, preview: Preview, outcome: Outcome, results: Results) -> None:
        """Do it to one group, and note what came of it."""
        group = preview.group
        try:
            self._one(preview, outcome)
            results.done[outcome.name] += 1
        except Conflict:
            seen = self.asked.seen.get(group.key, self.asked.token)
            results.late.append(self._late(group.key, name_of(group), outcome, seen))
        except MergeRefused as error:
            preview.reasons = [] if preview.undecided else error.reasons
            results.failed.append(preview)

    def _late(self, key: str, name: str, outcome: Outcome, seen: Sight | None) -> Late:
        first = first_of(key, seen, self.using)
        return Late(name, outcome, first, first is not None and self._repeats(first, outcome))

    def _repeats(self, first: First, outcome: Outcome) -> bool:
        """Whether this person did the same already: by a second click, or from a page that was gone back to."""
        return first.is_of(self.request.user, outcome)

    def _one(self, preview: Preview, outcome: Outcome) -> None:
        if preview.reasons or preview.undecided:
            raise MergeRefused(preview.reasons or preview.undecided)
        group = preview.group

        def check() -> None:
            fresh = self._loaded(self._groups([group.key]))
            if tokens_of(fresh, self.using) != [self.tokens[group.key]] or _is_other(fresh[0], preview.plan):
                raise Conflict(_("The group has changed."))

        outcome.perform(group, self.request.user, check, self.options)
        remember_rest(group, outcome, self.request.user, self.options)

    def _confirmation(self, previews: Sequence[Preview], status: int = 200) -> HttpResponse:
        groups = [preview.group for preview in previews]
        documents = [each for group in groups for each in (group.stays, *group.chosen)]
        shown = show(documents, self.request, self.page.admin_site, self.using)
        context = {
            **self._context(str(self.outcome.title)),
            "outcome": self.outcome,
            "plans": [self._plan(preview, shown) for preview in previews],
            "alone": len(self.keys) == 1,
            "can": all(not each.missing for each in previews) and any(each.possible for each in previews),
            "token": str(sight_of(self._digest(previews), groups)),
            "keys": [group.key for group in groups],
            "ticked": None if self.ticked is None else sorted(self.ticked),
            "options": self.options,
            "filters": self.asked.filters,
            "list": self.asked.list,
        }
        return TemplateResponse(self.request, "neardup/admin/confirm.html", context, status=status)

    def _plan(self, preview: Preview, shown: dict[int, Shown]) -> dict[str, Any]:
        """A preview as the page shows it."""
        group = preview.group
        return {
            "preview": preview,
            "query": self._query(preview.group),
            "keeper": shown[group.stays.pk],
            "losers": [(shown[each.pk], _score(group, each.pk)) for each in group.chosen],
            "proposal": self.proposals.get(group.key),
            "rest": len(group.others) - len(group.chosen),
            **sections(preview.plan, preview.lines, self.page.admin_site),
        }

    def _digest(self, previews: Sequence[Preview]) -> str:
        """What the page shows: the groups, and the values that may be chosen."""
        stamps = (preview.plan.stamp for preview in previews if preview.plan is not None)
        return joined([*(self.tokens[preview.group.key] for preview in previews), *stamps])

    def _query(self, group: Group) -> str:
        """The address of a confirmation of that group, but for the post that stays."""
        query: dict[str, Any] = {"id": group.key, **self.asked.came_from}
        if self.ticked is not None:
            members = (group.stays, *group.chosen) if isinstance(group.source, Cluster) else ()
            query |= {"ticked": 1, "member": sorted(each.pk for each in members)}
        if self.options.rest:
            query["rest"] = 1
        return urlencode(query, doseq=True)

    def _conflict(self, late: Sequence[Late] = ()) -> HttpResponse:
        """Nothing was done; who was first, as far as somebody was."""
        found = late or [
            self._late(key, _("this group"), self.outcome, self.asked.token)
            for key in (self.keys if self.asked.token else ())
        ]
        again = bool(found) and all(each.again for each in found)
        site = self.page.admin_site.name
        context = {
            **self._context(
                _("You have decided this already")
                if again
                else _("Nothing was done: it has changed since you saw it")
            ),
            "late": [each.told(site) for each in found if each.first is not None],
        }
        return TemplateResponse(self.request, "neardup/admin/conflict.html", context, status=409)

    def _context(self, title: str) -> dict[str, Any]:
        self.request.current_app = self.page.admin_site.name
        return {
            **self.page.admin_site.each_context(self.request),
            "title": title,
            "opts": self.page.opts,
            "media": self.page.media,
            "is_nav_sidebar_enabled": False,
            "list_url": self.list_url,
            "back_url": self.asked.source_url(self.page.admin_site.name),
        }

    @property
    def list_url(self) -> str:
        """The list that the person came from, with its filters as they were."""
        return self.asked.list_url(self.page.admin_site.name)

    def _back(self, message: str) -> HttpResponse:
        messages.error(self.request, message)
        return HttpResponseRedirect(self.asked.source_url(self.page.admin_site.name))


def _is_other(group: Group, plan: Plan | None) -> bool:
    """Whether the values that may be chosen are no longer those of the plan."""
    if plan is None:
        return False
    assert group.keeper is not None
    found, _wrong = columns(group.keeper, group.losers, {})
    return stamp_of(found) != plan.stamp


def _score(group: Group, key: int) -> str:
    seen = group.seen.get(key)
    return "" if seen is None or seen.score is None else percent(seen.score, key in group.exact)

"""Decisions from a list: leave and hide are done at once on what the rows showed; the rest goes to its confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..asked import FILTERS, LIST, decide_url
from ..chosen import too_many
from ..confirming import Deciding
from ..conflicts import First
from ..groups import CAP, Group, groups_of, ledger_token, load, size_of, stale, tokens_of
from ..outcomes import OUTCOMES, Outcome, Preview
from ..proposing import following, proposal_of
from ..results import Results, name_of
from .suggesting import suggest

ACCEPT = "accept"
"""In the place of an outcome: for each group what is suggested."""
AT_ONCE = ("leave", "hide")
LACKING: str | Promise = gettext_lazy("you lack the permission.")


class AtOnce(Deciding):
    """One request of a list. Each group is decided or not by itself."""

    accept = False

    def answer(self) -> HttpResponse:
        """The deed on each group whose row still holds, or the way to a confirmation."""
        if not self.keys:
            return self._back(_("Nothing was done: tick at least one post."))
        if not self.accept and self.outcome.name not in AT_ONCE:
            return self._to_confirmation(self.outcome.name, self.keys)
        groups = {group.key: group for group in groups_of(self.keys, None, None, self.using)}
        wishes = {key: self._wish(groups.get(key)) for key in self.keys}
        planned = [key for key in self.keys if wishes[key].name not in AT_ONCE]
        now = [key for key in self.keys if key not in planned]
        size = size_of(groups[key] for key in now if key in groups)
        if size > CAP:
            return self._back(too_many(size))
        results = self._do({key: wishes[key] for key in now}, groups)
        if now and not results.done and not planned and not results.failed:
            return self._conflict(results.late)
        results.tell(self.request, self.page.admin_site.name)
        if not planned:
            return HttpResponseRedirect(self.list_url)
        return self._to_confirmation(wishes[planned[0]].name, planned)

    def _wish(self, group: Group | None) -> Outcome:
        if not self.accept or group is None:
            return self.outcome
        return OUTCOMES[suggest(group.source, group.representative).outcome]

    def _do(self, wishes: dict[str, Outcome], groups: dict[str, Group]) -> Results:
        results = Results(self.options.batch)
        held = self._loaded(
            [groups[key] for key in wishes if key in groups and self._is_as_seen(groups[key])]
        )
        changed = stale(held, self.using)
        held = [group for group in held if group.key not in changed]
        self.tokens = dict(zip((group.key for group in held), tokens_of(held, self.using), strict=True))
        for key, wish in wishes.items():
            if key not in self.tokens:
                name = name_of(groups[key]) if key in groups else _("this group")
                results.late.append(self._late(key, name, wish, self.asked.seen.get(key)))
        self._perform_each([(group, wishes[group.key]) for group in held], results)
        return results

    def _perform_each(self, wishes: Sequence[tuple[Group, Outcome]], results: Results) -> None:
        previews = [(self._preview(group, outcome), outcome) for group, outcome in wishes]
        if previews and all(preview.missing for preview, _outcome in previews):
            raise PermissionDenied
        for preview, outcome in previews:
            if preview.missing:
                preview.reasons = [str(LACKING)]
                results.failed.append(preview)
            else:
                self._try(preview, outcome, results)

    def _preview(self, group: Group, outcome: Outcome) -> Preview:
        if outcome.permission is not None and not self.request.user.has_perm(outcome.permission):
            return Preview(group, self.options, missing=[str(LACKING)])
        return outcome.preview(group, self.request, self.page.admin_site, self.options)

    def _is_as_seen(self, group: Group) -> bool:
        seen = self.asked.seen.get(group.key)
        return seen is not None and seen.digest == ledger_token(group)

    def _loaded(self, groups: Sequence[Group]) -> list[Group]:
        """Nobody has chosen who stays: the site's policy does, as on a confirmation."""
        load(groups, self.using)
        return [following(group, proposal_of(group)) for group in groups]

    def _to_confirmation(self, outcome: str, keys: Sequence[str]) -> HttpResponse:
        url = decide_url(self.page.admin_site.name, outcome)
        query: dict[str, Any] = {"id": keys, LIST: self.asked.list}
        if self.asked.filters:
            query[FILTERS] = self.asked.filters
        return HttpResponseRedirect(f"{url}?{urlencode(query, doseq=True)}")


class Accept(AtOnce):
    """What is suggested for each group."""

    accept = True

    def _repeats(self, first: First, outcome: Outcome) -> bool:
        """What was suggested of a group that is no more, nobody knows."""
        return first.is_of(self.request.user)

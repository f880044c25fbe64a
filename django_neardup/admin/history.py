"""What has happened to the posts of a page so far, and the way to put a decision back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from ..merging.permissions import REVIEW
from ..models import Cluster, Decision, Document, MergeRecord, Pair, Verdict
from ..pipeline.deed_keys import document_keys
from ..pipeline.deeds import about
from ..pipeline.ties import decisions_between
from .base import non_atomic
from .reopened import Known, Reopened
from .withdrawing import take_back
from .words import LABELS, numbered, percent

LISTED = 20
"""Decisions, and records, that a page lists."""


@dataclass(frozen=True)
class Event:
    """Something that was found or done; ``when``: None for what is so now; ``back``: the address that puts it back, for
    those who may."""

    when: datetime | None
    words: str
    by: str = ""
    note: str = ""
    back: str = ""


def of_pair(pair: Pair, again: Reopened | None, request: HttpRequest, site: Any, using: str) -> list[Event]:
    """What has happened to those two, the newest first. ``again``: why they wait although somebody had decided."""
    now = Known(Verdict(pair.verdict), (), pair.score)
    first = again.then if again is not None and again.then is not None else now
    told = [Event(pair.found, _("Found: %(verdict)s.") % {"verdict": _known(first, pair.exact)})]
    told += _decided(decisions_between(pair.a, pair.b, using)[:LISTED], request, site)
    told += _done(list(_records([pair.a, pair.b], using)), using)
    return [*([Event(None, _reopened(pair, again))] if again is not None else []), *_newest(told)]


def _reopened(pair: Pair, again: Reopened) -> str:
    """Whose text has changed since the decision, and what the pair was then and is now."""
    sides = [each for each in (pair.a, pair.b) if each.pk in again.changed]
    names = ", ".join(numbered(each.object_id) for each in sides)
    words = _("Open again: %(posts)s changed.") % {"posts": names}
    if again.then is None:
        return words
    then, now = (_known(each) for each in (again.then, again.now))
    return f"{words} " + _("Then: %(then)s. Now: %(now)s.") % {"then": then, "now": now}


def _known(known: Known, exact: bool = False) -> str:
    classes = [str(LABELS[each]) for each in known.classes if LABELS.get(each)]
    return ", ".join([str(known.verdict.label), *classes, percent(known.score, exact)])


def of_cluster(cluster: Cluster, request: HttpRequest, site: Any, using: str) -> list[Event]:
    """What has happened to that group and to members of it, the newest first; at most 20 of a kind."""
    inside = cluster.memberships.using(using).values("document")
    decisions = Decision.objects.using(using).filter(members__document__in=inside).distinct()
    own = MergeRecord.objects.using(using).filter(cluster=cluster.pk)
    records = [*own.order_by("-pk")[:LISTED], *_records([cluster.representative], using)]
    unique = {record.pk: record for record in records}
    told = [*_decided(decisions.order_by("-pk")[:LISTED], request, site), *_done(unique.values(), using)]
    return _newest([Event(cluster.created, _("The group came up.")), *told])


def _newest(events: list[Event]) -> list[Event]:
    return sorted(events, key=attrgetter("when"), reverse=True)


def _decided(decisions: Iterable[Decision], request: HttpRequest, site: Any) -> Iterator[Event]:
    may = request.user.has_perm(REVIEW)
    for each in decisions:
        words = _("Decided: the same.") if each.kind == Decision.Kind.SAME else _("Left: not duplicates.")
        back = _back_url(each, site) if may and each.withdrawn is None else ""
        yield Event(each.created, words, each.by_name, each.note, back)
        if each.withdrawn is not None:
            yield Event(each.withdrawn, _("The decision was taken back."), each.withdrawn_by)


def _back_url(decision: Decision, site: Any) -> str:
    return reverse(f"{site.name}:neardup_decision_withdraw", args=[decision.pk])


def _records(documents: list[Document], using: str) -> QuerySet[MergeRecord]:
    """What was done to those posts, and what was merged into them."""
    touched = about([(each.content_type_id, each.object_id) for each in documents], using)
    return MergeRecord.objects.using(using).filter(touched).defer("journal").order_by("-pk")[:LISTED]


def _done(records: Collection[MergeRecord], using: str) -> Iterator[Event]:
    keys = document_keys(records, using)
    for each in records:
        post, keeper = keys[each.pk]
        names = {"post": numbered(post), "keeper": numbered(keeper)}
        words = {
            MergeRecord.Action.MERGE: _("%(post)s was merged into %(keeper)s."),
            MergeRecord.Action.HIDE: _("%(post)s was hidden."),
            MergeRecord.Action.DELETE: _("%(post)s was deleted."),
        }
        yield Event(each.created, words[MergeRecord.Action(each.action)] % names, each.by_name)
        if each.undone is not None:
            yield Event(each.undone, _("That of %(post)s was undone.") % names, each.undone_by)


class PutsBack(admin.ModelAdmin):  # type: ignore[type-arg]
    """The list of decisions, each of which can be taken back from the page where it is told of."""

    def get_urls(self) -> list[Any]:
        view = non_atomic(self.admin_site.admin_view(self.withdraw_view))
        return [path("<int:pk>/withdraw/", view, name="neardup_decision_withdraw"), *super().get_urls()]

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST alone: take the decision back and return to the page that asked for it."""
        if not request.user.has_perm(REVIEW):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        queryset = self.get_queryset(request)
        decision = queryset.filter(pk=pk).first()
        if decision is None:
            raise Http404
        if decision.withdrawn is None and take_back(decision, request.user, queryset.db):
            messages.success(request, _("The decision was taken back; the posts are asked about again."))
        return HttpResponseRedirect(self._next(request))

    def _next(self, request: HttpRequest) -> str:
        wanted = request.POST.get("next", "")
        if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
            return wanted
        return reverse(f"{self.admin_site.name}:neardup_decision_changelist")

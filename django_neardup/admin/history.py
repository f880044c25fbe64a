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

from ..models import Cluster, Decision, Document, MergeRecord, Pair, Verdict
from ..moderation.permissions import REVIEW_PERMISSION
from ..pipeline.record_keys import canonical_ids_by_record
from ..pipeline.record_queries import records_about_q
from ..pipeline.shared_evidence import decisions_between
from .base import non_atomic_requests
from .decision_withdrawal import withdraw_decision
from .reopened_pairs import PairState, ReopenedPair
from .text_format import DIFFERENCE_LABELS, format_object_number, format_percent

MAX_EVENTS_PER_KIND = 20
"""Decisions, and records, that a page lists."""


@dataclass(frozen=True)
class HistoryEvent:
    """Something that was found or done; ``time``: None for what is so now; ``withdraw_url``: the address that puts it
    back, for those who may."""

    time: datetime | None
    text: str
    user_name: str = ""
    note: str = ""
    withdraw_url: str = ""


def build_pair_history(
    pair: Pair, reopened_pair: ReopenedPair | None, request: HttpRequest, site: Any, using: str
) -> list[HistoryEvent]:
    """What has happened to those two, the newest first. ``again``: why they wait although somebody had decided."""
    now = PairState(Verdict(pair.verdict), (), pair.score)
    first = (
        reopened_pair.decided_state
        if reopened_pair is not None and reopened_pair.decided_state is not None
        else now
    )
    told = [
        HistoryEvent(pair.found, _("Found: %(verdict)s.") % {"verdict": _pair_state_text(first, pair.exact)})
    ]
    told += _decision_events(decisions_between(pair.a, pair.b, using)[:MAX_EVENTS_PER_KIND], request, site)
    told += _record_events(list(_load_records([pair.a, pair.b], using)), using)
    return [
        *([HistoryEvent(None, _reopened_text(pair, reopened_pair))] if reopened_pair is not None else []),
        *_sort_newest_first(told),
    ]


def _reopened_text(pair: Pair, reopened_pair: ReopenedPair) -> str:
    """Whose text has changed since the decision, and what the pair was then and is now."""
    sides = [each for each in (pair.a, pair.b) if each.pk in reopened_pair.changed_document_ids]
    names = ", ".join(format_object_number(each.object_id) for each in sides)
    words = _("Open again: %(posts)s changed.") % {"posts": names}
    if reopened_pair.decided_state is None:
        return words
    then, now = (
        _pair_state_text(each) for each in (reopened_pair.decided_state, reopened_pair.current_state)
    )
    return f"{words} " + _("Then: %(then)s. Now: %(now)s.") % {"then": then, "now": now}


def _pair_state_text(pair_state: PairState, is_exact: bool = False) -> str:
    classes = [
        str(DIFFERENCE_LABELS[each]) for each in pair_state.difference_classes if DIFFERENCE_LABELS.get(each)
    ]
    return ", ".join([str(pair_state.verdict.label), *classes, format_percent(pair_state.score, is_exact)])


def build_cluster_history(
    cluster: Cluster, request: HttpRequest, site: Any, using: str
) -> list[HistoryEvent]:
    """What has happened to that group and to members of it, the newest first; at most 20 of a kind."""
    inside = cluster.memberships.using(using).values("document")
    decisions = Decision.objects.using(using).filter(members__document__in=inside).distinct()
    own = MergeRecord.objects.using(using).filter(cluster=cluster.pk)
    records = [*own.order_by("-pk")[:MAX_EVENTS_PER_KIND], *_load_records([cluster.leader], using)]
    unique = {record.pk: record for record in records}
    told = [
        *_decision_events(decisions.order_by("-pk")[:MAX_EVENTS_PER_KIND], request, site),
        *_record_events(unique.values(), using),
    ]
    return _sort_newest_first([HistoryEvent(cluster.created, _("The group came up.")), *told])


def _sort_newest_first(events: list[HistoryEvent]) -> list[HistoryEvent]:
    return sorted(events, key=attrgetter("time"), reverse=True)


def _decision_events(
    decisions: Iterable[Decision], request: HttpRequest, site: Any
) -> Iterator[HistoryEvent]:
    may = request.user.has_perm(REVIEW_PERMISSION)
    for each in decisions:
        words = _("Decided: the same.") if each.kind == Decision.Kind.SAME else _("Left: not duplicates.")
        back = _withdraw_url(each, site) if may and each.withdrawn is None else ""
        yield HistoryEvent(each.created, words, each.by_name, each.note, back)
        if each.withdrawn is not None:
            yield HistoryEvent(each.withdrawn, _("The decision was taken back."), each.withdrawn_by)


def _withdraw_url(decision: Decision, site: Any) -> str:
    return reverse(f"{site.name}:neardup_decision_withdraw", args=[decision.pk])


def _load_records(documents: list[Document], using: str) -> QuerySet[MergeRecord]:
    """What was done to those posts, and what was merged into them."""
    touched = records_about_q([(each.content_type_id, each.object_id) for each in documents], using)
    return (
        MergeRecord.objects.using(using)
        .filter(touched)
        .defer("journal")
        .order_by("-pk")[:MAX_EVENTS_PER_KIND]
    )


def _record_events(records: Collection[MergeRecord], using: str) -> Iterator[HistoryEvent]:
    keys = canonical_ids_by_record(records, using)
    for each in records:
        post, keeper = keys[each.pk]
        names = {"post": format_object_number(post), "keeper": format_object_number(keeper)}
        words = {
            MergeRecord.Action.MERGE: _("%(post)s was merged into %(keeper)s."),
            MergeRecord.Action.HIDE: _("%(post)s was hidden."),
            MergeRecord.Action.DELETE: _("%(post)s was deleted."),
        }
        yield HistoryEvent(each.created, words[MergeRecord.Action(each.action)] % names, each.by_name)
        if each.undone is not None:
            yield HistoryEvent(each.undone, _("That of %(post)s was undone.") % names, each.undone_by)


class WithdrawDecisionMixin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The list of decisions, each of which can be taken back from the page where it is told of."""

    def get_urls(self) -> list[Any]:
        view = non_atomic_requests(self.admin_site.admin_view(self.withdraw_view))
        return [path("<int:pk>/withdraw/", view, name="neardup_decision_withdraw"), *super().get_urls()]

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """POST alone: take the decision back and return to the page that asked for it."""
        if not request.user.has_perm(REVIEW_PERMISSION):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        queryset = self.get_queryset(request)
        decision = queryset.filter(pk=pk).first()
        if decision is None:
            raise Http404
        if decision.withdrawn is None and withdraw_decision(decision, request.user, queryset.db):
            messages.success(request, _("The decision was taken back; the posts are asked about again."))
        return HttpResponseRedirect(self._return_url(request))

    def _return_url(self, request: HttpRequest) -> str:
        wanted = request.POST.get("next", "")
        if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
            return wanted
        return reverse(f"{self.admin_site.name}:neardup_decision_changelist")

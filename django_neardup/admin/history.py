"""The history of the posts of a page (pairs, decisions, merge records) and the view that withdraws a
decision.
"""

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
from .decision_withdrawal import brought_along_ids, unseen_decision_ids, withdraw_decision
from .reopened_pairs import PairState, ReopenedPair
from .text_format import DIFFERENCE_LABELS, format_object_number, format_percent
from .visible_spaces import in_visible_spaces, visible_spaces

MAX_EVENTS_PER_KIND = 20
"""Maximum number of decisions, and of merge records, on a page."""


@dataclass(frozen=True)
class HistoryEvent:
    """An event in the history of a post, a pair or a cluster.

    ``time`` is None for a fact about the present. ``withdraw_url`` is the address that withdraws the
    decision. It is empty if the event is no decision, if it is withdrawn already, or if this person may not
    withdraw it.
    """

    time: datetime | None
    text: str
    user_name: str = ""
    note: str = ""
    withdraw_url: str = ""


def build_pair_history(
    pair: Pair, reopened_pair: ReopenedPair | None, request: HttpRequest, site: Any, using: str
) -> list[HistoryEvent]:
    """Return the events of a pair, newest first.

    ``reopened_pair`` says why a decided pair waits for a decision again. It is None if the pair is not
    reopened.
    """
    current_state = PairState(Verdict(pair.verdict), (), pair.score)
    # The pair's row holds only its newest state, so the state at the first find comes from the decision.
    first_state = (
        reopened_pair.decided_state
        if reopened_pair is not None and reopened_pair.decided_state is not None
        else current_state
    )
    events = [
        HistoryEvent(
            pair.found, _("Found: %(verdict)s.") % {"verdict": _pair_state_text(first_state, pair.exact)}
        )
    ]
    decisions = decisions_between(pair.a, pair.b, using)
    own = in_visible_spaces(
        Decision.objects.using(using).filter(pk__in=[each.pk for each in decisions]), request
    )
    events += _decision_events(own, decisions, request, site)
    events += _record_events(list(_load_records([pair.a, pair.b], request, using)), using)
    return [
        *([HistoryEvent(None, _reopened_text(pair, reopened_pair))] if reopened_pair is not None else []),
        *_sort_newest_first(events),
    ]


def _reopened_text(pair: Pair, reopened_pair: ReopenedPair) -> str:
    """Return a sentence: which posts have changed since the decision, and the pair's state then and now."""
    changed = [side for side in (pair.a, pair.b) if side.pk in reopened_pair.changed_document_ids]
    names = ", ".join(format_object_number(side.object_id) for side in changed)
    words = _("Reopened: %(posts)s changed.") % {"posts": names}
    if reopened_pair.decided_state is None:
        return words
    then, now = (
        _pair_state_text(state) for state in (reopened_pair.decided_state, reopened_pair.current_state)
    )
    return f"{words} " + _("Before: %(then)s. Now: %(now)s.") % {"then": then, "now": now}


def _pair_state_text(pair_state: PairState, is_exact: bool = False) -> str:
    classes = [
        str(DIFFERENCE_LABELS[kind]) for kind in pair_state.difference_classes if DIFFERENCE_LABELS.get(kind)
    ]
    return ", ".join([str(pair_state.verdict.label), *classes, format_percent(pair_state.score, is_exact)])


def build_cluster_history(
    cluster: Cluster, request: HttpRequest, site: Any, using: str
) -> list[HistoryEvent]:
    """Return the events of a cluster and of its members, newest first, at most ``MAX_EVENTS_PER_KIND`` of a
    kind.
    """
    member_ids = cluster.memberships.using(using).values("document")
    decisions = (
        Decision.objects.using(using).filter(members__document__in=member_ids).distinct().order_by("-pk")
    )
    cluster_records = in_visible_spaces(MergeRecord.objects.using(using), request).filter(cluster=cluster.pk)
    records = [
        *cluster_records.order_by("-pk")[:MAX_EVENTS_PER_KIND],
        *_load_records([cluster.leader], request, using),
    ]
    unique = {record.pk: record for record in records}
    events = [
        *_decision_events(in_visible_spaces(decisions, request), decisions, request, site),
        *_record_events(unique.values(), using),
    ]
    return _sort_newest_first([HistoryEvent(cluster.created, _("The group was found.")), *events])


def _sort_newest_first(events: list[HistoryEvent]) -> list[HistoryEvent]:
    return sorted(events, key=attrgetter("time"), reverse=True)


def _decision_events(
    own: QuerySet[Decision], decisions: Iterable[Decision], request: HttpRequest, site: Any
) -> Iterator[HistoryEvent]:
    """Yield events of ``own``, the decisions in spaces that the person may see, and of others.

    Of ``decisions`` also those are shown that posts have brought along, without names and notes.
    """
    may_withdraw = request.user.has_perm(REVIEW_PERMISSION)
    named = list(own.order_by("-pk")[:MAX_EVENTS_PER_KIND])
    brought: list[Decision] = []
    if visible_spaces(request) is not None:
        own_ids = {*own.values_list("pk", flat=True)}
        others = [decision for decision in decisions if decision.pk not in own_ids]
        shown = brought_along_ids(others, request, site, own.db) if others else set()
        brought = [decision for decision in others if decision.pk in shown][:MAX_EVENTS_PER_KIND]
    rows = [*((decision, True) for decision in named), *((decision, False) for decision in brought)]
    for decision, is_named in rows:
        words = (
            _("Decided: the same.") if decision.kind == Decision.Kind.SAME else _("Decided: not duplicates.")
        )
        withdraw_url = _withdraw_url(decision, site) if may_withdraw and decision.withdrawn is None else ""
        name, note = (decision.by_name, decision.note) if is_named else ("", "")
        yield HistoryEvent(decision.created, words, name, note, withdraw_url)
        if decision.withdrawn is not None:
            withdrawn_by = decision.withdrawn_by if is_named else ""
            yield HistoryEvent(decision.withdrawn, _("The decision was withdrawn."), withdrawn_by)


def _withdraw_url(decision: Decision, site: Any) -> str:
    return reverse(f"{site.name}:neardup_decision_withdraw", args=[decision.pk])


def _load_records(documents: list[Document], request: HttpRequest, using: str) -> QuerySet[MergeRecord]:
    """Return the newest merge records of the posts that the person may see.

    A post is the one acted on, or the keeper.
    """
    condition = records_about_q(
        [(document.content_type_id, document.object_id) for document in documents], using
    )
    return (
        in_visible_spaces(MergeRecord.objects.using(using), request)
        .filter(condition)
        .defer("journal")
        .order_by("-pk")[:MAX_EVENTS_PER_KIND]
    )


def _record_events(records: Collection[MergeRecord], using: str) -> Iterator[HistoryEvent]:
    ids_by_record = canonical_ids_by_record(records, using)
    for record in records:
        post, keeper = ids_by_record[record.pk]
        names = {"post": format_object_number(post), "keeper": format_object_number(keeper)}
        words = {
            MergeRecord.Action.MERGE: _("%(post)s was merged into %(keeper)s."),
            MergeRecord.Action.HIDE: _("%(post)s was hidden."),
            MergeRecord.Action.DELETE: _("%(post)s was deleted: its address leads to %(keeper)s.")
            if keeper
            else _("%(post)s was deleted."),
        }
        yield HistoryEvent(record.created, words[MergeRecord.Action(record.action)] % names, record.by_name)
        if record.undone is not None:
            yield HistoryEvent(record.undone, _("Undone for %(post)s.") % names, record.undone_by)


class WithdrawDecisionMixin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A ModelAdmin of decisions with a view that withdraws one.

    The pages that list a decision link to this view.
    """

    def get_urls(self) -> list[Any]:
        view = non_atomic_requests(self.admin_site.admin_view(self.withdraw_view))
        return [path("<int:pk>/withdraw/", view, name="neardup_decision_withdraw"), *super().get_urls()]

    def withdraw_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Withdraw the decision and redirect to the page that sent the request. Accept POST only."""
        if not request.user.has_perm(REVIEW_PERMISSION):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        queryset = self.get_queryset(request)
        decision = queryset.filter(pk=pk).first()
        is_own = decision is not None
        if decision is None:
            decision = Decision.objects.using(queryset.db).filter(pk=pk).first()
            if decision is None or not brought_along_ids([decision], request, self.admin_site, queryset.db):
                raise Http404
        elif unseen_decision_ids([decision], request, self.admin_site, queryset.db):
            raise PermissionDenied
        if decision.withdrawn is None and withdraw_decision(
            decision, request.user, queryset.db, is_named=is_own
        ):
            messages.success(request, _("The decision was withdrawn; the posts return to the queue."))
        return HttpResponseRedirect(self._return_url(request))

    def _return_url(self, request: HttpRequest) -> str:
        return_url = request.POST.get("next", "")
        # The address comes from the form, so a redirect to another host must be refused.
        if url_has_allowed_host_and_scheme(return_url, {request.get_host()}, request.is_secure()):
            return return_url
        return reverse(f"{self.admin_site.name}:neardup_decision_changelist")

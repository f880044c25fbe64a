"""The undo view: a confirmation that changes nothing, then the undo, post by post."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from ..models import Decision, DecisionMember, MergeRecord
from ..moderation import UndoPlan, plan_undo
from ..moderation.permissions import REVIEW_PERMISSION, RequiredPermission
from ..moderation.undo.permission_check import missing_undo_permissions
from ..moderation.undo.restore import UndoResult, undo_records
from ..pipeline.emptied_journals import last_undo_day
from .decision_withdrawal import withdraw_decision
from .record_titles import attach_titles, title_with_number
from .visible_objects import DisplayedPost, find_visible_objects, load_displayed_posts

if TYPE_CHECKING:
    from .merge_record_admin import MergeRecordAdmin

MAX_UNDO_ITEMS = 100
"""Maximum number of records, and of decisions, that one request may undo."""

MAX_REFUSAL_MESSAGES = 5
"""Maximum number of refusals that get a message each."""


@dataclass
class UndoItem:
    """One item to undo: a merge record with the plan of its undo, or a decision.

    It can be undone if ``missing_permissions`` and the plan's ``reasons`` are empty and it is not undone yet.
    """

    record_or_decision: MergeRecord | Decision
    plan: UndoPlan | None = None
    missing_permissions: Sequence[RequiredPermission | str] = ()
    posts: list[DisplayedPost] = field(default_factory=list)

    @property
    def field_name(self) -> str:
        """Return the name of the form field that selects the item."""
        return "record" if isinstance(self.record_or_decision, MergeRecord) else "decision"

    @property
    def is_undone(self) -> bool:
        """Return whether it is undone (a record) or withdrawn (a decision) already."""
        return bool(
            self.record_or_decision.undone
            if isinstance(self.record_or_decision, MergeRecord)
            else self.record_or_decision.withdrawn
        )

    @property
    def last_day(self) -> str:
        """Return the last day on which a record can be undone. Return an empty text if there is no limit."""
        record = self.record_or_decision
        return last_undo_day(record.created) if isinstance(record, MergeRecord) else ""

    @property
    def can_undo(self) -> bool:
        return not (
            self.is_undone or self.missing_permissions or (self.plan is not None and self.plan.reasons)
        )


def build_undo_item(record: MergeRecord, request: HttpRequest, site: Any, using: str) -> UndoItem:
    """Return the record as an item to undo, with the permissions that this person lacks."""
    if record.undone is not None:
        return UndoItem(record)
    plan = plan_undo(record, using)
    return UndoItem(record, plan, missing_undo_permissions(plan, request, site))


class UndoView:
    """One request to undo records and withdraw decisions. Raise Http404 if there are none."""

    def __init__(
        self,
        record_admin: MergeRecordAdmin,
        request: HttpRequest,
        records: Sequence[MergeRecord],
        decisions: Sequence[Decision],
    ) -> None:
        self.record_admin, self.request, self.using = (
            record_admin,
            request,
            record_admin.get_queryset(request).db,
        )
        attach_titles(records, request, record_admin.admin_site, self.using)
        self.items = [
            build_undo_item(record, request, record_admin.admin_site, self.using) for record in records
        ]
        self.items += self._build_decision_items(decisions)
        data = request.POST if request.method == "POST" else request.GET
        self.selected = {(name, value) for name in ("record", "decision") for value in data.getlist(name)}
        if not self.items:
            raise Http404

    def get_response(self) -> HttpResponse:
        """Return the confirmation on GET. Undo the selected items on POST and redirect to the same page.

        Raise PermissionDenied on POST if a permission for a selected item is missing.
        """
        selected_items = [
            item for item in self.items if (item.field_name, str(item.record_or_decision.pk)) in self.selected
        ]
        if self.request.method != "POST":
            return self._confirmation_response(selected_items or self.items)
        if any(item.missing_permissions for item in selected_items):
            raise PermissionDenied
        if not selected_items:
            messages.error(self.request, _("Nothing was changed: select at least one post."))
        else:
            self._perform_all(selected_items)
        return HttpResponseRedirect(self.request.get_full_path())

    def _build_decision_items(self, decisions: Sequence[Decision]) -> list[UndoItem]:
        missing = [] if self.request.user.has_perm(REVIEW_PERMISSION) else [_("decide on near-duplicates")]
        members = DecisionMember.objects.using(self.using).filter(decision__in=decisions)
        members_by_id = {
            member.pk: member for member in members.select_related("document").order_by("document")
        }
        documents = [member.document for member in members_by_id.values()]
        site = self.record_admin.admin_site
        visible = find_visible_objects(documents, self.request, site, self.using)
        displayed = load_displayed_posts(documents, self.request, site, self.using, visible)
        posts: dict[int, list[DisplayedPost]] = {}
        unseen = set()
        for member in members_by_id.values():
            posts.setdefault(member.decision_id, []).append(displayed[member.document_id])
            if member.document_id in visible.hidden_ids:
                unseen.add(member.decision_id)
        return [
            UndoItem(
                decision,
                missing_permissions=[*missing, *([_("see these posts")] if decision.pk in unseen else [])],
                posts=posts.get(decision.pk, []),
            )
            for decision in decisions
        ]

    def _perform_all(self, selected_items: Sequence[UndoItem]) -> None:
        records = [
            item.record_or_decision
            for item in selected_items
            if isinstance(item.record_or_decision, MergeRecord)
        ]
        results = undo_records(records, self.request.user, self.using)
        withdrawn = self._withdraw_decisions(
            [item for item in selected_items if isinstance(item.record_or_decision, Decision)]
        )
        self._add_messages([result for result in results if result.is_done], withdrawn)
        refused = [result for result in results if not result.is_done]
        for result in refused[:MAX_REFUSAL_MESSAGES]:
            record: Any = result.record
            words = _("Not undone, %(post)s: %(reasons)s") % {
                "post": title_with_number(record.loser_title, record.loser_id),
                "reasons": " ".join(result.reasons[:MAX_REFUSAL_MESSAGES]),
            }
            messages.warning(self.request, words)
        if rest_count := len(refused[MAX_REFUSAL_MESSAGES:]):
            words = ngettext("%(count)d more was not undone.", "%(count)d more were not undone.", rest_count)
            messages.warning(self.request, words % {"count": rest_count})

    def _withdraw_decisions(self, items: Sequence[UndoItem]) -> int:
        in_force = [
            item.record_or_decision
            for item in items
            if isinstance(item.record_or_decision, Decision) and not item.is_undone
        ]
        return sum(withdraw_decision(decision, self.request.user, self.using) for decision in in_force)

    def _add_messages(self, done: Sequence[UndoResult], withdrawn_count: int) -> None:
        if done:
            words = ngettext("Undone: %(count)d post.", "Undone: %(count)d posts.", len(done))
            messages.success(self.request, words % {"count": len(done)})
        self._add_leftover_messages([result.record for result in done if result.record.left])
        if withdrawn_count:
            words = ngettext(
                "%(count)d decision was withdrawn.", "%(count)d decisions were withdrawn.", withdrawn_count
            )
            messages.success(self.request, words % {"count": withdrawn_count})

    def _add_leftover_messages(self, records: Sequence[MergeRecord]) -> None:
        if hidden_count := sum(record.action == MergeRecord.Action.HIDE for record in records):
            words = ngettext(
                "%(count)d post was not shown again: the reason is below.",
                "%(count)d posts were not shown again: the reasons are below.",
                hidden_count,
            )
            messages.warning(self.request, words % {"count": hidden_count})
        if leftover_count := len(records) - hidden_count:
            words = ngettext(
                "Part of %(count)d post could not be restored. See the list below.",
                "Parts of %(count)d posts could not be restored. See the list below.",
                leftover_count,
            )
            messages.warning(self.request, words % {"count": leftover_count})

    def _confirmation_response(self, selected_items: Sequence[UndoItem]) -> HttpResponse:
        open_items = [item for item in self.items if not item.is_undone]
        context = {
            **self.record_admin.base_context(self.request, pgettext("heading", "Undo")),
            "items": self.items,
            "ticked": [item.record_or_decision for item in selected_items if item.can_undo],
            "open": len(open_items),
            "can": any(item.can_undo for item in open_items),
        }
        return TemplateResponse(self.request, "neardup/admin/undo.html", context)

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
from ..models import Cluster
from ..moderation.keeper import KeeperProposal
from ..moderation.permissions import REVIEW_PERMISSION
from ..moderation.plan import MergePlan
from ..moderation.values import columns_digest, differing_columns
from .conflicts import EarlierDecision, find_earlier_decision
from .decision_groups import (
    MAX_OBJECTS,
    ReviewItem,
    build_state_tokens,
    combine_tokens,
    count_objects,
    load_objects,
    load_review_items,
)
from .decision_messages import ConflictResult, DecisionResults, format_item_name
from .decision_request import DecisionRequest, SeenState, build_page_state, normalize_options
from .keeper_choice import keeper_proposal, with_proposed_keeper
from .outcomes import ActionOptions, ActionPreview, ModerationAction, remember_unselected
from .plan_view import build_plan_context
from .selection_limits import too_many_message
from .text_format import format_percent
from .visible_objects import DisplayedPost, load_displayed_posts

if TYPE_CHECKING:
    from .review_queue.queue_admin import QueueAdmin


class DecisionView:
    """One request for an outcome."""

    def __init__(
        self,
        queue_admin: QueueAdmin,
        request: HttpRequest,
        action: ModerationAction,
        decision_request: DecisionRequest,
    ) -> None:
        self.queue_admin, self.request, self.action, self.decision_request = (
            queue_admin,
            request,
            action,
            decision_request,
        )
        self.item_keys, self.selected_document_ids = (
            decision_request.item_keys,
            decision_request.selected_document_ids,
        )
        self.options = decision_request.options if action.name != "leave" else ActionOptions()
        if not request.user.has_perm(REVIEW_PERMISSION):
            self.options = replace(self.options, remember_unselected=False)
        self.using = queue_admin.get_queryset(request).db
        self.state_tokens: dict[str, str] = {}
        self.keeper_proposals: dict[str, KeeperProposal | None] = {}
        if not self.item_keys and request.method != "POST":
            raise Http404

    def get_response(self) -> HttpResponse:
        """The confirmation, the deed, or why neither is possible."""
        groups = self._load_items(self.item_keys)
        if self._has_changed(groups):
            return self._conflict_response()
        if not groups or not all(group.selected_documents for group in groups):
            return self._redirect_with_error(_("Nothing was done: tick at least one post."))
        if count_objects(groups) > MAX_OBJECTS:
            return self._redirect_with_error(too_many_message(count_objects(groups)))
        groups = self._load_with_keepers(groups)
        self.state_tokens = dict(
            zip((group.item_key for group in groups), build_state_tokens(groups, self.using), strict=True)
        )
        self.options = normalize_options(self.options, groups, self.action.proposes_keeper)
        site = self.queue_admin.admin_site
        previews = [self.action.preview(group, self.request, site, self.options) for group in groups]
        if self.request.method != "POST" or "preview" in self.request.POST:
            return self._confirmation_response(previews)
        if any(preview.missing_permissions for preview in previews):
            raise PermissionDenied
        token = self.decision_request.page_state
        if token is None or token.digest != self._page_digest(previews):
            return self._conflict_response()
        return self._perform_all(previews)

    def _load_items(self, item_keys: Sequence[str]) -> list[ReviewItem]:
        return load_review_items(item_keys, self.selected_document_ids, self.options.keeper_id, self.using)

    def _load_with_keepers(self, items: Sequence[ReviewItem]) -> list[ReviewItem]:
        """The groups with their objects, and with the post that stays as chosen, or as the site's policy proposes."""
        load_objects(items, self.using)
        if not self.action.proposes_keeper:
            return list(items)
        self.keeper_proposals = {group.item_key: keeper_proposal(group) for group in items}
        if self.options.keeper_id is not None:
            return list(items)
        return [with_proposed_keeper(group, self.keeper_proposals[group.item_key]) for group in items]

    def _has_changed(self, items: Sequence[ReviewItem]) -> bool:
        """Whether a group has gone, or a post that was ticked or is to stay belongs to it no more."""
        members = {each.pk for group in items for each in group.documents}
        wanted = (self.selected_document_ids or set()) | ({self.options.keeper_id} - {None})
        return len(items) < len(self.item_keys) or not wanted <= members

    def _perform_all(self, previews: Sequence[ActionPreview]) -> HttpResponse:
        results = DecisionResults(self.options.batch)
        for preview in previews:
            self._perform_one(preview, self.action, results)
        if not results.done_counts:
            return (
                self._confirmation_response(results.refused_previews, status=422)
                if results.refused_previews
                else self._conflict_response()
            )
        results.add_messages(self.request, self.queue_admin.admin_site.name)
        return HttpResponseRedirect(self.list_url)

    def _perform_one(
        self, preview: ActionPreview, action: ModerationAction, results: DecisionResults
    ) -> None:
        """Do it to one group, and note what came of it."""
        group = preview.item
        try:
            self._perform_if_unchanged(preview, action)
            results.done_counts[action.name] += 1
        except Conflict:
            seen = self.decision_request.row_states.get(group.item_key, self.decision_request.page_state)
            results.conflicts.append(
                self._build_conflict(group.item_key, format_item_name(group), action, seen)
            )
        except MergeRefused as error:
            preview.obstacles = [] if preview.open_questions else error.reasons
            results.refused_previews.append(preview)

    def _build_conflict(
        self, item_key: str, item_name: str, action: ModerationAction, seen_state: SeenState | None
    ) -> ConflictResult:
        first = find_earlier_decision(item_key, seen_state, self.using)
        return ConflictResult(item_name, action, first, first is not None and self._is_repeat(first, action))

    def _is_repeat(self, earlier_decision: EarlierDecision, action: ModerationAction) -> bool:
        """Whether this person did the same already: by a second click, or from a page that was gone back to."""
        return earlier_decision.is_made_by(self.request.user, action)

    def _perform_if_unchanged(self, preview: ActionPreview, action: ModerationAction) -> None:
        if preview.obstacles or preview.open_questions:
            raise MergeRefused(preview.obstacles or preview.open_questions)
        group = preview.item

        def check() -> None:
            fresh = self._load_with_keepers(self._load_items([group.item_key]))
            if build_state_tokens(fresh, self.using) != [
                self.state_tokens[group.item_key]
            ] or _have_values_changed(fresh[0], preview.plan):
                raise Conflict(_("The group has changed."))

        action.perform(group, self.request.user, check, self.options)
        remember_unselected(group, action, self.request.user, self.options)

    def _confirmation_response(self, previews: Sequence[ActionPreview], status: int = 200) -> HttpResponse:
        groups = [preview.item for preview in previews]
        documents = [each for group in groups for each in (group.keeper_document, *group.selected_documents)]
        shown = load_displayed_posts(documents, self.request, self.queue_admin.admin_site, self.using)
        context = {
            **self._base_context(str(self.action.title)),
            "outcome": self.action,
            "plans": [self._plan_context(preview, shown) for preview in previews],
            "alone": len(self.item_keys) == 1,
            "can": all(not each.missing_permissions for each in previews)
            and any(each.is_possible for each in previews),
            "token": str(build_page_state(self._page_digest(previews), groups)),
            "keys": [group.item_key for group in groups],
            "ticked": None if self.selected_document_ids is None else sorted(self.selected_document_ids),
            "options": self.options,
            "filters": self.decision_request.list_query,
            "list": self.decision_request.list_name,
        }
        return TemplateResponse(self.request, "neardup/admin/confirm.html", context, status=status)

    def _plan_context(
        self, preview: ActionPreview, posts_by_document: dict[int, DisplayedPost]
    ) -> dict[str, Any]:
        """A preview as the page shows it."""
        group = preview.item
        return {
            "preview": preview,
            "query": self._confirmation_query(preview.item),
            "keeper": posts_by_document[group.keeper_document.pk],
            "losers": [
                (posts_by_document[each.pk], _score_text(group, each.pk)) for each in group.selected_documents
            ],
            "proposal": self.keeper_proposals.get(group.item_key),
            "rest": len(group.other_documents) - len(group.selected_documents),
            **build_plan_context(preview.plan, preview.relation_lines, self.queue_admin.admin_site),
        }

    def _page_digest(self, previews: Sequence[ActionPreview]) -> str:
        """What the page shows: the groups, and the values that may be chosen."""
        stamps = (preview.plan.values_digest for preview in previews if preview.plan is not None)
        return combine_tokens([*(self.state_tokens[preview.item.item_key] for preview in previews), *stamps])

    def _confirmation_query(self, item: ReviewItem) -> str:
        """The address of a confirmation of that group, but for the post that stays."""
        query: dict[str, Any] = {"id": item.item_key, **self.decision_request.return_params}
        if self.selected_document_ids is not None:
            members = (
                (item.keeper_document, *item.selected_documents)
                if isinstance(item.cluster_or_pair, Cluster)
                else ()
            )
            query |= {"ticked": 1, "member": sorted(each.pk for each in members)}
        if self.options.remember_unselected:
            query["rest"] = 1
        return urlencode(query, doseq=True)

    def _conflict_response(self, conflicts: Sequence[ConflictResult] = ()) -> HttpResponse:
        """Nothing was done; who was first, as far as somebody was."""
        found = conflicts or [
            self._build_conflict(key, _("this group"), self.action, self.decision_request.page_state)
            for key in (self.item_keys if self.decision_request.page_state else ())
        ]
        again = bool(found) and all(each.is_repeat for each in found)
        site = self.queue_admin.admin_site.name
        context = {
            **self._base_context(
                _("You have decided this already")
                if again
                else _("Nothing was done: it has changed since you saw it")
            ),
            "late": [each.build_message(site) for each in found if each.earlier_decision is not None],
        }
        return TemplateResponse(self.request, "neardup/admin/conflict.html", context, status=409)

    def _base_context(self, title: str) -> dict[str, Any]:
        self.request.current_app = self.queue_admin.admin_site.name
        return {
            **self.queue_admin.admin_site.each_context(self.request),
            "title": title,
            "opts": self.queue_admin.opts,
            "media": self.queue_admin.media,
            "is_nav_sidebar_enabled": False,
            "list_url": self.list_url,
            "back_url": self.decision_request.origin_url(self.queue_admin.admin_site.name),
        }

    @property
    def list_url(self) -> str:
        """The list that the person came from, with its filters as they were."""
        return self.decision_request.list_url(self.queue_admin.admin_site.name)

    def _redirect_with_error(self, message: str) -> HttpResponse:
        messages.error(self.request, message)
        return HttpResponseRedirect(self.decision_request.origin_url(self.queue_admin.admin_site.name))


def _have_values_changed(item: ReviewItem, plan: MergePlan | None) -> bool:
    """Whether the values that may be chosen are no longer those of the plan."""
    if plan is None:
        return False
    assert item.keeper is not None
    found, _wrong = differing_columns(item.keeper, item.losers, {})
    return columns_digest(found) != plan.values_digest


def _score_text(item: ReviewItem, document_id: int) -> str:
    seen = item.seen_by_document.get(document_id)
    return (
        ""
        if seen is None or seen.score is None
        else format_percent(seen.score, document_id in item.exact_document_ids)
    )

"""The view for decisions: a confirmation page that changes nothing, then the action, or a refusal."""

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

from ..exceptions import Conflict, MergeRefused, UndoIsInexact
from ..models import Pair, Space
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
    load_hidden,
    load_objects,
    load_review_items,
)
from .decision_messages import ConflictResult, DecisionResults, format_item_name
from .decision_request import DecisionRequest, SeenState, build_page_state, normalize_options
from .keeper_choice import keeper_proposal, with_proposed_keeper
from .outcomes import ActionOptions, ActionPreview, ModerationAction, hidden_posts, remember_unselected
from .plan_view import build_plan_context
from .selection_limits import too_many_message
from .text_format import format_percent
from .visible_objects import DisplayedPost, VisibleObjects, load_displayed_posts
from .visible_spaces import in_visible_spaces, visible_spaces

# The queue's admin imports this module.
if TYPE_CHECKING:
    from .review_queue.queue_admin import QueueAdmin


class DecisionView:
    """One request to perform an action on items."""

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
        # To remember the unselected posts writes a decision "different", which needs the review permission.
        if not request.user.has_perm(REVIEW_PERMISSION):
            self.options = replace(self.options, remember_unselected=False)
        self.using = queue_admin.get_queryset(request).db
        self.visible: VisibleObjects | None = None
        self.state_tokens: dict[str, str] = {}
        self.keeper_proposals: dict[str, KeeperProposal | None] = {}
        if not self.item_keys and request.method != "POST":
            raise Http404

    def get_response(self) -> HttpResponse:
        """Return the confirmation page, perform the action, or refuse it with a reason.

        Raise PermissionDenied if the user lacks a permission.
        """
        items = self._load_items(self.item_keys)
        if self._has_changed(items):
            return self._conflict_response()
        if not items or not all(item.selected_documents for item in items):
            return self._redirect_with_error(_("Nothing was changed: select at least one post."))
        if count_objects(items) > MAX_OBJECTS:
            return self._redirect_with_error(too_many_message(count_objects(items)))
        items = self._load_with_keepers(items)
        self.state_tokens = dict(
            zip((item.item_key for item in items), build_state_tokens(items, self.using), strict=True)
        )
        self.options = normalize_options(self.options, items, self.action.proposes_keeper)
        site = self.queue_admin.admin_site
        previews = [self.action.preview(item, self.request, site, self.options) for item in items]
        if self.request.method != "POST" or "preview" in self.request.POST:
            return self._confirmation_response(previews)
        if any(preview.missing_permissions for preview in previews):
            raise PermissionDenied
        # The state that the confirmation page showed must still be the current one.
        page_state = self.decision_request.page_state
        if page_state is None or page_state.digest != self._page_digest(previews):
            return self._conflict_response()
        return self._perform_all(previews)

    def _load_items(self, item_keys: Sequence[str]) -> list[ReviewItem]:
        items = load_review_items(item_keys, self.selected_document_ids, self.options.keeper_id, self.using)
        return self._checked(items)

    def _checked(self, items: list[ReviewItem]) -> list[ReviewItem]:
        """Return the items, which know the posts that this person may not see.

        Raise Http404 if an item is of a space that this person may not see.
        """
        space_ids = {item.space_id for item in items}
        spaces = in_visible_spaces(
            Space.objects.using(self.using).filter(pk__in=space_ids), self.request, "pk"
        )
        if visible_spaces(self.request) is not None and spaces.count() < len(space_ids):
            raise Http404
        self.visible = load_hidden(items, self.request, self.queue_admin.admin_site, self.using)
        return items

    def _load_with_keepers(self, items: Sequence[ReviewItem]) -> list[ReviewItem]:
        """Load the objects, and return the items with their keepers.

        The keeper is the chosen one or, by default, the proposal of the site's policy.
        """
        load_objects(items, self.using)
        if not self.action.proposes_keeper:
            return list(items)
        self.keeper_proposals = {item.item_key: keeper_proposal(item) for item in items}
        if self.options.keeper_id is not None:
            return list(items)
        return [with_proposed_keeper(item, self.keeper_proposals[item.item_key]) for item in items]

    def _has_changed(self, items: Sequence[ReviewItem]) -> bool:
        """Return whether an item is gone, or whether its documents have changed.

        The latter is the case if a selected document or the chosen keeper no longer belongs to any item.
        """
        member_ids = {document.pk for item in items for document in item.documents}
        requested_ids = (self.selected_document_ids or set()) | ({self.options.keeper_id} - {None})
        return len(items) < len(self.item_keys) or not requested_ids <= member_ids

    def _perform_all(self, previews: Sequence[ActionPreview]) -> HttpResponse:
        results = DecisionResults(self.options.batch)
        for preview in previews:
            self._perform_one(preview, self.action, results)
        if not results.done_counts:
            # The checks under the locks have asked about single items.
            self.visible = None
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
        """Perform the action on one item, and add its result to ``results``."""
        item = preview.item
        try:
            self._perform_if_unchanged(preview, action)
            results.done_counts[action.name] += 1
        except Conflict:
            # Each row of a list has its own state. A confirmation page has one state for all items.
            seen_state = self.decision_request.row_states.get(item.item_key, self.decision_request.page_state)
            results.conflicts.append(
                self._build_conflict(item.item_key, format_item_name(item), action, seen_state)
            )
        except UndoIsInexact as error:
            (preview.losses if error.is_acceptable else preview.obstacles).extend(error.reasons)
            results.refused_previews.append(preview)
        except MergeRefused as error:
            preview.obstacles = [] if preview.open_questions else error.reasons
            results.refused_previews.append(preview)

    def _build_conflict(
        self, item_key: str, item_name: str, action: ModerationAction, seen_state: SeenState | None
    ) -> ConflictResult:
        earlier_decision = find_earlier_decision(item_key, seen_state, self.request, self.using)
        return ConflictResult(
            item_name,
            action,
            earlier_decision,
            earlier_decision is not None and self._is_repeat(earlier_decision, action),
        )

    def _is_repeat(self, earlier_decision: EarlierDecision, action: ModerationAction) -> bool:
        """Return whether this user already did the same.

        This happens by a second click, or after going back in the browser.
        """
        return earlier_decision.is_made_by(self.request.user, action)

    def _perform_if_unchanged(self, preview: ActionPreview, action: ModerationAction) -> None:
        if preview.obstacles or preview.open_questions:
            raise MergeRefused(preview.obstacles or preview.open_questions)
        item = preview.item

        def check() -> None:
            # Called under the locks, so that no other request changes the item after this check.
            current_items = self._load_with_keepers(self._load_items([item.item_key]))
            if build_state_tokens(current_items, self.using) != [
                self.state_tokens[item.item_key]
            ] or _have_values_changed(current_items[0], preview.plan):
                raise Conflict(_("The group has changed."))

        action.perform(item, self.request.user, check, self.options)
        remember_unselected(item, action, self.request.user, self.options)

    def _confirmation_response(self, previews: Sequence[ActionPreview], status: int = 200) -> HttpResponse:
        items = [preview.item for preview in previews]
        documents = [
            document for item in items for document in (item.keeper_document, *item.selected_documents)
        ]
        posts_by_document = load_displayed_posts(
            documents, self.request, self.queue_admin.admin_site, self.using, self.visible
        )
        context = {
            **self._base_context(str(self.action.title_for(items))),
            "outcome": self.action,
            "plans": [self._plan_context(preview, posts_by_document) for preview in previews],
            "alone": len(self.item_keys) == 1,
            "can": all(not preview.missing_permissions for preview in previews)
            and any(preview.is_possible for preview in previews),
            "token": str(build_page_state(self._page_digest(previews), items)),
            "keys": [item.item_key for item in items],
            "ticked": None if self.selected_document_ids is None else sorted(self.selected_document_ids),
            "options": self.options,
            "accepted": list(
                dict.fromkeys(
                    name
                    for preview in previews
                    if preview.undo_outlook
                    for name in preview.undo_outlook.accepted_names
                )
            ),
            "filters": self.decision_request.list_query,
            "list": self.decision_request.list_name,
        }
        return TemplateResponse(self.request, "neardup/admin/confirm.html", context, status=status)

    def _plan_context(
        self, preview: ActionPreview, posts_by_document: dict[int, DisplayedPost]
    ) -> dict[str, Any]:
        """Return the template context of one preview."""
        item = preview.item
        return {
            "preview": preview,
            "is_keeper_hidden": item.keeper in hidden_posts(item) if self.action.name == "hide" else False,
            "query": self._confirmation_query(preview.item),
            "keeper": posts_by_document[item.keeper_document.pk],
            "losers": [
                (posts_by_document[document.pk], _score_text(item, document.pk))
                for document in item.selected_documents
            ],
            "proposal": self.keeper_proposals.get(item.item_key),
            "rest": len(item.other_documents) - len(item.selected_documents),
            "hidden": len(item.hidden_document_ids) if self.action.name == "leave" else 0,
            **build_plan_context(preview.plan, preview.relation_lines, self.queue_admin.admin_site),
        }

    def _page_digest(self, previews: Sequence[ActionPreview]) -> str:
        """Return a digest of what the page shows: the items, and the values that may be chosen."""
        values_digests = (preview.plan.values_digest for preview in previews if preview.plan is not None)
        return combine_tokens(
            [*(self.state_tokens[preview.item.item_key] for preview in previews), *values_digests]
        )

    def _confirmation_query(self, item: ReviewItem) -> str:
        """Return the query string of the item's confirmation page, without the keeper."""
        query: dict[str, Any] = {"id": item.item_key, **self.decision_request.return_params}
        if self.selected_document_ids is not None:
            members = (
                (item.keeper_document, *item.selected_documents) if not isinstance(item.source, Pair) else ()
            )
            query |= {"ticked": 1, "member": sorted(document.pk for document in members)}
        if self.options.remember_unselected:
            query["rest"] = 1
        return urlencode(query, doseq=True)

    def _conflict_response(self, conflicts: Sequence[ConflictResult] = ()) -> HttpResponse:
        """Return the page that says that nothing was done, and which decision came first if one did."""
        results = conflicts or [
            self._build_conflict(item_key, _("this group"), self.action, self.decision_request.page_state)
            for item_key in (self.item_keys if self.decision_request.page_state else ())
        ]
        is_repeat = bool(results) and all(result.is_repeat for result in results)
        site = self.queue_admin.admin_site.name
        context = {
            **self._base_context(
                _("You already decided this")
                if is_repeat
                else _("Nothing was changed: it has changed since you opened it")
            ),
            "late": [result.build_message(site) for result in results if result.earlier_decision is not None],
        }
        return TemplateResponse(self.request, "neardup/admin/conflict.html", context, status=409)

    def _base_context(self, title: str) -> dict[str, Any]:
        self.request.current_app = self.queue_admin.admin_site.name
        return {
            **self.queue_admin.site_context(self.request),
            "title": title,
            "opts": self.queue_admin.opts,
            "media": self.queue_admin.media,
            "list_url": self.list_url,
            "back_url": self.decision_request.origin_url(self.queue_admin.admin_site.name),
        }

    @property
    def list_url(self) -> str:
        """Return the URL of the list that the user came from, with its filters."""
        return self.decision_request.list_url(self.queue_admin.admin_site.name)

    def _redirect_with_error(self, message: str) -> HttpResponse:
        messages.error(self.request, message)
        return HttpResponseRedirect(self.decision_request.origin_url(self.queue_admin.admin_site.name))


def _have_values_changed(item: ReviewItem, plan: MergePlan | None) -> bool:
    """Return whether the values that may be chosen differ from the values of the plan."""
    if plan is None:
        return False
    assert item.keeper is not None
    columns, _errors = differing_columns(item.keeper, item.losers, {})
    return columns_digest(columns) != plan.values_digest


def _score_text(item: ReviewItem, document_id: int) -> str:
    shown_score = item.seen_by_document.get(document_id)
    return (
        ""
        if shown_score is None or shown_score.score is None
        else format_percent(shown_score.score, document_id in item.exact_document_ids)
    )

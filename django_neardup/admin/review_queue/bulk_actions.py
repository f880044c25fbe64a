"""Decisions from a list.

"Leave" and "hide" are performed immediately if the groups still are as the rows showed them. Other actions
lead to their confirmation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..conflicts import EarlierDecision
from ..decision_groups import (
    MAX_OBJECTS,
    ReviewItem,
    build_state_tokens,
    build_stored_token,
    count_objects,
    find_changed_keys,
    load_objects,
    load_review_items,
)
from ..decision_messages import DecisionResults, format_item_name
from ..decision_request import FILTERS_PARAM, LIST_PARAM, decide_url
from ..decision_view import DecisionView
from ..keeper_choice import keeper_proposal, with_proposed_keeper
from ..outcomes import MODERATION_ACTIONS, ActionPreview, ModerationAction
from ..selection_limits import too_many_message
from .suggestions import suggest_action

ACCEPT_SUGGESTIONS = "accept"
"""The action name that stands for the suggested action of each group."""
IMMEDIATE_ACTIONS = ("leave", "hide")
MISSING_PERMISSION_MESSAGE: str | Promise = gettext_lazy("you do not have the permission.")


class BulkDecisionView(DecisionView):
    """One request from a list.

    Each group is decided on its own: a refusal does not affect the other groups.
    """

    uses_suggestions = False

    def get_response(self) -> HttpResponse:
        """Perform the action on each unchanged group, or redirect to a confirmation.

        Change nothing if no group is selected or the selection is above ``MAX_OBJECTS``.
        """
        if not self.item_keys:
            return self._redirect_with_error(_("Nothing was changed: select at least one post."))
        if not self.uses_suggestions and self.action.name not in IMMEDIATE_ACTIONS:
            return self._redirect_to_confirmation(self.action.name, self.item_keys)
        groups = {
            group.item_key: group
            for group in self._checked(load_review_items(self.item_keys, None, None, self.using))
        }
        requested = {key: self._requested_action(groups.get(key)) for key in self.item_keys}
        actions_by_key = {key: action for key, action in requested.items() if action is not None}
        self._report_doubts(len(requested) - len(actions_by_key))
        confirmed_keys = [
            key for key, action in actions_by_key.items() if action.name not in IMMEDIATE_ACTIONS
        ]
        immediate_keys = [key for key in actions_by_key if key not in confirmed_keys]
        size = count_objects(groups[key] for key in immediate_keys if key in groups)
        if size > MAX_OBJECTS:
            return self._redirect_with_error(too_many_message(size))
        results = self._perform_immediate({key: actions_by_key[key] for key in immediate_keys}, groups)
        if immediate_keys and not results.done_counts and not confirmed_keys and not results.refused_previews:
            return self._conflict_response(results.conflicts)
        results.add_messages(self.request, self.queue_admin.admin_site.name)
        if not confirmed_keys:
            return HttpResponseRedirect(self.list_url)
        return self._redirect_to_confirmation(actions_by_key[confirmed_keys[0]].name, confirmed_keys)

    def _report_doubts(self, count: int) -> None:
        if count:
            text = ngettext(
                "%(count)d row was not changed: its verdict is doubtful. Open it to decide.",
                "%(count)d rows were not changed: their verdicts are doubtful. Open them to decide.",
                count,
            )
            messages.warning(self.request, text % {"count": count})

    def _requested_action(self, item: ReviewItem | None) -> ModerationAction | None:
        """Return the action of a group. Return None if the suggestion is to look, which no button can do."""
        if not self.uses_suggestions or item is None:
            return self.action
        return MODERATION_ACTIONS.get(suggest_action(item.source, item.leader).action_name)

    def _perform_immediate(
        self, actions_by_key: dict[str, ModerationAction], items_by_key: dict[str, ReviewItem]
    ) -> DecisionResults:
        results = DecisionResults(self.options.batch)
        unchanged = self._load_with_keepers(
            [
                items_by_key[key]
                for key in actions_by_key
                if key in items_by_key and self._matches_seen_state(items_by_key[key])
            ]
        )
        # The stored state stays the same until the worker compares an edited post.
        # So the objects are checked too.
        changed = find_changed_keys(unchanged, self.using)
        unchanged = [group for group in unchanged if group.item_key not in changed]
        self.state_tokens = dict(
            zip(
                (group.item_key for group in unchanged),
                build_state_tokens(unchanged, self.using),
                strict=True,
            )
        )
        for key, action in actions_by_key.items():
            if key not in self.state_tokens:
                name = format_item_name(items_by_key[key]) if key in items_by_key else _("this group")
                results.conflicts.append(
                    self._build_conflict(key, name, action, self.decision_request.row_states.get(key))
                )
        self._perform_items([(group, actions_by_key[group.item_key]) for group in unchanged], results)
        return results

    def _perform_items(
        self, items_and_actions: Sequence[tuple[ReviewItem, ModerationAction]], results: DecisionResults
    ) -> None:
        previews = [(self._build_preview(group, action), action) for group, action in items_and_actions]
        if previews and all(preview.missing_permissions for preview, _outcome in previews):
            raise PermissionDenied
        for preview, action in previews:
            if preview.missing_permissions:
                preview.obstacles = [str(MISSING_PERMISSION_MESSAGE)]
                results.refused_previews.append(preview)
            else:
                self._perform_one(preview, action, results)

    def _build_preview(self, item: ReviewItem, action: ModerationAction) -> ActionPreview:
        if action.permission is not None and not self.request.user.has_perm(action.permission):
            return ActionPreview(item, self.options, missing_permissions=[str(MISSING_PERMISSION_MESSAGE)])
        return action.preview(item, self.request, self.queue_admin.admin_site, self.options)

    def _matches_seen_state(self, item: ReviewItem) -> bool:
        seen = self.decision_request.row_states.get(item.item_key)
        return seen is not None and seen.digest == build_stored_token(item)

    def _load_with_keepers(self, items: Sequence[ReviewItem]) -> list[ReviewItem]:
        """Return the groups with their objects and keepers.

        In a list, the person chooses no keeper, so the site's policy proposes it, as on a confirmation.
        """
        load_objects(items, self.using)
        return [with_proposed_keeper(group, keeper_proposal(group)) for group in items]

    def _redirect_to_confirmation(self, action_name: str, item_keys: Sequence[str]) -> HttpResponse:
        url = decide_url(self.queue_admin.admin_site.name, action_name)
        query: dict[str, Any] = {"id": item_keys, LIST_PARAM: self.decision_request.list_name}
        if self.decision_request.list_query:
            query[FILTERS_PARAM] = self.decision_request.list_query
        return HttpResponseRedirect(f"{url}?{urlencode(query, doseq=True)}")


class AcceptSuggestionsView(BulkDecisionView):
    """One request that performs the suggested action of each group."""

    uses_suggestions = True

    def _is_repeat(self, earlier_decision: EarlierDecision, action: ModerationAction) -> bool:
        """Return whether this person made the earlier decision.

        The suggestion for a group that no longer exists is unknown, so the action is not compared.
        """
        return earlier_decision.is_made_by(self.request.user)

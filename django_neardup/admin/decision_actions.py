"""Admin actions that decide on clusters and pairs. Each leads to a confirmation page first."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from .change_list import PreparedListAdmin
from .decision_request import FILTERS_PARAM, LIST_PARAM, decide_url, parse_return_url
from .outcomes import MODERATION_ACTIONS, ModerationAction
from .selection_limits import selected_pks


class DecisionActionsAdmin(PreparedListAdmin):
    """A list of clusters or pairs with the four actions: leave, hide, merge, delete."""

    actions = ("leave_selected", "hide_selected", "merge_selected", "delete_selected_duplicates")

    key_prefix: str
    """The letter that starts the item keys of this list: "c" for clusters, "p" for pairs."""

    missing_message: str | Promise
    """The warning that is shown if the row no longer exists."""

    def detail_view(self, request: HttpRequest, row: Any) -> HttpResponse:
        """Return the page of one row."""
        raise NotImplementedError

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Return the page of a row. If the row is gone, redirect to the list that the user came from."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        row = self.get_object(request, object_id)
        if row is None:
            messages.warning(request, str(self.missing_message))
            return HttpResponseRedirect(parse_return_url(request, self.admin_site.name) or self.list_url())
        return self.detail_view(request, row)

    @admin.action(description=gettext_lazy("Not duplicates"), permissions=["leave"])
    def leave_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "leave")

    @admin.action(description=gettext_lazy("Hide the duplicates"))
    def hide_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "hide")

    @admin.action(description=gettext_lazy("Merge into the keeper…"), permissions=["merge"])
    def merge_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "merge")

    @admin.action(description=gettext_lazy("Delete the duplicates…"))
    def delete_selected_duplicates(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "delete")

    def has_leave_permission(self, request: HttpRequest) -> bool:
        return has_action_permission(MODERATION_ACTIONS["leave"], request)

    def has_merge_permission(self, request: HttpRequest) -> bool:
        return has_action_permission(MODERATION_ACTIONS["merge"], request)

    def decide_url(self, action_name: str) -> str:
        """Return the URL of the action's confirmation page."""
        return decide_url(self.admin_site.name, action_name)

    def list_url(self, list_query: str = "") -> str:
        """Return the URL of the list with the given filters."""
        url = reverse(f"{self.admin_site.name}:neardup_{self.opts.model_name}_changelist")
        return f"{url}?{list_query}" if list_query else url

    def _redirect_to_confirmation(
        self, request: HttpRequest, queryset: Any, action_name: str
    ) -> HttpResponse | None:
        pks = selected_pks(request, queryset)
        if pks is None:
            # Too many rows are selected. ``selected_pks`` has added the message.
            return None
        filters = {FILTERS_PARAM: request.GET.urlencode()} if request.GET else {}
        item_keys = [f"{self.key_prefix}{pk}" for pk in pks]
        query = urlencode({"id": item_keys, LIST_PARAM: self.opts.model_name, **filters}, doseq=True)
        return HttpResponseRedirect(f"{self.decide_url(action_name)}?{query}")


def has_action_permission(action: ModerationAction, request: HttpRequest) -> bool:
    """Return whether the user has the permission that the action requires for all objects."""
    return action.permission is None or bool(request.user.has_perm(action.permission))

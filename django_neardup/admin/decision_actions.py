"""The way from a list or a page to an outcome: an action, a confirmation that changes nothing, then the deed."""

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
from .decision_request import FILTERS_PARAM, LIST_PARAM, parse_return_url
from .outcomes import MODERATION_ACTIONS, ModerationAction
from .selection_limits import selected_pks


class DecisionActionsAdmin(PreparedListAdmin):
    """A list of groups, on each of which one of the four outcomes is decided."""

    actions = ("leave_selected", "hide_selected", "merge_selected", "delete_selected_duplicates")

    key_prefix: str
    """What its keys begin with."""

    missing_message: str | Promise
    """What is said when the row is no more."""

    def detail_view(self, request: HttpRequest, row: Any) -> HttpResponse:
        """The page of one row."""
        raise NotImplementedError

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The texts side by side. A row that is no more leads back to the list that the person came from."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        row = self.get_object(request, object_id)
        if row is None:
            messages.warning(request, str(self.missing_message))
            return HttpResponseRedirect(parse_return_url(request, self.admin_site.name) or self.list_url())
        return self.detail_view(request, row)

    @admin.action(description=gettext_lazy("Leave: not duplicates, remember it"), permissions=["leave"])
    def leave_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "leave")

    @admin.action(description=gettext_lazy("Hide the duplicates"))
    def hide_selected(self, request: HttpRequest, queryset: Any) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "hide")

    @admin.action(description=gettext_lazy("Merge into the one that stays…"), permissions=["merge"])
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
        """The address of that outcome's confirmation."""
        return reverse(f"{self.admin_site.name}:neardup_queue_decide", args=[action_name])

    def list_url(self, list_query: str = "") -> str:
        """The list, with its filters as they were."""
        url = reverse(f"{self.admin_site.name}:neardup_{self.opts.model_name}_changelist")
        return f"{url}?{list_query}" if list_query else url

    def _redirect_to_confirmation(
        self, request: HttpRequest, queryset: Any, action_name: str
    ) -> HttpResponse | None:
        keys = selected_pks(request, queryset)
        if keys is None:
            return None
        filters = {FILTERS_PARAM: request.GET.urlencode()} if request.GET else {}
        names = [f"{self.key_prefix}{key}" for key in keys]
        query = urlencode({"id": names, LIST_PARAM: self.opts.model_name, **filters}, doseq=True)
        return HttpResponseRedirect(f"{self.decide_url(action_name)}?{query}")


def has_action_permission(action: ModerationAction, request: HttpRequest) -> bool:
    """Whether that person may at all choose the outcome."""
    return action.permission is None or bool(request.user.has_perm(action.permission))

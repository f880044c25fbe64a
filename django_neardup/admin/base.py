"""The base class of all admin pages: rows cannot be added, edited or deleted by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import connections, models, router, transaction
from django.db.models import QuerySet
from django.forms.widgets import Script
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from ..db.counts import BoundedCount
from ..moderation.permissions import MERGE_PERMISSION, REVIEW_PERMISSION
from .visible_spaces import in_visible_spaces

View = TypeVar("View", bound=Callable[..., Any])


def non_atomic_requests(view: View) -> View:
    """Exempt a view from ATOMIC_REQUESTS in every database."""
    # The views open durable transactions, and Django refuses those inside another transaction.
    for alias in connections:
        transaction.non_atomic_requests(alias)(view)
    return view


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """A paginator of the first ``MAX_COUNTED`` rows of a long list. The others are found by its filters and search."""

    @cached_property
    def count(self) -> int:
        return BoundedCount.of(self.object_list)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that only the app writes. Users with the review or the merge permission can view them, too.

    ``using`` is the database of the rows, for reading and writing. If it is None, the router's database for
    writing is used.
    """

    using: str | None = None
    space_path: str | None = None
    """The lookup from a row to its space. Rows of spaces that a person may not see are left out."""

    # A page must not count all rows of a table. Who wants the numbers of the filters can ask for them.
    show_full_result_count = False
    show_facets = admin.ShowFacets.ALLOW
    paginator = BoundedPaginator

    class Media:
        css = {"all": ["neardup/admin.css", "neardup/evidence.css"]}
        js = [Script("neardup/workshop.js", defer=True)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        # A moderator decides on current rows, so they are never read from a replica.
        rows = super().get_queryset(request).using(self.using or router.db_for_write(self.model))
        return rows if self.space_path is None else in_visible_spaces(rows, request, self.space_path)

    def site_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the context of the admin site for a page without its sidebar."""
        context = self.admin_site.each_context(request)
        # Unfold has no other navigation than its sidebar. Only its site sets this key.
        if "sidebar_navigation" not in context:
            context["is_nav_sidebar_enabled"] = False
        return context

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only lookups that belong to a filter of the list."""
        # By lookups on other columns, a user could guess values that the rows do not show.
        filters = {
            getattr(list_filter, "parameter_name", list_filter)
            for list_filter in self.get_list_filter(request)
        }
        return lookup.partition("__")[0] in filters and super().lookup_allowed(lookup, value, request)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Django looks for the row first: its answer would tell people without permission which rows exist.
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_review_permission(request)

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may decide on near-duplicates."""
        return request.user.has_perm(REVIEW_PERMISSION) or request.user.has_perm(MERGE_PERMISSION)

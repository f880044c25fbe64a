"""What all pages of ours share: nobody adds, edits or deletes rows by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import admin
from django.db import connections, models, router, transaction
from django.db.models import QuerySet
from django.forms.widgets import Script
from django.http import HttpRequest

from ..moderation.permissions import MERGE_PERMISSION, REVIEW_PERMISSION

View = TypeVar("View", bound=Callable[..., Any])


def non_atomic_requests(view: View) -> View:
    """The view opens its own, durable transactions: ATOMIC_REQUESTS must not wrap them in another."""
    for alias in connections:
        transaction.non_atomic_requests(alias)(view)
    return view


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that only the app itself writes. Whoever may decide may look.

    ``using``: the database whose rows are shown and written, where that is not the one that the router names for
    writing. What is decided on is read there, never on a replica.
    """

    using: str | None = None

    show_full_result_count = False
    show_facets = admin.ShowFacets.ALWAYS

    class Media:
        css = {"all": ["neardup/admin.css", "neardup/evidence.css"]}
        js = [Script("neardup/workshop.js", defer=True)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).using(self.using or router.db_for_write(self.model))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What a filter asks alone: of any other column an address might guess what its rows do not show."""
        filters = {getattr(each, "parameter_name", each) for each in self.get_list_filter(request)}
        return lookup.partition("__")[0] in filters and super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_review_permission(request)

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Whether that person decides on near-duplicates."""
        return request.user.has_perm(REVIEW_PERMISSION) or request.user.has_perm(MERGE_PERMISSION)

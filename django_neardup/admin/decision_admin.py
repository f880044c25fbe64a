"""What people decided: searchable, and to be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..models import Decision, DecisionMember
from ..moderation.permissions import REVIEW_PERMISSION
from .base import non_atomic_requests
from .change_list import PreparedListAdmin
from .decision_groups import MAX_OBJECTS
from .decision_withdrawal import withdraw_decision
from .filters import InForceFilter
from .history import WithdrawDecisionMixin
from .visible_objects import link_html, load_displayed_posts

MAX_LIST_POSTS = 3
MAX_PAGE_POSTS = 100
"""Posts that the page of one decision names."""


@admin.register(Decision)
class DecisionAdmin(WithdrawDecisionMixin, PreparedListAdmin):
    """Decisions, the newest first."""

    list_display = ("posts", "kind", "member_count", "by_name", "created", "withdrawn", "withdrawn_by")
    list_display_links = ("posts",)
    list_filter = (InForceFilter, "kind")
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("by_name", "note", "=members__document__object_id", "=members__document__author")
    search_help_text = gettext_lazy("Post number, author, who decided, note")
    actions = ("withdraw_selected",)
    fields = readonly_fields = (
        "kind", "linked_posts", "note", "by_name", "created", "withdrawn", "withdrawn_by",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Decision]:
        found: QuerySet[Decision] = super().get_queryset(request).annotate(size=Count("members"))
        return found

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row the first of its posts, as this person may see them."""
        self._attach_posts(request, rows, using, MAX_LIST_POSTS)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        found: Any = super().get_object(request, object_id, from_field)
        if found is not None:
            self._attach_posts(request, [found], self.get_queryset(request).db, MAX_PAGE_POSTS)
        return found

    def _attach_posts(self, request: HttpRequest, rows: Sequence[Any], using: str, limit: int) -> None:
        members = DecisionMember.objects.using(using).filter(decision__in=rows)
        by_row: dict[int, list[Any]] = {row.pk: [] for row in rows}
        for member in members.select_related("document").order_by("document"):
            if len(by_row[member.decision_id]) < limit:
                by_row[member.decision_id].append(member.document)
        shown = load_displayed_posts(
            [each for every in by_row.values() for each in every], request, self.admin_site, using
        )
        for row in rows:
            row.displayed = [shown[each.pk] for each in by_row[row.pk]]

    @admin.display(description=gettext_lazy("posts"))
    def posts(self, row: Any) -> str:
        names = ", ".join(f"{each.title} {each.number}" for each in row.displayed)
        return f"{names} …" if row.size > len(row.displayed) else names

    @admin.display(description=gettext_lazy("posts"))
    def linked_posts(self, row: Any) -> SafeString:
        lines = [link_html(each.url, f"{each.title} {each.number}") for each in row.displayed]
        if row.size > len(row.displayed):
            lines.append("…")
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines))

    @admin.display(description=gettext_lazy("size"), ordering="size")
    def member_count(self, row: Any) -> int:
        return int(row.size)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REVIEW_PERMISSION)

    @admin.action(description=gettext_lazy("Take back"), permissions=["withdraw"])
    def withdraw_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Take the decisions back; their posts are compared and grouped again."""
        standing = list(queryset.filter(withdrawn=None)[: MAX_OBJECTS + 1])
        if len(standing) > MAX_OBJECTS:
            messages.error(request, _("Nothing was done: at most %(cap)d at once.") % {"cap": MAX_OBJECTS})
            return
        count = sum(withdraw_decision(decision, request.user, queryset.db) for decision in standing)
        words = ngettext("%(count)d decision was taken back.", "%(count)d decisions were taken back.", count)
        messages.success(request, words % {"count": count})

    @non_atomic_requests
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, extra_context)

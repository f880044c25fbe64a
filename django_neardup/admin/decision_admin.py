"""The list of moderators' decisions: searchable, with an action that withdraws decisions."""

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
from .decision_withdrawal import unseen_decision_ids, withdraw_decision
from .filters import InForceFilter
from .history import WithdrawDecisionMixin
from .visible_objects import link_html, load_displayed_posts

MAX_LIST_POSTS = 3
MAX_PAGE_POSTS = 100
"""The maximum number of posts on the page of a decision."""


@admin.register(Decision)
class DecisionAdmin(WithdrawDecisionMixin, PreparedListAdmin):
    """Decisions, newest first."""

    space_path = "space"
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
        decisions: QuerySet[Decision] = super().get_queryset(request).annotate(size=Count("members"))
        return decisions

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Attach the first displayed posts to every decision. They hold only what the user may see."""
        self._attach_posts(request, rows, using, MAX_LIST_POSTS)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        decision: Any = super().get_object(request, object_id, from_field)
        if decision is not None:
            self._attach_posts(request, [decision], self.get_queryset(request).db, MAX_PAGE_POSTS)
        return decision

    def _attach_posts(self, request: HttpRequest, rows: Sequence[Any], using: str, limit: int) -> None:
        members = DecisionMember.objects.using(using).filter(decision__in=rows)
        documents_by_decision: dict[int, list[Any]] = {row.pk: [] for row in rows}
        for member in members.select_related("document").order_by("document"):
            if len(documents_by_decision[member.decision_id]) < limit:
                documents_by_decision[member.decision_id].append(member.document)
        posts_by_document = load_displayed_posts(
            [document for documents in documents_by_decision.values() for document in documents],
            request,
            self.admin_site,
            using,
        )
        for row in rows:
            row.displayed = [posts_by_document[document.pk] for document in documents_by_decision[row.pk]]

    @admin.display(description=gettext_lazy("posts"))
    def posts(self, row: Any) -> str:
        names = ", ".join(f"{post.title} {post.number}" for post in row.displayed)
        return f"{names} …" if row.size > len(row.displayed) else names

    @admin.display(description=gettext_lazy("posts"))
    def linked_posts(self, row: Any) -> SafeString:
        lines = [link_html(post.url, f"{post.title} {post.number}") for post in row.displayed]
        if row.size > len(row.displayed):
            lines.append("…")
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines))

    @admin.display(description=gettext_lazy("size"), ordering="size")
    def member_count(self, row: Any) -> int:
        return int(row.size)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REVIEW_PERMISSION)

    @admin.action(description=gettext_lazy("Withdraw decision"), permissions=["withdraw"])
    def withdraw_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Withdraw the decisions. Their posts are compared and grouped again."""
        # One row more than the limit is enough to see that there are too many.
        decisions = list(queryset.filter(withdrawn=None)[: MAX_OBJECTS + 1])
        if len(decisions) > MAX_OBJECTS:
            messages.error(
                request, _("Nothing was changed: select at most %(cap)d at once.") % {"cap": MAX_OBJECTS}
            )
            return
        unseen = unseen_decision_ids(decisions, request, self.admin_site, queryset.db)
        if unseen:
            words = ngettext(
                "%(count)d decision was not withdrawn: you cannot see all its posts.",
                "%(count)d decisions were not withdrawn: you cannot see all their posts.",
                len(unseen),
            )
            messages.warning(request, words % {"count": len(unseen)})
        count = sum(
            withdraw_decision(decision, request.user, queryset.db)
            for decision in decisions
            if decision.pk not in unseen
        )
        message = ngettext("%(count)d decision was withdrawn.", "%(count)d decisions were withdrawn.", count)
        messages.success(request, message % {"count": count})

    # The action ``withdraw_selected`` runs in this view and opens durable transactions.
    @non_atomic_requests
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, extra_context)

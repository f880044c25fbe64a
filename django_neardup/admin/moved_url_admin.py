"""Old addresses that live on: where each leads, or that its post is gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import Document, MovedUrl
from ..moderation.url_paths import path_of
from .change_list import PreparedListAdmin
from .filters import ConditionFilter, FilterOption
from .text_format import format_object_number
from .visible_objects import DisplayedPost, link_html, load_displayed_posts


class RedirectTargetFilter(ConditionFilter):
    """Addresses that lead to a post, and those whose post is gone for good."""

    title = gettext_lazy("answer")
    parameter_name = "answer"

    def options(self) -> list[FilterOption]:
        return [
            ("moved", gettext_lazy("moved"), Q(content_type__isnull=False)),
            ("gone", gettext_lazy("gone"), Q(content_type=None)),
        ]


@admin.register(MovedUrl)
class MovedUrlAdmin(PreparedListAdmin):
    """Entries, the newest first. Whoever may delete them may make an old address answer 404 again."""

    list_display = ("old_address", "target", "reason", "created")
    list_display_links = ("old_address",)
    list_filter = (RedirectTargetFilter,)
    list_select_related = ("record",)
    list_per_page = 50
    ordering = ("-created", "-pk")
    search_fields = ("path",)
    search_help_text = gettext_lazy("Part of an address")
    fields = readonly_fields = ("path", "content_type", "object_id", "reason", "created")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[MovedUrl], search_term: str
    ) -> tuple[QuerySet[MovedUrl], bool]:
        """An address may be searched for as it was copied: with its host, percent-encoded."""
        term = path_of(search_term.strip(), request) or search_term.strip()
        return (queryset.filter(path__icontains=term) if term else queryset), False

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row the post that it leads to, as this person may see it."""
        ends = Q(pk=None)
        for row in rows:
            ends |= Q(content_type=row.content_type_id, object_id=row.object_id)
        documents = list(Document.objects.using(using).filter(ends))
        found = load_displayed_posts(documents, request, self.admin_site, using)
        by_end = {(each.content_type_id, each.object_id): found[each.pk] for each in documents}
        for row in rows:
            row.displayed = by_end.get((row.content_type_id, row.object_id))

    @admin.display(description=gettext_lazy("old address"), ordering="path")
    def old_address(self, row: MovedUrl) -> str:
        return str(row)

    @admin.display(description=gettext_lazy("leads to"))
    def target(self, row: Any) -> str:
        if row.content_type_id is None:
            return _("nowhere: gone for good")
        shown: DisplayedPost | None = row.displayed
        if shown is None:
            return format_object_number(row.object_id)
        return link_html(shown.url, f"{shown.title}, {shown.number}")

    @admin.display(description=gettext_lazy("because of"))
    def reason(self, row: MovedUrl) -> str:
        return "" if row.record is None else str(row.record.get_action_display())

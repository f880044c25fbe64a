"""The admin of moved addresses: the post that an old address redirects to, or that the post is gone.

An address may quote the title of its post, so it is for people who may see that post.
"""

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
from .record_titles import MAX_TITLE_MATCHES, find_readable_losers
from .text_format import format_object_number
from .visible_objects import DisplayedPost, link_html, load_displayed_posts


class RedirectTargetFilter(ConditionFilter):
    """A filter: addresses that redirect to a post, or addresses of posts that are gone."""

    title = gettext_lazy("answer")
    parameter_name = "answer"

    def options(self) -> list[FilterOption]:
        return [
            ("moved", gettext_lazy("moved"), Q(content_type__isnull=False)),
            ("gone", gettext_lazy("gone"), Q(content_type=None)),
        ]


@admin.register(MovedUrl)
class MovedUrlAdmin(PreparedListAdmin):
    """The list of moved addresses, newest first.

    If an entry is deleted, its old address answers 404 again.
    """

    space_path = "record__space"
    list_display = ("old_address", "target", "reason", "created")
    list_display_links = ("old_address",)
    list_filter = (RedirectTargetFilter,)
    list_select_related = ("record",)
    list_per_page = 50
    ordering = ("-created", "-pk")
    search_fields = ("path",)
    search_help_text = gettext_lazy("Part of an address")
    fields = readonly_fields = ("path", "content_type", "object_id", "reason", "created")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and self._is_readable(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj) and self._is_readable(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what Django's confirmation lists. Refuse it without a list if an address may not be read."""
        rows = list(objs)
        if len(self._readable_ids(request, rows)) < len(rows):
            return [], {}, {self.opts.verbose_name_plural}, []
        return super().get_deleted_objects(objs, request)

    def _is_readable(self, request: HttpRequest, row: MovedUrl | None) -> bool:
        return row is None or row.pk in self._readable_ids(request, [row])

    def _readable_ids(self, request: HttpRequest, rows: Sequence[MovedUrl]) -> set[int]:
        """Return the ids of the rows with addresses that this person may read."""
        records = {row.record_id: row.record for row in rows if row.record is not None}
        readable = find_readable_losers(
            records.values(), request, self.admin_site, self.get_queryset(request).db
        )
        return {row.pk for row in rows if row.record_id is None or row.record_id in readable}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[MovedUrl], search_term: str
    ) -> tuple[QuerySet[MovedUrl], bool]:
        """Return the entries with the search term in their path.

        The term may be a copied address: with its host and percent-encoded. Of the matches that this person may
        read, those among the newest ``MAX_TITLE_MATCHES`` are found.
        """
        term = path_of(search_term.strip(), request) or search_term.strip()
        if not term:
            return queryset, False
        matches = queryset.filter(path__icontains=term).select_related("record").order_by("-pk")
        readable = self._readable_ids(request, list(matches[:MAX_TITLE_MATCHES]))
        return queryset.filter(pk__in=readable), False

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Set ``displayed`` on each row, the post it leads to, as this person may see it. None if there is no document.

        Set ``is_readable``: whether this person may read the address.
        """
        readable = self._readable_ids(request, rows)
        condition = Q(pk=None)
        for row in rows:
            condition |= Q(content_type=row.content_type_id, object_id=row.object_id)
        documents = list(Document.objects.using(using).filter(condition))
        displayed = load_displayed_posts(documents, request, self.admin_site, using)
        displayed_by_target = {
            (document.content_type_id, document.object_id): displayed[document.pk] for document in documents
        }
        for row in rows:
            row.displayed = displayed_by_target.get((row.content_type_id, row.object_id))
            row.is_readable = row.pk in readable

    # A list that can be sorted by addresses would tell the order of addresses that a person may not read.
    @admin.display(description=gettext_lazy("old address"))
    def old_address(self, row: Any) -> str:
        return str(row) if row.is_readable else _("no access")

    @admin.display(description=gettext_lazy("leads to"))
    def target(self, row: Any) -> str:
        if row.content_type_id is None:
            return _("no target: permanently gone")
        shown: DisplayedPost | None = row.displayed
        if shown is None:
            return format_object_number(row.object_id)
        return link_html(shown.url, f"{shown.title}, {shown.number}")

    @admin.display(description=gettext_lazy("because of"))
    def reason(self, row: MovedUrl) -> str:
        return "" if row.record is None else str(row.record.get_action_display())

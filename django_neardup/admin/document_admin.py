"""The ledger: what waits, what was set aside and why; to be tried again."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from ..db.transactions import call_after_commit
from ..models import Document
from ..pipeline import mark_document
from ..pipeline.deleted_posts import is_any_remembered, parse_deletion_time
from ..queues import notify_worker
from .base import ReadOnlyAdmin
from .filters import ModelFilter, RepeatsFilter, WorkQueueFilter
from .selection_limits import selected_pks
from .text_format import format_object_number
from .visible_objects import model_verbose_name


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Documents by number; no titles, since all of the site's posts are here. What a post repeats is shown where
    deleted posts are remembered."""

    list_display = ("number", "model_label", "state", "reason", "is_pending", "attempts", "created")
    list_display_links = ("number",)
    list_filter = (WorkQueueFilter, "state", RepeatsFilter, ModelFilter)
    list_select_related = ("content_type", "repeats")
    list_per_page = 100
    ordering = ("-pk",)
    search_fields = ("=object_id", "=author")
    search_help_text = gettext_lazy("Post number or author")
    actions = ("retry_selected",)
    fields = readonly_fields = (
        "number", "model_label", "state", "reason", "live", "author", "is_pending", "attempts", "version", "created",
    )  # fmt: skip

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.list_display, "repeated_post") if is_any_remembered() else self.list_display

    def get_fields(self, request: HttpRequest, obj: Document | None = None) -> tuple[str, ...]:
        return (*self.fields, "repeated_post", "forget_at") if is_any_remembered() else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Document | None = None) -> tuple[str, ...]:
        return self.get_fields(request, obj)

    @admin.display(description=gettext_lazy("repeats a deleted post"), ordering="repeats")
    def repeated_post(self, row: Document) -> str:
        """The deleted post, and when it was deleted; empty where it is not remembered any more."""
        deleted = row.repeats
        if deleted is None or deleted.forget_at is None or deleted.forget_at <= timezone.now():
            return ""
        since = parse_deletion_time(deleted.reason)
        when = date_format(since, "SHORT_DATE_FORMAT") if since else ""
        exact = gettext("word for word") if row.repeats_exactly else ""
        return ", ".join(filter(None, (self.number(deleted), exact, when)))

    @admin.display(description=gettext_lazy("post"), ordering="object_id")
    def number(self, row: Document) -> str:
        return format_object_number(row.object_id)

    @admin.display(description=gettext_lazy("model"))
    def model_label(self, row: Document) -> str:
        return model_verbose_name(row)

    @admin.display(description=gettext_lazy("waits"), boolean=True)
    def is_pending(self, row: Document) -> bool:
        return row.wanted > row.done

    def has_recheck_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("neardup.change_document")

    @admin.action(description=gettext_lazy("Try again"), permissions=["recheck"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Ask for a new turn, whatever was found before."""
        keys = selected_pks(request, queryset)
        if keys is None:
            return
        for key in keys:
            mark_document(key, queryset.db, recheck=True)
        call_after_commit(queryset.db, notify_worker, queryset.db)
        words = ngettext(
            "%(count)d post will be tried again.", "%(count)d posts will be tried again.", len(keys)
        )
        messages.success(request, words % {"count": len(keys)})

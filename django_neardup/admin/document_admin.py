"""The list of documents, with their state and its reason, and an action to process them again."""

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
from .skip_reasons import SKIP_REASON_LABELS
from .text_format import format_object_number
from .visible_objects import model_verbose_name


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Documents, by the number of the post.

    The deleted post that a post repeats is shown if the site remembers deleted posts.
    """

    space_path = "space"
    # There are no titles: the list covers all posts of the site.

    list_display = ("number", "model_label", "state", "reason_text", "is_pending", "attempts", "created")
    list_display_links = ("number",)
    list_filter = (WorkQueueFilter, "state", RepeatsFilter, ModelFilter)
    list_select_related = ("content_type", "repeats")
    list_per_page = 100
    ordering = ("-pk",)
    search_fields = ("=object_id", "=author")
    search_help_text = gettext_lazy("Post number or author")
    actions = ("retry_selected",)
    fields = readonly_fields = (
        "number", "model_label", "state", "reason_text", "live", "author", "is_pending", "attempts", "version",
        "created",
    )  # fmt: skip

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.list_display, "repeated_post") if is_any_remembered() else self.list_display

    def get_fields(self, request: HttpRequest, obj: Document | None = None) -> tuple[str, ...]:
        return (*self.fields, "repeated_post", "forget_at") if is_any_remembered() else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Document | None = None) -> tuple[str, ...]:
        return self.get_fields(request, obj)

    @admin.display(description=gettext_lazy("repeats a deleted post"), ordering="repeats")
    def repeated_post(self, row: Document) -> str:
        """Return the number of the deleted post and the date of its deletion.

        Return an empty string if the post is no longer remembered.
        """
        deleted_document = row.repeats
        if (
            deleted_document is None
            or deleted_document.forget_at is None
            or deleted_document.forget_at <= timezone.now()
        ):
            return ""
        # The reason of a remembered document is the time of its deletion.
        deleted_at = parse_deletion_time(deleted_document.reason)
        date_text = date_format(deleted_at, "SHORT_DATE_FORMAT") if deleted_at else ""
        exact_text = gettext("word for word") if row.repeats_exactly else ""
        return ", ".join(filter(None, (self.number(deleted_document), exact_text, date_text)))

    @admin.display(description=gettext_lazy("post"), ordering="object_id")
    def number(self, row: Document) -> str:
        return format_object_number(row.object_id)

    @admin.display(description=gettext_lazy("reason"), ordering="reason")
    def reason_text(self, row: Document) -> str:
        return str(SKIP_REASON_LABELS.get(row.reason, row.reason))

    @admin.display(description=gettext_lazy("model"))
    def model_label(self, row: Document) -> str:
        return model_verbose_name(row)

    @admin.display(description=gettext_lazy("pending"), boolean=True)
    def is_pending(self, row: Document) -> bool:
        return row.wanted > row.done

    def has_recheck_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("neardup.change_document")

    @admin.action(description=gettext_lazy("Try again"), permissions=["recheck"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Request processing of the selected documents, also if their texts have not changed."""
        document_ids = selected_pks(request, queryset)
        if document_ids is None:
            # Too many rows are selected. ``selected_pks`` has added the message.
            return
        for document_id in document_ids:
            mark_document(document_id, queryset.db, recheck=True)
        # Before the commit, the worker would not see the marks.
        call_after_commit(queryset.db, notify_worker, queryset.db)
        message = ngettext(
            "%(count)d post will be tried again.", "%(count)d posts will be tried again.", len(document_ids)
        )
        messages.success(request, message % {"count": len(document_ids)})

"""The ledger: what waits, what was set aside and why; to be tried again."""

from __future__ import annotations

from functools import partial

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy, ngettext

from ..models import Document
from ..pipeline import mark_document
from ..queues import ring
from .base import ReadOnlyAdmin
from .confirming import too_many
from .filters import ModelFilter, WorkFilter
from .groups import CAP
from .shown import model_name


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Documents by number; no titles, since all of the site's posts are here."""

    list_display = ("number", "kind", "state", "reason", "is_waiting", "attempts", "created")
    list_display_links = ("number",)
    list_filter = (WorkFilter, "state", ModelFilter)
    list_select_related = ("content_type",)
    list_per_page = 100
    ordering = ("-pk",)
    search_fields = ("=object_id", "=author")
    search_help_text = gettext_lazy("Post number or author")
    actions = ("try_again",)
    fields = readonly_fields = (
        "number", "kind", "state", "reason", "live", "author", "is_waiting", "attempts", "version", "created",
    )  # fmt: skip

    @admin.display(description=gettext_lazy("post"), ordering="object_id")
    def number(self, row: Document) -> str:
        return f"№\N{NO-BREAK SPACE}{row.object_id}"

    @admin.display(description=gettext_lazy("model"))
    def kind(self, row: Document) -> str:
        return model_name(row)

    @admin.display(description=gettext_lazy("waits"), boolean=True)
    def is_waiting(self, row: Document) -> bool:
        return row.wanted > row.done

    def has_recheck_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("neardup.change_document")

    @admin.action(description=gettext_lazy("Try again"), permissions=["recheck"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Ask for a new turn, whatever was found before."""
        keys = list(queryset.order_by("pk").values_list("pk", flat=True)[: CAP + 1])
        if len(keys) > CAP:
            messages.error(request, too_many(queryset.count()))
            return
        for key in keys:
            mark_document(key, queryset.db, recheck=True)
        transaction.on_commit(partial(ring, queryset.db), using=queryset.db, robust=True)
        words = ngettext(
            "%(count)d post will be tried again.", "%(count)d posts will be tried again.", len(keys)
        )
        messages.success(request, words % {"count": len(keys)})

"""What was merged, hidden and deleted, by whom, and the way back. The journals hold whole posts and are not shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import Decision, MergeRecord
from ..moderation.journal.serialization import find_model
from ..moderation.relations import rows_label
from .base import non_atomic_requests
from .change_list import PreparedListAdmin
from .filters import ConditionFilter, FilterOption
from .record_titles import attach_titles, find_readable_ids
from .text_format import format_percent
from .undo_view import MAX_UNDO_ITEMS, UndoView, build_undo_item

MAX_TITLE_MATCHES = 400
"""Records that words of titles find."""


class UndoneFilter(ConditionFilter):
    """Records that hold, and those that were undone."""

    title = gettext_lazy("undone")
    parameter_name = "undone"

    def options(self) -> list[FilterOption]:
        return [
            ("no", gettext_lazy("No"), Q(undone=None)),
            ("yes", gettext_lazy("Yes"), Q(undone__isnull=False)),
        ]


class UntitledRecordSearch(admin.ModelAdmin):  # type: ignore[type-arg]
    """The search through what a record tells everybody who may see it."""

    search_fields = ("by_name", "=loser_id", "=keeper_id")


@admin.register(MergeRecord)
class MergeRecordAdmin(PreparedListAdmin):
    """Records, the newest first."""

    list_display = ("post", "action", "keeper", "score_text", "by_name", "created", "undone")
    list_filter = (UndoneFilter, "action")
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("loser_text", "keeper_text", *UntitledRecordSearch.search_fields)
    search_help_text = gettext_lazy("Post, its number, who did it")
    actions = ("undo_selected",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MergeRecord]:
        found: QuerySet[MergeRecord] = super().get_queryset(request).defer("journal")
        return found

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[MergeRecord], search_term: str
    ) -> tuple[QuerySet[MergeRecord], bool]:
        """Words of titles find the newest of the records that have them, where this person may read the titles."""
        found, more = super().get_search_results(request, queryset, search_term)
        if not search_term:
            return found, more
        newest = found.order_by("-pk")[:MAX_TITLE_MATCHES]
        told = find_readable_ids(newest, request, self.admin_site, queryset.db)
        page = UntitledRecordSearch(self.model, self.admin_site)
        others, more = page.get_search_results(request, queryset, search_term)
        return queryset.filter(pk__in=told) | others, more

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row the titles of its posts, as far as this person may read them."""
        attach_titles(rows, request, self.admin_site, using)

    @admin.display(description=MergeRecord._meta.get_field("loser_text").verbose_name, ordering="loser_text")
    def post(self, row: Any) -> str:
        return str(row.loser_title)

    @admin.display(
        description=MergeRecord._meta.get_field("keeper_text").verbose_name, ordering="keeper_text"
    )
    def keeper(self, row: Any) -> str:
        return str(row.keeper_title)

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_text(self, row: MergeRecord) -> str | None:
        return None if row.score is None else format_percent(row.score, row.exact)

    @admin.action(description=gettext_lazy("Undo…"))
    def undo_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """To the page that shows what would come back."""
        keys = list(queryset.order_by("-pk").values_list("pk", flat=True)[: MAX_UNDO_ITEMS + 1])
        if len(keys) > MAX_UNDO_ITEMS:
            messages.error(request, _("Nothing was done: at most %(cap)d at once.") % {"cap": MAX_UNDO_ITEMS})
            return None
        url = reverse(f"{self.admin_site.name}:neardup_mergerecord_undo_selected")
        return HttpResponseRedirect(f"{url}?{urlencode({'id': keys}, doseq=True)}")

    def get_urls(self) -> list[Any]:
        batch = non_atomic_requests(self.admin_site.admin_view(self.undo_view))
        selected = non_atomic_requests(self.admin_site.admin_view(self.undo_selected_view))
        return [
            path("undo/<uuid:batch>/", batch, name="neardup_mergerecord_undo"),
            path("undo/", selected, name="neardup_mergerecord_undo_selected"),
            *super().get_urls(),
        ]

    def undo_view(self, request: HttpRequest, batch: UUID) -> HttpResponse:
        """All that one confirmation did: GET shows what would come back and changes nothing, POST does it."""
        decisions = Decision.objects.using(self.get_queryset(request).db).filter(batch=batch).order_by("pk")
        return self._undo_response(
            request, self._records_with_journal(request).filter(batch=batch), list(decisions[:MAX_UNDO_ITEMS])
        )

    def undo_selected_view(self, request: HttpRequest) -> HttpResponse:
        """The same of records chosen in the list."""
        keys = request.GET.getlist("id")
        if not all(key.isascii() and key.isdecimal() and len(key) < 19 for key in keys):
            raise Http404
        return self._undo_response(request, self._records_with_journal(request).filter(pk__in=keys), [])

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """A record in words."""
        row: Any = self.get_object(request, object_id)
        if not self.has_view_permission(request, row) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if row is None:
            messages.warning(request, _("That record no longer exists."))
            return HttpResponseRedirect(self.list_url())
        using = self.get_queryset(request).db
        self.prepare_rows(request, [row], using)
        item = build_undo_item(row, request, self.admin_site, using)
        context = {
            **self.base_context(request, f"{row.get_action_display()}: {row.loser_title}"),
            "item": item,
            "score": self.score_text(row),
            "kept": _count_stored_rows(row),
            "moved": _count_moved_rows(row),
            "batch_url": self._undo_url(row),
            "together": self._records_with_journal(request).filter(batch=row.batch).count(),
        }
        return TemplateResponse(request, "neardup/admin/record.html", context)

    def base_context(self, request: HttpRequest, title: str) -> dict[str, Any]:
        """What every page of ours needs."""
        request.current_app = self.admin_site.name
        return {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "media": self.media,
            "is_nav_sidebar_enabled": False,
            "list_url": self.list_url(),
        }

    def list_url(self) -> str:
        """The list of records."""
        return reverse(f"{self.admin_site.name}:neardup_mergerecord_changelist")

    def _undo_response(
        self, request: HttpRequest, records: QuerySet[MergeRecord], decisions: Sequence[Decision]
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        return UndoView(
            self, request, list(records.order_by("-pk")[:MAX_UNDO_ITEMS]), decisions
        ).get_response()

    def _records_with_journal(self, request: HttpRequest) -> QuerySet[MergeRecord]:
        """With their journals, which a list does without."""
        return self.get_queryset(request).defer(None).select_related("loser_type", "keeper_type")

    def _undo_url(self, row: MergeRecord) -> str:
        return reverse(f"{self.admin_site.name}:neardup_mergerecord_undo", args=[row.batch])


def _count_stored_rows(row: MergeRecord) -> list[tuple[str, int]]:
    """How many rows of each kind the journal keeps."""
    return sorted(Counter(_model_label(each["model"]) for each in row.journal.get("rows", ())).items())


def _count_moved_rows(row: MergeRecord) -> list[tuple[str, str, int]]:
    """How many rows of each relation came to the keeper, or were changed."""
    moves = row.journal.get("moves", ())
    counts = Counter(
        (_model_label(each["model"]), _field_label(each["model"], each["field"])) for each in moves
    )
    return [(*words, count) for words, count in sorted(counts.items())]


def _model_label(label: str) -> str:
    model = find_model(label)
    return label if model is None else rows_label(model)


def _field_label(label: str, name: str) -> str:
    model = find_model(label)
    known = {} if model is None else {each.name: each for each in model._meta.concrete_fields}
    return str(known[name].verbose_name) if name in known else name

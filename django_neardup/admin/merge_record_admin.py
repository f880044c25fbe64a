"""The admin of merge records: posts that were merged, hidden or deleted, the person who did it, and the undo.

The journals contain whole posts and are not shown.
"""

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

from ..models import Decision, MergeRecord, UndoProof
from ..moderation.journal.serialization import find_model
from ..moderation.proof import OFF, PROOF_KEY, TOO_MANY_ROWS
from ..moderation.relations import rows_label
from .base import non_atomic_requests
from .change_list import PreparedListAdmin
from .filters import ConditionFilter, FilterOption
from .record_titles import MAX_TITLE_MATCHES, attach_titles, find_readable_ids
from .text_format import format_percent
from .undo_view import MAX_UNDO_ITEMS, UndoView, build_undo_item
from .visible_spaces import in_visible_spaces

PROOF_OUTCOMES = {
    **dict(UndoProof.Outcome.choices),
    OFF: gettext_lazy("no: proofs are turned off"),
    TOO_MANY_ROWS: gettext_lazy("no: too many rows changed"),
}
"""What a proof came to, in words."""


class UndoneFilter(ConditionFilter):
    """A filter: records in force, or undone records."""

    title = gettext_lazy("undone")
    parameter_name = "undone"

    def options(self) -> list[FilterOption]:
        return [
            ("no", gettext_lazy("No"), Q(undone=None)),
            ("yes", gettext_lazy("Yes"), Q(undone__isnull=False)),
        ]


class UntitledRecordSearch(admin.ModelAdmin):  # type: ignore[type-arg]
    """The search through the fields of a record that everyone with access to the list may read: titles are
    not among them.
    """

    search_fields = ("by_name", "=loser_id", "=keeper_id")


@admin.register(MergeRecord)
class MergeRecordAdmin(PreparedListAdmin):
    """The list of merge records, newest first."""

    space_path = "space"
    list_display = ("post", "action", "keeper", "score_text", "by_name", "created", "undone")
    list_filter = (UndoneFilter, "action")
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("loser_text", "keeper_text", *UntitledRecordSearch.search_fields)
    search_help_text = gettext_lazy("Post, its number, who did it")
    actions = ("undo_selected",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MergeRecord]:
        records: QuerySet[MergeRecord] = super().get_queryset(request).defer("journal")
        return records

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[MergeRecord], search_term: str
    ) -> tuple[QuerySet[MergeRecord], bool]:
        """Return the records that match the search term.

        A match in a title counts only if this person may read the titles of the record. Of the matches by
        title, only the newest ``MAX_TITLE_MATCHES`` are considered.
        """
        matches, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        if not search_term:
            return matches, may_have_duplicates
        newest = matches.order_by("-pk")[:MAX_TITLE_MATCHES]
        readable_ids = find_readable_ids(newest, request, self.admin_site, queryset.db)
        untitled_search = UntitledRecordSearch(self.model, self.admin_site)
        untitled_matches, may_have_duplicates = untitled_search.get_search_results(
            request, queryset, search_term
        )
        return queryset.filter(pk__in=readable_ids) | untitled_matches, may_have_duplicates

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Set ``loser_title`` and ``keeper_title`` on each row.

        A title that this person may not read is replaced.
        """
        attach_titles(rows, request, self.admin_site, using)

    # A list that can be sorted by titles would tell the order of titles that a person may not read.
    @admin.display(description=MergeRecord._meta.get_field("loser_text").verbose_name)
    def post(self, row: Any) -> str:
        return str(row.loser_title)

    @admin.display(description=MergeRecord._meta.get_field("keeper_text").verbose_name)
    def keeper(self, row: Any) -> str:
        return str(row.keeper_title)

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_text(self, row: MergeRecord) -> str | None:
        return None if row.score is None else format_percent(row.score, row.exact)

    @admin.action(description=gettext_lazy("Undo…"))
    def undo_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Redirect to the undo confirmation.

        Return None if more than ``MAX_UNDO_ITEMS`` records are selected.
        """
        record_ids = list(queryset.order_by("-pk").values_list("pk", flat=True)[: MAX_UNDO_ITEMS + 1])
        if len(record_ids) > MAX_UNDO_ITEMS:
            messages.error(
                request, _("Nothing was changed: select at most %(cap)d at once.") % {"cap": MAX_UNDO_ITEMS}
            )
            return None
        url = reverse(f"{self.admin_site.name}:neardup_mergerecord_undo_selected")
        return HttpResponseRedirect(f"{url}?{urlencode({'id': record_ids}, doseq=True)}")

    def get_urls(self) -> list[Any]:
        batch = non_atomic_requests(self.admin_site.admin_view(self.undo_view))
        selected = non_atomic_requests(self.admin_site.admin_view(self.undo_selected_view))
        return [
            path("undo/<uuid:batch>/", batch, name="neardup_mergerecord_undo"),
            path("undo/", selected, name="neardup_mergerecord_undo_selected"),
            *super().get_urls(),
        ]

    def undo_view(self, request: HttpRequest, batch: UUID) -> HttpResponse:
        """Undo everything that one confirmation did.

        GET shows what would be restored and changes nothing. POST restores it.
        """
        decisions = Decision.objects.using(self.get_queryset(request).db).filter(batch=batch).order_by("pk")
        decisions = in_visible_spaces(decisions, request)
        return self._undo_response(
            request, self._records_with_journal(request).filter(batch=batch), list(decisions[:MAX_UNDO_ITEMS])
        )

    def undo_selected_view(self, request: HttpRequest) -> HttpResponse:
        """Undo the records selected in the list, like ``undo_view``.

        Raise Http404 if an id is not a number.
        """
        record_ids = request.GET.getlist("id")
        # At most 18 digits, so that each key fits a 64-bit column.
        if not all(key.isascii() and key.isdecimal() and len(key) < 19 for key in record_ids):
            raise Http404
        return self._undo_response(request, self._records_with_journal(request).filter(pk__in=record_ids), [])

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show one record. Redirect to the list if the record is gone."""
        row: Any = self.get_object(request, object_id)
        if not self.has_view_permission(request, row) or request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if row is None:
            messages.warning(request, _("This record no longer exists."))
            return HttpResponseRedirect(self.list_url())
        using = self.get_queryset(request).db
        self.prepare_rows(request, [row], using)
        item = build_undo_item(row, request, self.admin_site, using)
        context = {
            **self.base_context(request, f"{row.get_action_display()}: {row.loser_title}"),
            "item": item,
            "score": self.score_text(row),
            "proof": PROOF_OUTCOMES.get(row.journal.get(PROOF_KEY)),
            "kept": [] if row.emptied is not None else _count_stored_rows(row),
            "moved": [] if row.emptied is not None else _count_moved_rows(row),
            "batch_url": self._undo_url(row),
            "together": self._records_with_journal(request).filter(batch=row.batch).count(),
        }
        return TemplateResponse(request, "neardup/admin/record.html", context)

    def base_context(self, request: HttpRequest, title: str) -> dict[str, Any]:
        """Return the context that every page of the package needs."""
        request.current_app = self.admin_site.name
        return {
            **self.site_context(request),
            "title": title,
            "opts": self.opts,
            "media": self.media,
            "list_url": self.list_url(),
        }

    def list_url(self) -> str:
        """Return the address of the list of records."""
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
        """Return the records with their journals. The list omits the journals: they contain whole posts."""
        return self.get_queryset(request).defer(None).select_related("loser_type", "keeper_type")

    def _undo_url(self, row: MergeRecord) -> str:
        return reverse(f"{self.admin_site.name}:neardup_mergerecord_undo", args=[row.batch])


def _count_stored_rows(row: MergeRecord) -> list[tuple[str, int]]:
    """Return the number of rows that the journal stores, as sorted pairs (model label, count)."""
    return sorted(Counter(_model_label(stored["model"]) for stored in row.journal.get("rows", ())).items())


def _count_moved_rows(row: MergeRecord) -> list[tuple[str, str, int]]:
    """Return how many rows of each relation moved to the keeper or were changed: (model label, field label,
    count).
    """
    moves = row.journal.get("moves", ())
    counts = Counter(
        (_model_label(move["model"]), _field_label(move["model"], move["field"])) for move in moves
    )
    return [(*labels, count) for labels, count in sorted(counts.items())]


def _model_label(label: str) -> str:
    model = find_model(label)
    return label if model is None else rows_label(model)


def _field_label(label: str, name: str) -> str:
    model = find_model(label)
    fields = {} if model is None else {field.name: field for field in model._meta.concrete_fields}
    return str(fields[name].verbose_name) if name in fields else name

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

from ..merging.relations import rows_called
from ..merging.stored import model_of
from ..models import Decision, MergeRecord
from .base import non_atomic
from .filters import ConditionFilter, Option
from .lists import ShownAdmin
from .recorded import name_posts, readable
from .undoing import CAP, Undoing, item_of
from .words import percent

MOST = 400
"""Records that words of titles find."""


class UndoneFilter(ConditionFilter):
    """Records that hold, and those that were undone."""

    title = gettext_lazy("undone")
    parameter_name = "undone"

    def options(self) -> list[Option]:
        return [
            ("no", gettext_lazy("No"), Q(undone=None)),
            ("yes", gettext_lazy("Yes"), Q(undone__isnull=False)),
        ]


class Openly(admin.ModelAdmin):  # type: ignore[type-arg]
    """The search through what a record tells everybody who may see it."""

    search_fields = ("by_name", "=loser_id", "=keeper_id")


@admin.register(MergeRecord)
class MergeRecordAdmin(ShownAdmin):
    """Records, the newest first."""

    list_display = ("post", "action", "keeper", "score_words", "by_name", "created", "undone")
    list_filter = (UndoneFilter, "action")
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("loser_text", "keeper_text", *Openly.search_fields)
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
        newest = found.order_by("-pk")[:MOST]
        told = readable(newest, request, self.admin_site, queryset.db)
        page = Openly(self.model, self.admin_site)
        others, more = page.get_search_results(request, queryset, search_term)
        return queryset.filter(pk__in=told) | others, more

    def attach(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row the titles of its posts, as far as this person may read them."""
        name_posts(rows, request, self.admin_site, using)

    @admin.display(description=MergeRecord._meta.get_field("loser_text").verbose_name, ordering="loser_text")
    def post(self, row: Any) -> str:
        return str(row.loser_title)

    @admin.display(
        description=MergeRecord._meta.get_field("keeper_text").verbose_name, ordering="keeper_text"
    )
    def keeper(self, row: Any) -> str:
        return str(row.keeper_title)

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_words(self, row: MergeRecord) -> str | None:
        return None if row.score is None else percent(row.score, row.exact)

    @admin.action(description=gettext_lazy("Undo…"))
    def undo_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """To the page that shows what would come back."""
        keys = list(queryset.order_by("-pk").values_list("pk", flat=True)[: CAP + 1])
        if len(keys) > CAP:
            messages.error(request, _("Nothing was done: at most %(cap)d at once.") % {"cap": CAP})
            return None
        url = reverse(f"{self.admin_site.name}:neardup_mergerecord_undo_selected")
        return HttpResponseRedirect(f"{url}?{urlencode({'id': keys}, doseq=True)}")

    def get_urls(self) -> list[Any]:
        batch = non_atomic(self.admin_site.admin_view(self.undo_view))
        selected = non_atomic(self.admin_site.admin_view(self.undo_selected_view))
        return [
            path("undo/<uuid:batch>/", batch, name="neardup_mergerecord_undo"),
            path("undo/", selected, name="neardup_mergerecord_undo_selected"),
            *super().get_urls(),
        ]

    def undo_view(self, request: HttpRequest, batch: UUID) -> HttpResponse:
        """All that one confirmation did: GET shows what would come back and changes nothing, POST does it."""
        decisions = Decision.objects.using(self.get_queryset(request).db).filter(batch=batch).order_by("pk")
        return self._undo(request, self._records(request).filter(batch=batch), list(decisions[:CAP]))

    def undo_selected_view(self, request: HttpRequest) -> HttpResponse:
        """The same of records chosen in the list."""
        keys = request.GET.getlist("id")
        if not all(key.isascii() and key.isdecimal() and len(key) < 19 for key in keys):
            raise Http404
        return self._undo(request, self._records(request).filter(pk__in=keys), [])

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
        self.attach(request, [row], using)
        item = item_of(row, request, self.admin_site, using)
        context = {
            **self.context(request, f"{row.get_action_display()}: {row.loser_title}"),
            "item": item,
            "score": self.score_words(row),
            "kept": _kept(row),
            "moved": _moved(row),
            "batch_url": self._undo_url(row),
            "together": self._records(request).filter(batch=row.batch).count(),
        }
        return TemplateResponse(request, "neardup/admin/record.html", context)

    def context(self, request: HttpRequest, title: str) -> dict[str, Any]:
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

    def _undo(
        self, request: HttpRequest, records: QuerySet[MergeRecord], decisions: Sequence[Decision]
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        return Undoing(self, request, list(records.order_by("-pk")[:CAP]), decisions).answer()

    def _records(self, request: HttpRequest) -> QuerySet[MergeRecord]:
        """With their journals, which a list does without."""
        return self.get_queryset(request).defer(None).select_related("loser_type", "keeper_type")

    def _undo_url(self, row: MergeRecord) -> str:
        return reverse(f"{self.admin_site.name}:neardup_mergerecord_undo", args=[row.batch])


def _kept(row: MergeRecord) -> list[tuple[str, int]]:
    """How many rows of each kind the journal keeps."""
    return sorted(Counter(_kind(each["model"]) for each in row.journal.get("rows", ())).items())


def _moved(row: MergeRecord) -> list[tuple[str, str, int]]:
    """How many rows of each relation came to the keeper, or were changed."""
    moves = row.journal.get("moves", ())
    counts = Counter((_kind(each["model"]), _column(each["model"], each["field"])) for each in moves)
    return [(*words, count) for words, count in sorted(counts.items())]


def _kind(label: str) -> str:
    model = model_of(label)
    return label if model is None else rows_called(model)


def _column(label: str, name: str) -> str:
    model = model_of(label)
    known = {} if model is None else {each.name: each for each in model._meta.concrete_fields}
    return str(known[name].verbose_name) if name in known else name

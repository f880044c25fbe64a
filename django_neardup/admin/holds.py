"""Posts that wait before they are published: what they are like, since when, and the way to publish or refuse them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..merging.permissions import REVIEW
from ..models import Document, Hold, Verdict
from .base import non_atomic
from .chosen import chosen_keys
from .filters import ConditionFilter, ExactFilter, ModelFilter, Option
from .held import ACTS, Answering, liken
from .lists import ShownAdmin
from .shown import link, model_name, show
from .words import SIGNS


class HoldStateFilter(ConditionFilter):
    """Those first that wait for a person."""

    title = gettext_lazy("state")
    parameter_name = "state"
    preset = Hold.State.REVIEW

    def options(self) -> list[Option]:
        stuck = Q(document__state=Document.State.QUARANTINED)
        waits: dict[str, Q] = {
            Hold.State.REVIEW: Q(state=Hold.State.REVIEW) | Q(state=Hold.State.CHECKING) & stuck
        }
        return [(value, words, waits.get(value, Q(state=value))) for value, words in Hold.State.choices]


class HeldModelFilter(ModelFilter):
    column = "document__content_type"


@admin.register(Hold)
class HoldAdmin(ShownAdmin):
    """Held posts, those first that have waited longest."""

    list_display = ("post", "state_words", "verdict_words", "like", "kind", "author", "created")
    list_display_links = None
    list_filter = (HoldStateFilter, ExactFilter, HeldModelFilter)
    list_select_related = ("document", "document__content_type")
    list_per_page = 50
    ordering = ("created", "pk")
    search_fields = ("=document__object_id", "=document__author")
    search_help_text = gettext_lazy("Post number or author")
    actions = ("publish_selected", "refuse_selected")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, {"title": _("Held posts"), **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """There is no page of one alone: the list says all."""
        return HttpResponseRedirect(self.list_url())

    def attach(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row its post, and the post that it is like, as this person may see them."""
        likes = liken(rows, self.admin_site, using)
        documents = [row.document for row in rows] + [each.document for each in likes.values()]
        found = show(documents, request, self.admin_site, using)
        for row in rows:
            near = likes.get(row.document_id)
            row.shown = found[row.document_id]
            row.near = None if near is None else (found[near.document.pk], near.url)

    @admin.display(description=gettext_lazy("post"))
    def post(self, row: Any) -> str | SafeString:
        return link(row.shown.url, f"{row.shown.title}, {row.shown.name}")

    @admin.display(description=gettext_lazy("state"), ordering="state")
    def state_words(self, row: Hold) -> str:
        if row.state == Hold.State.CHECKING and row.document.state == Document.State.QUARANTINED:
            return _("could not be checked")
        return row.get_state_display()

    @admin.display(description=gettext_lazy("verdict"), ordering="verdict")
    def verdict_words(self, row: Hold) -> str | SafeString:
        if not row.verdict:
            return ""
        words = [str(Verdict(row.verdict).label)]
        words += [_("exact copy")] * row.exact + [_("of the same author")] * row.own
        sign = SIGNS[Verdict(row.verdict)]
        return format_html(
            '<span class="neardup-verdict"><i aria-hidden="true">{}</i>{}</span>', sign, ", ".join(words)
        )

    @admin.display(description=gettext_lazy("is like"))
    def like(self, row: Any) -> str | SafeString:
        if row.near is None:
            return ""
        shown, url = row.near
        return link(url, f"{shown.title}, {shown.name}")

    @admin.display(description=gettext_lazy("model"))
    def kind(self, row: Hold) -> str:
        return model_name(row.document)

    @admin.display(description=gettext_lazy("author"))
    def author(self, row: Any) -> str:
        return str(row.shown.author)

    @admin.action(description=gettext_lazy("Publish…"), permissions=["decide"])
    def publish_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._to_confirmation(request, queryset, "publish")

    @admin.action(description=gettext_lazy("Refuse…"), permissions=["decide"])
    def refuse_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._to_confirmation(request, queryset, "refuse")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(REVIEW))

    def get_urls(self) -> list[Any]:
        view = non_atomic(self.admin_site.admin_view(self.decide_view))
        return [path("decide/<str:act>/", view, name="neardup_hold_decide"), *super().get_urls()]

    def decide_view(self, request: HttpRequest, act: str) -> HttpResponse:
        """GET shows the posts and changes nothing, POST does it."""
        if act not in ACTS:
            raise Http404
        if not self.has_decide_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        return Answering(self, request, ACTS[act]).answer()

    def list_url(self) -> str:
        """The list."""
        return reverse(f"{self.admin_site.name}:neardup_hold_changelist")

    def _to_confirmation(
        self, request: HttpRequest, queryset: QuerySet[Any], act: str
    ) -> HttpResponse | None:
        keys = chosen_keys(request, queryset)
        if keys is None:
            return None
        url = reverse(f"{self.admin_site.name}:neardup_hold_decide", args=[act])
        return HttpResponseRedirect(f"{url}?{urlencode({'id': keys}, doseq=True)}")

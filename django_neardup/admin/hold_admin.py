"""The admin of held posts: the similar post of each, how long it waits, and the actions to publish or refuse
it.
"""

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

from ..models import Document, Hold, Verdict
from ..moderation.permissions import REVIEW_PERMISSION
from ..pipeline.open_items.conditions import WAITING_HOLD
from ..pipeline.source_properties import TOO_LONG
from .base import non_atomic_requests
from .change_list import PreparedListAdmin
from .filters import ConditionFilter, ExactCopyFilter, FilterOption, ModelFilter
from .hold_view import HOLD_ACTIONS, HoldActionView, find_similar_posts
from .selection_limits import selected_pks
from .skip_reasons import SKIP_REASON_LABELS
from .text_format import VERDICT_SIGNS
from .visible_holds import visible_holds
from .visible_objects import link_html, load_displayed_posts, model_verbose_name


class HoldStateFilter(ConditionFilter):
    """A filter by the state of the hold. By default it shows the posts that wait for a moderator."""

    title = gettext_lazy("state")
    parameter_name = "state"
    default_value = Hold.State.REVIEW

    def options(self) -> list[FilterOption]:
        conditions: dict[str, Q] = {Hold.State.REVIEW: WAITING_HOLD}
        return [(value, label, conditions.get(value, Q(state=value))) for value, label in Hold.State.choices]


class HoldModelFilter(ModelFilter):
    column = "document__content_type"


@admin.register(Hold)
class HoldAdmin(PreparedListAdmin):
    """The list of held posts, longest waiting first."""

    list_display = ("post", "state_text", "verdict_text", "similar_post", "model_label", "author", "created")
    list_display_links = None
    list_filter = (HoldStateFilter, ExactCopyFilter, HoldModelFilter)
    list_select_related = ("document", "document__content_type")
    list_per_page = 50
    ordering = ("created", "pk")
    search_fields = ("=document__object_id", "=document__author")
    search_help_text = gettext_lazy("Post number or author")
    actions = ("publish_selected", "refuse_selected")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        holds: QuerySet[Hold] = super().get_queryset(request)
        return visible_holds(holds, request, self.admin_site)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, {"title": _("Held posts"), **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the list: it shows everything about a hold, so a hold needs no separate page."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponseRedirect(self.list_url())

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Set ``displayed`` (the post) and ``similar`` (the similar post and its address) on each row.

        Both respect what this person may see. ``similar`` is None if there is no similar post.
        """
        similar_posts = find_similar_posts(rows, self.admin_site, using)
        documents = [row.document for row in rows] + [similar.document for similar in similar_posts.values()]
        displayed = load_displayed_posts(documents, request, self.admin_site, using)
        for row in rows:
            similar = similar_posts.get(row.document_id)
            row.displayed = displayed[row.document_id]
            row.similar = (
                None if similar is None else (displayed[similar.document.pk], similar.comparison_url)
            )

    @admin.display(description=gettext_lazy("post"))
    def post(self, row: Any) -> str | SafeString:
        return link_html(row.displayed.url, f"{row.displayed.title}, {row.displayed.number}")

    @admin.display(description=gettext_lazy("state"), ordering="state")
    def state_text(self, row: Hold) -> str:
        if row.state == Hold.State.CHECKING and row.document.state == Document.State.QUARANTINED:
            return _("could not be checked")
        return row.get_state_display()

    @admin.display(description=gettext_lazy("verdict"), ordering="verdict")
    def verdict_text(self, row: Hold) -> str | SafeString:
        if not row.verdict:
            return str(SKIP_REASON_LABELS[TOO_LONG]) if row.document.reason == TOO_LONG else ""
        words = [str(Verdict(row.verdict).label)]
        words += [_("exact copy")] * row.exact + [_("of the same author")] * row.own
        sign = VERDICT_SIGNS[Verdict(row.verdict)]
        return format_html(
            '<span class="neardup-verdict"><i aria-hidden="true">{}</i>{}</span>', sign, ", ".join(words)
        )

    @admin.display(description=gettext_lazy("is like"))
    def similar_post(self, row: Any) -> str | SafeString:
        if row.similar is None:
            return ""
        shown, url = row.similar
        return link_html(url, f"{shown.title}, {shown.number}")

    @admin.display(description=gettext_lazy("model"))
    def model_label(self, row: Hold) -> str:
        return model_verbose_name(row.document)

    @admin.display(description=gettext_lazy("author"))
    def author(self, row: Any) -> str:
        return str(row.displayed.author)

    @admin.action(description=gettext_lazy("Publish…"), permissions=["decide"])
    def publish_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "publish")

    @admin.action(description=gettext_lazy("Refuse…"), permissions=["decide"])
    def refuse_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "refuse")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(REVIEW_PERMISSION))

    def get_urls(self) -> list[Any]:
        view = non_atomic_requests(self.admin_site.admin_view(self.decide_view))
        return [path("decide/<str:act>/", view, name="neardup_hold_decide"), *super().get_urls()]

    def decide_view(self, request: HttpRequest, act: str) -> HttpResponse:
        """Show the confirmation on GET, which changes nothing. Perform the action on POST."""
        if act not in HOLD_ACTIONS:
            raise Http404
        if not self.has_decide_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        return HoldActionView(self, request, HOLD_ACTIONS[act]).get_response()

    def list_url(self) -> str:
        """Return the address of the list."""
        return reverse(f"{self.admin_site.name}:neardup_hold_changelist")

    def _redirect_to_confirmation(
        self, request: HttpRequest, queryset: QuerySet[Any], action_name: str
    ) -> HttpResponse | None:
        keys = selected_pks(request, queryset)
        if keys is None:
            return None
        url = reverse(f"{self.admin_site.name}:neardup_hold_decide", args=[action_name])
        return HttpResponseRedirect(f"{url}?{urlencode({'id': keys}, doseq=True)}")

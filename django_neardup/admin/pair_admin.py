"""The admin of offered pairs: open pairs that are in no common cluster and wait for a moderator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import Pair, Verdict
from ..pipeline.open_items import refresh_open_items
from ..pipeline.open_items.conditions import open_pairs
from . import review_context
from .base import non_atomic_requests
from .decision_actions import DecisionActionsAdmin
from .decision_groups import PAIR, build_item_key
from .filters import PairModelFilter, ScoreFilter, VerdictFilter
from .text_format import (
    MAX_ROW_DIFFERENCES,
    VERDICT_SIGNS,
    build_differences,
    format_percent,
    more_text,
)
from .visible_objects import attach_pair_posts, model_verbose_name


class PairScoreFilter(ScoreFilter):
    title = gettext_lazy("score")
    column = "score"


@admin.register(Pair)
class PairAdmin(DecisionActionsAdmin):
    """The list of open pairs: variants, contained and related texts, and duplicates that are in no cluster."""

    space_path = "space"
    key_prefix = PAIR
    missing_message = gettext_lazy(
        "This pair is no longer in the queue: it was decided, or a post has changed."
    )
    list_display = ("posts", "verdict_text", "score_text", "differences_text", "model_label", "found")
    list_display_links = ("posts",)
    list_filter = (VerdictFilter, PairScoreFilter, PairModelFilter)
    list_select_related = ("a", "b")
    list_per_page = 50
    ordering = ("-score", "pk")
    search_fields = ("=a__object_id", "=b__object_id", "=a__author", "=b__author")
    search_help_text = gettext_lazy("Post number or author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pair]:
        # The list reads the stored mark: it must not look into every pair of a large table.
        return super().get_queryset(request).filter(open=True)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Pair | None:
        try:
            key = self.opts.pk.to_python(object_id)
        except ValidationError:
            return None
        # A pair of this moment is open before it is marked.
        return open_pairs(super().get_queryset(request).filter(pk=key)).first()

    @non_atomic_requests
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        # So a decision of a moment ago has left the list, also while no worker runs.
        refresh_open_items(self.get_queryset(request).db, newest_first=True)
        return super().changelist_view(request, {"title": _("Offered pairs"), **(extra_context or {})})

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        attach_pair_posts(rows, request, self.admin_site, using)

    @admin.display(description=gettext_lazy("two posts"))
    def posts(self, row: Any) -> str:
        return " – ".join(f"{post.title}, {post.number}" for post in row.displayed)

    @admin.display(description=gettext_lazy("verdict"), ordering="verdict")
    def verdict_text(self, row: Pair) -> SafeString:
        sign, words = VERDICT_SIGNS[Verdict(row.verdict)], Verdict(row.verdict).label
        return format_html('<span class="neardup-verdict"><i aria-hidden="true">{}</i>{}</span>', sign, words)

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_text(self, row: Pair) -> str:
        return format_percent(row.score, row.exact)

    @admin.display(description=gettext_lazy("differences"))
    def differences_text(self, row: Any) -> str:
        if any(post.instance is None for post in row.displayed):
            return ""
        left = "a" if row.displayed[0].document.pk == row.a_id else "b"
        differences = build_differences(row.evidence, left)
        words = [difference.labelled_text for difference in differences[:MAX_ROW_DIFFERENCES]]
        return ", ".join([*words, *filter(None, [more_text(len(differences) - MAX_ROW_DIFFERENCES)])])

    @admin.display(description=gettext_lazy("model"))
    def model_label(self, row: Pair) -> str:
        return model_verbose_name(row.a)

    def detail_view(self, request: HttpRequest, row: Pair) -> HttpResponse:
        return TemplateResponse(request, "neardup/admin/pair.html", self._detail_context(request, row))

    def _detail_context(self, request: HttpRequest, pair: Pair) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        rows: list[Any] = [pair]
        self.prepare_rows(request, rows, self.get_queryset(request).db)
        left, right = rows[0].displayed
        return {
            **self.site_context(request),
            "title": f"{left.title} – {right.title}",
            "opts": self.opts,
            "media": self.media,
            "key": build_item_key(pair),
            **review_context.pair_context(
                pair, left, right, request, self.admin_site, self.get_queryset(request).db
            ),
            "list_url": self.list_url(),
            "outcomes": review_context.build_action_buttons(request, self.admin_site.name, PAIR),
        }

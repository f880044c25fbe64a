"""Offered pairs: what no cluster holds, and a person should look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import Pair, Verdict
from . import workshop
from .deciding import DecidingAdmin
from .filters import PairModelFilter, ScoreFilter, VerdictFilter
from .groups import key_of
from .queue.waiting import offered
from .shown import model_name, show
from .words import SHOWN, SIGNS, differences, percent, rest


class PairScoreFilter(ScoreFilter):
    title = gettext_lazy("score")
    column = "score"


@admin.register(Pair)
class PairAdmin(DecidingAdmin):
    """Two posts each: variants, quotes, relatives, and duplicates that no cluster took."""

    letter = "p"
    gone = gettext_lazy("That pair is no longer waiting: it was decided, or a post has changed.")
    list_display = ("posts", "verdict_words", "score_words", "what_differs", "kind", "found")
    list_display_links = ("posts",)
    list_filter = (VerdictFilter, PairScoreFilter, PairModelFilter)
    list_select_related = ("a", "b")
    list_per_page = 50
    ordering = ("-score", "pk")
    search_fields = ("=a__object_id", "=b__object_id", "=a__author", "=b__author")
    search_help_text = gettext_lazy("Post number or author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pair]:
        return offered(super().get_queryset(request))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(request, {"title": _("Offered pairs"), **(extra_context or {})})

    def attach(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row its posts, the earlier one first, as this person may see them."""
        found = show([side for row in rows for side in (row.a, row.b)], request, self.admin_site, using)
        for row in rows:
            row.shown = [found[each.pk] for each in sorted((row.a, row.b), key=lambda each: each.order)]

    @admin.display(description=gettext_lazy("two posts"))
    def posts(self, row: Any) -> str:
        return " – ".join(f"{each.title}, {each.name}" for each in row.shown)

    @admin.display(description=gettext_lazy("verdict"), ordering="verdict")
    def verdict_words(self, row: Pair) -> SafeString:
        sign, words = SIGNS[Verdict(row.verdict)], Verdict(row.verdict).label
        return format_html('<span class="neardup-verdict"><i aria-hidden="true">{}</i>{}</span>', sign, words)

    @admin.display(description=gettext_lazy("score"), ordering="score")
    def score_words(self, row: Pair) -> str:
        return percent(row.score, row.exact)

    @admin.display(description=gettext_lazy("what differs"))
    def what_differs(self, row: Any) -> str:
        if any(each.instance is None for each in row.shown):
            return ""
        left = "a" if row.shown[0].document.pk == row.a_id else "b"
        found = differences(row.evidence, left)
        words = [each.plain for each in found[:SHOWN]]
        return ", ".join([*words, *filter(None, [rest(len(found) - SHOWN)])])

    @admin.display(description=gettext_lazy("model"))
    def kind(self, row: Pair) -> str:
        return model_name(row.a)

    def page(self, request: HttpRequest, row: Pair) -> HttpResponse:
        return TemplateResponse(request, "neardup/admin/pair.html", self._context(request, row))

    def _context(self, request: HttpRequest, pair: Pair) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        rows: list[Any] = [pair]
        self.attach(request, rows, self.get_queryset(request).db)
        left, right = rows[0].shown
        return {
            **self.admin_site.each_context(request),
            "is_nav_sidebar_enabled": False,
            "title": f"{left.title} – {right.title}",
            "opts": self.opts,
            "media": self.media,
            "key": key_of(pair),
            **workshop.of_pair(pair, left, right, request, self.admin_site, self.get_queryset(request).db),
            "list_url": self.list_url(),
            "outcomes": workshop.buttons(request, self.admin_site.name),
        }

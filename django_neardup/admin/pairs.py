"""Offered pairs: what no cluster holds, and a person should look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..models import Fingerprint, Membership, MergeRecord, Pair, Scheme, Verdict
from .comparison import compare
from .deciding import DecidingAdmin
from .filters import PairModelFilter, ScoreFilter, VerdictFilter
from .groups import Group, pair_groups
from .lists import ShownChangeList
from .outcomes import OUTCOMES
from .shown import model_name, show
from .words import SHOWN, SIGNS, differences, percent, rest


class PairScoreFilter(ScoreFilter):
    title = gettext_lazy("score")
    column = "score"


def offered(queryset: QuerySet[Pair]) -> QuerySet[Pair]:
    """Those pairs that wait for a person: current, undecided, both posts shown, not in one cluster.

    A post that was just merged, hidden or deleted is left out at once, though its document still waits for its turn.
    """
    same = Membership.objects.filter(document=OuterRef("a"), cluster__memberships__document=OuterRef("b"))
    return (
        queryset.filter(scheme__state=Scheme.State.ACTIVE, decision=None, a__live=True, b__live=True)
        .filter(_current("a"), _current("b"))
        .exclude(Exists(same))
        .exclude(_handled("a"))
        .exclude(_handled("b"))
    )


def _current(side: str) -> Exists:
    """The pair was judged on the text that its fingerprint has."""
    found = Fingerprint.objects.filter(
        document=OuterRef(side), scheme=OuterRef("scheme"), source_digest=OuterRef(f"digest_{side}")
    )
    return Exists(found)


def _handled(side: str) -> Q:
    records = MergeRecord.objects.filter(
        loser_type=OuterRef(f"{side}__content_type"), loser_id=OuterRef(f"{side}__object_id"), undone=None
    )
    return Q(**{f"{side}__wanted__gt": F(f"{side}__done")}) & Q(Exists(records))


@admin.register(Pair)
class PairAdmin(DecidingAdmin):
    """Two posts each: variants, quotes, relatives, and duplicates that no cluster took."""

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

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ShownChangeList]:
        return ShownChangeList

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

    def groups(self, keys: Collection[int], ticked: Collection[int] | None, using: str) -> list[Group]:
        waiting = offered(Pair.objects.using(using).filter(pk__in=keys)).values_list("pk", flat=True)
        return pair_groups(list(waiting), using)

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
            "pair": pair,
            "comparison": compare(left, right, pair, self.get_queryset(request).db),
            "list_url": self.list_url(),
            "outcomes": [(self.decide_url(name), outcome) for name, outcome in OUTCOMES.items()],
        }

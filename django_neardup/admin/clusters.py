"""Clusters: the list, and the page that compares the members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..models import Cluster
from . import workshop
from .deciding import DecidingAdmin
from .filters import ClusterModelFilter, ExactFilter, ScoreFilter, SizeFilter, StateFilter
from .groups import key_of
from .members import ClusterPage
from .shown import model_name, show
from .words import percent


@admin.register(Cluster)
class ClusterAdmin(DecidingAdmin):
    """Groups of near-duplicates, those first that wait for a person."""

    letter = "c"
    gone = gettext_lazy("That group no longer exists: it was decided, or its posts have changed.")
    list_display = ("post", "size", "lowest_score", "weakest_score", "is_exact", "kind", "state")
    list_display_links = ("post",)
    list_filter = (StateFilter, SizeFilter, ScoreFilter, ExactFilter, ClusterModelFilter)
    list_select_related = ("representative",)
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("=memberships__document__object_id", "=memberships__document__author")
    search_help_text = gettext_lazy("Post number or author")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(
            request, {"title": _("Groups of near-duplicates"), **(extra_context or {})}
        )

    def attach(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row its representative as this person may see it."""
        found = show([row.representative for row in rows], request, self.admin_site, using)
        for row in rows:
            row.shown = found[row.representative_id]

    @admin.display(description=gettext_lazy("representative"))
    def post(self, row: Any) -> str:
        return f"{row.shown.title}, {row.shown.name}"

    @admin.display(description=gettext_lazy("lowest score"), ordering="lowest")
    def lowest_score(self, row: Cluster) -> str:
        return percent(row.lowest, row.exact)

    @admin.display(description=gettext_lazy("weakest pair"), ordering="weakest")
    def weakest_score(self, row: Cluster) -> str:
        return percent(row.weakest, row.exact)

    @admin.display(description=gettext_lazy("exact copies"), boolean=True, ordering="exact")
    def is_exact(self, row: Cluster) -> bool:
        return row.exact

    @admin.display(description=gettext_lazy("model"))
    def kind(self, row: Cluster) -> str:
        return model_name(row.representative)

    def page(self, request: HttpRequest, row: Cluster) -> HttpResponse:
        page = ClusterPage(row, request, self.admin_site, self.get_queryset(request).db)
        return TemplateResponse(request, "neardup/admin/cluster.html", self._context(request, page))

    def _context(self, request: HttpRequest, page: ClusterPage) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        size = page.cluster.size
        heading = ngettext("%(title)s: %(size)d similar post", "%(title)s: %(size)d similar posts", size)
        return {
            **self.admin_site.each_context(request),
            "is_nav_sidebar_enabled": False,
            "title": heading % {"title": page.representative.title, "size": size},
            "opts": self.opts,
            "media": self.media,
            **workshop.of_cluster(page),
            "key": key_of(page.cluster),
            "list_url": self.list_url(),
            "outcomes": workshop.buttons(request, self.admin_site.name),
        }

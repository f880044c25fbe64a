"""The list of clusters, and the page that compares the members of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..models import Cluster
from . import review_context
from .cluster_view import ClusterPage
from .decision_actions import DecisionActionsAdmin
from .decision_groups import CLUSTER, build_item_key
from .filters import (
    ClusterModelFilter,
    ClusterSizeFilter,
    ClusterStateFilter,
    CopiedByFilter,
    ExactCopyFilter,
    ScoreFilter,
)
from .text_format import format_percent
from .visible_objects import load_displayed_posts, model_verbose_name


@admin.register(Cluster)
class ClusterAdmin(DecisionActionsAdmin):
    """Clusters of near-duplicates. The default filter shows the open ones; the newest come first."""

    space_path = "space"
    key_prefix = CLUSTER
    missing_message = gettext_lazy("This group no longer exists: it was decided, or its posts have changed.")
    list_display = ("post", "size", "lowest_score", "weakest_score", "is_exact", "model_label", "state")
    list_display_links = ("post",)
    list_filter = (
        ClusterStateFilter,
        ClusterSizeFilter,
        ScoreFilter,
        ExactCopyFilter,
        ClusterModelFilter,
        CopiedByFilter,
    )
    list_select_related = ("leader",)
    list_per_page = 50
    ordering = ("-pk",)
    search_fields = ("=memberships__document__object_id", "=memberships__document__author")
    search_help_text = gettext_lazy("Post number or author")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return super().changelist_view(
            request, {"title": _("Groups of near-duplicates"), **(extra_context or {})}
        )

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Attach the displayed leader to every row. It holds only what the user may see."""
        posts_by_document = load_displayed_posts(
            [row.leader for row in rows], request, self.admin_site, using
        )
        for row in rows:
            row.displayed = posts_by_document[row.leader_id]

    @admin.display(description=gettext_lazy("main post"))
    def post(self, row: Any) -> str:
        return f"{row.displayed.title}, {row.displayed.number}"

    @admin.display(description=gettext_lazy("lowest score"), ordering="lowest")
    def lowest_score(self, row: Cluster) -> str:
        return format_percent(row.lowest, row.exact)

    @admin.display(description=gettext_lazy("weakest pair"), ordering="weakest")
    def weakest_score(self, row: Cluster) -> str:
        return format_percent(row.weakest, row.exact)

    @admin.display(description=gettext_lazy("exact copies"), boolean=True, ordering="exact")
    def is_exact(self, row: Cluster) -> bool:
        return row.exact

    @admin.display(description=gettext_lazy("model"))
    def model_label(self, row: Cluster) -> str:
        return model_verbose_name(row.leader)

    def detail_view(self, request: HttpRequest, row: Cluster) -> HttpResponse:
        page = ClusterPage(row, request, self.admin_site, self.get_queryset(request).db)
        return TemplateResponse(request, "neardup/admin/cluster.html", self._detail_context(request, page))

    def _detail_context(self, request: HttpRequest, page: ClusterPage) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        size = page.cluster.size
        heading = ngettext("%(title)s: %(size)d similar post", "%(title)s: %(size)d similar posts", size)
        return {
            **self.site_context(request),
            "title": heading % {"title": page.leader.title, "size": size},
            "opts": self.opts,
            "media": self.media,
            **review_context.cluster_context(page),
            "key": build_item_key(page.cluster),
            "list_url": self.list_url(),
            "outcomes": review_context.build_action_buttons(request, self.admin_site.name, CLUSTER),
        }

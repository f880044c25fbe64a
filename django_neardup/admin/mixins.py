"""Near-duplicates on the site's own admin: a column, a filter, a link and the four actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..adapters import adapters_of
from ..models import Queue
from ..moderation.permissions import MERGE_PERMISSION, REVIEW_PERMISSION
from .compat import action
from .decision_groups import MAX_OBJECTS
from .filters import ConditionFilter, FilterOption
from .pending_by_post import (
    in_cluster_condition,
    load_pending_decisions,
    pending_condition,
    select_items,
)
from .selection_limits import too_many_message

if TYPE_CHECKING:
    ModelAdminBase = admin.ModelAdmin[Any]
else:
    ModelAdminBase = object

SIMILAR_COLUMN = "neardup_similar"
ACTION_NAMES = ("neardup_leave", "neardup_hide", "neardup_merge", "neardup_delete")


class NearDuplicatesFilter(ConditionFilter):
    """Posts about which somebody is to decide, those of a group, and those like no other."""

    title = gettext_lazy("near-duplicates")
    parameter_name = "neardup"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self.model, self.using = model, model_admin.get_queryset(request).db
        super().__init__(request, params, model, model_admin)

    def options(self) -> list[FilterOption]:
        waits, belongs = (
            pending_condition(self.model, self.using),
            in_cluster_condition(self.model, self.using),
        )
        return [
            ("waiting", gettext_lazy("a decision waits"), waits),
            ("grouped", gettext_lazy("in a group"), belongs),
            ("none", gettext_lazy("none"), ~Q(waits | belongs)),
        ]


class SimilarChangeList(ChangeList):
    """Tells each row of the page what waits about it: a fixed number of queries."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: Any = self.result_list
        found = load_pending_decisions(rows, self.queryset.db)
        for row in rows:
            row.neardup_pending = found.get(row)


class NearDuplicatesMixin(ModelAdminBase):
    """For the ModelAdmin of a registered model: ``class AdAdmin(NearDuplicatesMixin, admin.ModelAdmin)``.

    Only people with ``neardup.review`` or ``neardup.merge_cluster`` see what it adds. The column stands last, unless
    ``list_display`` names it, "neardup_similar"; the filter too, unless ``list_filter`` holds ``NearDuplicatesFilter``.
    """

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        if self.actions is not None:
            self.actions = [*(name for name in self.actions if name not in ACTION_NAMES), *ACTION_NAMES]

    def get_list_display(self, request: HttpRequest) -> Any:
        return self._add_for_reviewers(request, super().get_list_display(request), SIMILAR_COLUMN)

    def get_list_filter(self, request: HttpRequest) -> Any:
        return self._add_for_reviewers(request, super().get_list_filter(request), NearDuplicatesFilter)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        base = super().get_changelist(request, **kwargs)
        if not self.has_neardup_review_permission(request):
            return base
        return type("SimilarChangeList", (SimilarChangeList, base), {})

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        instance = context.get("original")
        if isinstance(response, TemplateResponse) and instance is not None:
            self._add_similar_link(request, response, instance)
        return response

    def has_neardup_review_permission(self, request: HttpRequest) -> bool:
        """Whether that person decides on near-duplicates, and this admin site has the pages to do so."""
        may = request.user.has_perm(REVIEW_PERMISSION) or request.user.has_perm(MERGE_PERMISSION)
        return may and bool(adapters_of(self.model)) and self._has_review_queue(request)

    def has_neardup_leave_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REVIEW_PERMISSION) and self.has_neardup_review_permission(request)

    def has_neardup_merge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(MERGE_PERMISSION) and self.has_neardup_review_permission(request)

    @admin.display(description=gettext_lazy("similar"))
    def neardup_similar(self, row: Any) -> SafeString | None:
        """How many posts like this one wait for a decision, with a link to it."""
        waits = getattr(row, "neardup_pending", None)
        if waits is None:
            return None
        url, words = waits.decision_url(self.admin_site.name), similar_posts_text(waits.similar_count)
        return format_html('<a href="{}" aria-label="{}">{}</a>', url, words, waits.similar_count)

    @action(
        gettext_lazy("Similar: leave, these are not duplicates"),
        gettext_lazy("Similar: leave, this is not a duplicate"),
        ["neardup_leave"],
    )
    def neardup_leave(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "leave")

    @action(
        gettext_lazy("Similar: hide the duplicates…"),
        gettext_lazy("Similar: hide as a duplicate…"),
        ["neardup_review"],
    )
    def neardup_hide(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "hide")

    @action(
        gettext_lazy("Similar: merge the duplicates…"),
        gettext_lazy("Similar: merge with its duplicates…"),
        ["neardup_merge"],
    )
    def neardup_merge(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "merge")

    @action(
        gettext_lazy("Similar: delete the duplicates…"),
        gettext_lazy("Similar: delete as a duplicate…"),
        ["neardup_review"],
    )
    def neardup_delete(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return self._redirect_to_confirmation(request, queryset, "delete")

    def _redirect_to_confirmation(
        self, request: HttpRequest, queryset: QuerySet[Any], action_name: str
    ) -> HttpResponse | None:
        """To the confirmation, with the chosen posts ticked; nothing is done here."""
        posts = queryset.filter(pending_condition(self.model, queryset.db))
        chosen = select_items(posts[: MAX_OBJECTS + 1], queryset.db)
        if chosen.object_count > MAX_OBJECTS:
            messages.error(request, too_many_message(chosen.object_count))
        elif not chosen.item_keys:
            messages.info(request, _("Nothing waits for a decision about the chosen posts."))
        else:
            url = reverse(f"{self.admin_site.name}:neardup_queue_decide", args=[action_name])
            return HttpResponseRedirect(f"{url}?{chosen.query_string}")
        return None

    def _add_for_reviewers(self, request: HttpRequest, names: Any, added_name: Any) -> list[Any]:
        """The names with ours, for those who may see it; without it for others."""
        if not self.has_neardup_review_permission(request):
            return [name for name in names if name != added_name]
        return [*names] if added_name in names else [*names, added_name]

    def _has_review_queue(self, request: HttpRequest) -> bool:
        """Whether the pages to decide are on this admin site and show the database that these posts are written to."""
        if not self.admin_site.is_registered(Queue):
            return False
        workshop = self.admin_site.get_model_admin(Queue)
        posts = self.get_queryset(request).select_for_update()  # whose alias is that for writing
        return workshop.get_queryset(request).db == posts.db

    def _add_similar_link(self, request: HttpRequest, response: TemplateResponse, instance: Any) -> None:
        """Put the link among the tools of the page, whichever template draws it."""
        if not self.has_neardup_review_permission(request):
            return
        waits = load_pending_decisions([instance], self.get_queryset(request).db).get(instance)
        if waits is not None:
            link = {
                "url": waits.decision_url(self.admin_site.name),
                "words": similar_posts_text(waits.similar_count),
            }
            page = response.resolve_template(response.template_name)
            response.context_data = {**(response.context_data or {}), "neardup_page": page, "neardup": link}
            response.template_name = "neardup/admin/site_change_form.html"


def similar_posts_text(count: int) -> str:
    return ngettext("%(count)d similar post", "%(count)d similar posts", count) % {"count": count}

"""Near-duplicates in the site's own ModelAdmin: a column, a filter, a link and the four actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db import router
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ..adapters import adapters_of
from ..models import Queue
from ..moderation.permissions import MERGE_PERMISSION, REVIEW_PERMISSION
from ..pipeline.availability import has_current_tables
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

Label = str | Promise


def action(plural_description: Label, description: Label, permissions: Sequence[str]) -> Callable[[Any], Any]:
    """Return ``admin.action`` for lists. From Django 6.1 on, the action is also on the page of an object."""
    decorator: Any = admin.action
    locations = getattr(admin, "ActionLocation", None)
    options: dict[str, Any] = {"description": plural_description}
    if locations is not None:
        all_locations = [locations.CHANGE_LIST, locations.CHANGE_FORM]
        options = {
            "description": description,
            "description_plural": plural_description,
            "location": all_locations,
        }
    action_decorator: Callable[[Any], Any] = decorator(permissions=permissions, **options)
    return action_decorator


SIMILAR_COLUMN = "neardup_similar"
ACTION_NAMES = ("neardup_leave", "neardup_hide", "neardup_merge", "neardup_delete")


class NearDuplicatesFilter(ConditionFilter):
    """A filter by near-duplicates: posts that wait for a decision, posts in a cluster, or posts with neither."""

    title = gettext_lazy("near-duplicates")
    parameter_name = "neardup"

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self.model, self.request, self.using = model, request, router.db_for_read(model)
        super().__init__(request, params, model, model_admin)

    def options(self) -> list[FilterOption]:
        pending, in_cluster = (
            pending_condition(self.model, self.request, self.using),
            in_cluster_condition(self.model, self.request, self.using),
        )
        return [
            ("waiting", gettext_lazy("to review"), pending),
            ("grouped", gettext_lazy("in a group"), in_cluster),
            ("none", gettext_lazy("none"), ~Q(pending | in_cluster)),
        ]


class SimilarChangeList(ChangeList):
    """A change list that sets ``neardup_pending`` on each row: its pending decisions, or None.

    It takes a fixed number of queries a page.
    """

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: Any = self.result_list
        model_admin: Any = self.model_admin
        pending_by_row = load_pending_decisions(rows, request, model_admin.admin_site, self.queryset.db)
        for row in rows:
            row.neardup_pending = pending_by_row.get(row)


class NearDuplicatesMixin(ModelAdminBase):
    """A mixin for the ModelAdmin of a registered model.

    Use it as ``class AdAdmin(NearDuplicatesMixin, admin.ModelAdmin)``.

    Only people with ``neardup.review`` or ``neardup.merge_cluster`` see what it adds. The column is the last
    one unless ``list_display`` names it ("neardup_similar"). The filter is the last one unless
    ``list_filter`` contains ``NearDuplicatesFilter``.
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
        """Return whether this person may decide on near-duplicates and this admin site has the pages for it.

        Return False if the tables are not there: the site's own page must not need them.
        """
        has_permission = request.user.has_perm(REVIEW_PERMISSION) or request.user.has_perm(MERGE_PERMISSION)
        return (
            has_permission
            and bool(adapters_of(self.model))
            and self._has_review_queue(request)
            and has_current_tables(router.db_for_read(self.model))
        )

    def has_neardup_leave_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REVIEW_PERMISSION) and self.has_neardup_review_permission(request)

    def has_neardup_merge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(MERGE_PERMISSION) and self.has_neardup_review_permission(request)

    @admin.display(description=gettext_lazy("similar"))
    def neardup_similar(self, row: Any) -> SafeString | None:
        """Return the number of similar posts that wait for a decision, as a link to it.

        Return None if there are none.
        """
        pending = getattr(row, "neardup_pending", None)
        if pending is None:
            return None
        url, label = pending.decision_url(self.admin_site.name), similar_posts_text(pending.similar_count)
        return format_html('<a href="{}" aria-label="{}">{}</a>', url, label, pending.similar_count)

    @action(
        gettext_lazy("Similar: mark as not duplicates"),
        gettext_lazy("Similar: mark as not a duplicate"),
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
        """Redirect to the confirmation with the selected posts ticked. Change nothing here.

        Add a message and return None if nothing waits for a decision or too many posts are selected.
        """
        posts = queryset.filter(pending_condition(self.model, request, queryset.db))
        selected = select_items(posts[: MAX_OBJECTS + 1], request, queryset.db)
        if selected.object_count > MAX_OBJECTS:
            messages.error(request, too_many_message(selected.object_count))
        elif not selected.item_keys:
            messages.info(request, _("Nothing to review for the selected posts."))
        else:
            url = reverse(f"{self.admin_site.name}:neardup_queue_decide", args=[action_name])
            return HttpResponseRedirect(f"{url}?{selected.query_string}")
        return None

    def _add_for_reviewers(self, request: HttpRequest, names: Any, added_name: Any) -> list[Any]:
        """Return the names with the added one if this person may see it, otherwise without it."""
        if not self.has_neardup_review_permission(request):
            return [name for name in names if name != added_name]
        return [*names] if added_name in names else [*names, added_name]

    def _has_review_queue(self, request: HttpRequest) -> bool:
        """Return whether the review queue is on this admin site and uses the database that these posts are
        written to.
        """
        if not self.admin_site.is_registered(Queue):
            return False
        queue_admin = self.admin_site.get_model_admin(Queue)
        # The router is asked, not ``get_queryset()``: that of another admin class may ask for these permissions.
        return bool(queue_admin.get_queryset(request).db == router.db_for_write(self.model))

    def _add_similar_link(self, request: HttpRequest, response: TemplateResponse, instance: Any) -> None:
        """Add the link to the object tools of the page.

        The template of the link extends the template that the page would use, so a site's own template still
        works.
        """
        if not self.has_neardup_review_permission(request):
            return
        using = router.db_for_read(self.model)
        pending = load_pending_decisions([instance], request, self.admin_site, using).get(instance)
        if pending is not None:
            link = {
                "url": pending.decision_url(self.admin_site.name),
                "words": similar_posts_text(pending.similar_count),
            }
            page_template = response.resolve_template(response.template_name)
            response.context_data = {
                **(response.context_data or {}),
                "neardup_page": page_template,
                "neardup": link,
            }
            response.template_name = "neardup/admin/site_change_form.html"


def similar_posts_text(count: int) -> str:
    return ngettext("%(count)s similar post", "%(count)s similar posts", count) % {"count": count}

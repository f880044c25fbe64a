"""The admin of the review queue and its decision view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ...models import Document, OpenItem, Queue
from ...pipeline.open_items import refresh_open_items
from .. import review_context
from ..base import ReadOnlyAdmin, non_atomic_requests
from ..decision_actions import has_action_permission
from ..decision_groups import COPIES, FAMILY, SHORTLIST, VIEW_PERMISSIONS, load_offered_posts
from ..decision_request import (
    decide_url,
    is_contact_hash,
    list_url,
    parse_decision_request,
    parse_return_url,
)
from ..decision_view import DecisionView
from ..offered_view import OfferedPage
from ..outcomes import MODERATION_ACTIONS
from ..text_format import ACTION_KEYS
from ..visible_spaces import in_visible_spaces
from .bulk_actions import ACCEPT_SUGGESTIONS, AcceptSuggestionsView, BulkDecisionView
from .queue_columns import COLUMNS, Column
from .queue_filters import FILTERS, Filter
from .queue_page import QueuePage
from .recent_decisions import RecentDecisionsPage


@admin.register(Queue)
class QueueAdmin(ReadOnlyAdmin):
    """The list of what waits for a moderator, highest priority first.

    A site adds to ``columns`` and ``filters`` as to ``list_display`` and ``list_filter`` of Django.
    """

    columns: Sequence[Column] = COLUMNS
    filters: Sequence[Filter] = FILTERS

    class Media:
        css = {"all": ["neardup/queue.css"]}

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view

        def listed(page: Any) -> Any:
            return non_atomic_requests(view(require_safe(page)))

        return [
            path("", listed(self.changelist_view), name="neardup_queue_changelist"),
            path(
                "decide/<str:outcome>/",
                non_atomic_requests(view(self.decide_view)),
                name="neardup_queue_decide",
            ),
            path("author/<path:author>/", listed(self.author_view), name="neardup_queue_author"),
            path("contact/<str:contact>/", listed(self.contact_view), name="neardup_queue_contact"),
            path("copies/<int:document>/", listed(self.copies_view), name="neardup_queue_copies"),
            *(
                path(
                    f"{name}/<int:document>/",
                    view(require_safe(self.offered_view)),
                    {"kind": kind},
                    name=f"neardup_queue_{name}",
                )
                for name, kind in (("family", FAMILY), ("shortlist", SHORTLIST))
            ),
        ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return all(self._can_view_items(request, kind) for kind in VIEW_PERMISSIONS)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the queue. With ``tab=decided`` in the address, show the recent decisions."""
        self._check_view_permission(request)
        page = self._build_page(request)
        if request.GET.get("tab") == "decided":
            decided = RecentDecisionsPage(request, self.admin_site, page.using)
            return self._queue_response(request, page, _("Queue of similar texts"), decided)
        return self._queue_response(request, page, _("Queue of similar texts"))

    def author_view(self, request: HttpRequest, author: str) -> HttpResponse:
        """Show the open items with posts of one author.

        The title has the author's name if this person may see one of the posts, otherwise the author's key.
        """
        self._check_view_permission(request)
        # PostgreSQL refuses a NUL character in a text parameter.
        if "\0" in author:
            raise Http404
        page = self._build_page(request, f"author:{author}")
        posts = (post for row in page.rows for post in row.posts if post.document.author == author)
        names = {post.author for post in posts if post.author}
        title = _("Posts of the author %(author)s") % {"author": ", ".join(sorted(names)) or author}
        return self._queue_response(request, page, title)

    def contact_view(self, request: HttpRequest, contact: str) -> HttpResponse:
        """Show the open items with posts that state one contact. ``contact`` is its hash."""
        self._check_view_permission(request)
        if not is_contact_hash(contact):
            raise Http404
        page = self._build_page(request, f"contact:{contact}")
        return self._queue_response(request, page, _("Posts with one contact"))

    def copies_view(self, request: HttpRequest, document: int) -> HttpResponse:
        """Redirect to the list of an author's groups of exact copies, where many can be decided at once."""
        self._check_view_permission(request)
        items = OpenItem.objects.using(self.get_queryset(request).db).filter(kind=COPIES)
        items = in_visible_spaces(items, request)
        item = items.filter(number=document).first() if document < 2**63 else None
        if item is None:
            messages.warning(request, _("Nothing to review here: it was decided, or a post has changed."))
            return HttpResponseRedirect(list_url(self.admin_site.name, "queue"))
        query = urlencode({"copied_by": item.copied_by})
        return HttpResponseRedirect(list_url(self.admin_site.name, "cluster", query))

    def offered_view(self, request: HttpRequest, document: int, kind: str) -> HttpResponse:
        """Show the posts beside one: a family or a shortlist."""
        if not self._can_view_items(request, kind):
            raise PermissionDenied
        using = self.get_queryset(request).db
        documents = Document.objects.using(using).filter(pk=document if document < 2**63 else 0)
        visible_ids = [row.pk for row in in_visible_spaces(documents, request).only("pk")]
        found = load_offered_posts({kind: visible_ids}, using)
        if not found:
            messages.warning(request, _("Nothing to review here: it was decided, or a post has changed."))
            back_url = parse_return_url(request, self.admin_site.name)
            return HttpResponseRedirect(back_url or list_url(self.admin_site.name, "queue"))
        (offered,) = found.values()
        request.current_app = self.admin_site.name
        page = OfferedPage(offered, request, self.admin_site, using)
        context = {
            **self.site_context(request),
            "title": page.title,
            "opts": self.opts,
            "media": self.media,
            "list_url": list_url(self.admin_site.name, "queue"),
            **review_context.offered_context(page),
        }
        return TemplateResponse(request, "neardup/admin/offered.html", context)

    def _build_page(self, request: HttpRequest, list_name: str = "queue") -> QueuePage:
        using = self.get_queryset(request).db
        # So a decision of a moment ago has left the list, also while no worker runs.
        refresh_open_items(using, newest_first=True)
        return QueuePage(request, self.admin_site, using, list_name, self.filters, self.columns)

    def _queue_response(
        self,
        request: HttpRequest,
        page: QueuePage,
        title: str,
        recent_decisions: RecentDecisionsPage | None = None,
    ) -> HttpResponse:
        request.current_app = self.admin_site.name
        context = {
            **self.site_context(request),
            "title": title,
            "opts": self.opts,
            "media": self.media,
            "page": page,
            "decided": recent_decisions,
            "list": page.list_name,
            "list_url": list_url(self.admin_site.name, "queue"),
            "filters": page.page_queries["here"].removeprefix("?"),
            "outcomes": [
                (decide_url(self.admin_site.name, action.name), action, ACTION_KEYS[action.name])
                for action in MODERATION_ACTIONS.values()
                if has_action_permission(action, request)
            ],
            "accept_url": decide_url(self.admin_site.name, ACCEPT_SUGGESTIONS),
        }
        return TemplateResponse(request, "neardup/admin/queue.html", context)

    def _check_view_permission(self, request: HttpRequest) -> None:
        """Raise PermissionDenied if this person may not view the queue."""
        if not self.has_view_permission(request):
            raise PermissionDenied

    def decide_view(self, request: HttpRequest, outcome: str) -> HttpResponse:
        """Show the confirmation on GET, which changes nothing. Perform the action on POST."""
        if outcome not in MODERATION_ACTIONS and outcome != ACCEPT_SUGGESTIONS:
            raise Http404
        if outcome != ACCEPT_SUGGESTIONS and not has_action_permission(MODERATION_ACTIONS[outcome], request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        decision_request = parse_decision_request(request)
        if not all(
            self._can_view_items(request, prefix) for prefix in {key[0] for key in decision_request.item_keys}
        ):
            raise PermissionDenied
        if outcome == ACCEPT_SUGGESTIONS:
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return AcceptSuggestionsView(
                self, request, MODERATION_ACTIONS["leave"], decision_request
            ).get_response()
        is_immediate = request.method == "POST" and decision_request.is_from_list
        is_immediate = is_immediate and (outcome == "leave" or decision_request.options.keeper_id is None)
        return (BulkDecisionView if is_immediate else DecisionView)(
            self, request, MODERATION_ACTIONS[outcome], decision_request
        ).get_response()

    def _can_view_items(self, request: HttpRequest, kind: str) -> bool:
        """Return whether this person may view items of this kind."""
        return bool(request.user.has_perm(VIEW_PERMISSIONS[kind])) or self.has_review_permission(request)

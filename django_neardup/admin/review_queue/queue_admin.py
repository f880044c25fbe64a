"""The queue: all that waits for a person, and the way to a decision on it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from ...models import Queue
from ..base import ReadOnlyAdmin, non_atomic_requests
from ..decision_actions import has_action_permission
from ..decision_groups import MODELS_BY_PREFIX
from ..decision_request import decide_url, is_contact_hash, list_url, parse_decision_request
from ..decision_view import DecisionView
from ..outcomes import MODERATION_ACTIONS
from ..text_format import ACTION_KEYS
from .bulk_actions import ACCEPT_SUGGESTIONS, AcceptSuggestionsView, BulkDecisionView
from .queue_page import QueuePage
from .recent_decisions import RecentDecisionsPage


@admin.register(Queue)
class QueueAdmin(ReadOnlyAdmin):
    """Clusters and pairs in one list, what is worth deciding first before the rest."""

    class Media:
        css = {"all": ["neardup/queue.css"]}

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("", view(require_safe(self.changelist_view)), name="neardup_queue_changelist"),
            path(
                "decide/<str:outcome>/",
                non_atomic_requests(view(self.decide_view)),
                name="neardup_queue_decide",
            ),
            path("author/<path:author>/", view(require_safe(self.author_view)), name="neardup_queue_author"),
            path(
                "contact/<str:contact>/", view(require_safe(self.contact_view)), name="neardup_queue_contact"
            ),
        ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return all(self._can_view_items(request, letter) for letter in MODELS_BY_PREFIX)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """What waits, or, on its own tab, what was decided of late."""
        self._check_view_permission(request)
        using = self.get_queryset(request).db
        page = QueuePage(request, self.admin_site, using)
        if request.GET.get("tab") == "decided":
            decided = RecentDecisionsPage(request, self.admin_site, using)
            return self._queue_response(request, page, _("Queue of similar texts"), decided)
        return self._queue_response(request, page, _("Queue of similar texts"))

    def author_view(self, request: HttpRequest, author: str) -> HttpResponse:
        """What waits of one author's posts; the name for those who may see one of them."""
        self._check_view_permission(request)
        if "\0" in author:
            raise Http404
        page = self._build_narrowed_page(request, f"author:{author}")
        posts = (post for row in page.rows for post in row.posts if post.document.author == author)
        names = {post.author for post in posts if post.author}
        title = _("Posts of the author %(author)s") % {"author": ", ".join(sorted(names)) or author}
        return self._queue_response(request, page, title)

    def contact_view(self, request: HttpRequest, contact: str) -> HttpResponse:
        """What waits of the posts that name one contact, which its hash stands for."""
        self._check_view_permission(request)
        if not is_contact_hash(contact):
            raise Http404
        page = self._build_narrowed_page(request, f"contact:{contact}")
        return self._queue_response(request, page, _("Posts with one contact"))

    def _build_narrowed_page(self, request: HttpRequest, list_name: str) -> QueuePage:
        return QueuePage(request, self.admin_site, self.get_queryset(request).db, list_name)

    def _queue_response(
        self,
        request: HttpRequest,
        page: QueuePage,
        title: str,
        recent_decisions: RecentDecisionsPage | None = None,
    ) -> HttpResponse:
        request.current_app = self.admin_site.name
        context = {
            **self.admin_site.each_context(request),
            "is_nav_sidebar_enabled": False,
            "title": title,
            "opts": self.opts,
            "media": self.media,
            "page": page,
            "decided": recent_decisions,
            "list": page.list_name,
            "list_url": list_url(self.admin_site.name, "queue"),
            "filters": page.page_queries["here"].removeprefix("?"),
            "outcomes": [
                (decide_url(self.admin_site.name, each.name), each, ACTION_KEYS[each.name])
                for each in MODERATION_ACTIONS.values()
                if has_action_permission(each, request)
            ],
            "accept_url": decide_url(self.admin_site.name, ACCEPT_SUGGESTIONS),
        }
        return TemplateResponse(request, "neardup/admin/queue.html", context)

    def _check_view_permission(self, request: HttpRequest) -> None:
        """Whoever may not look."""
        if not self.has_view_permission(request):
            raise PermissionDenied

    def decide_view(self, request: HttpRequest, outcome: str) -> HttpResponse:
        """GET shows what would be done and changes nothing, POST does it."""
        if outcome not in MODERATION_ACTIONS and outcome != ACCEPT_SUGGESTIONS:
            raise Http404
        if outcome != ACCEPT_SUGGESTIONS and not has_action_permission(MODERATION_ACTIONS[outcome], request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        wanted = parse_decision_request(request)
        if not all(self._can_view_items(request, letter) for letter in {key[0] for key in wanted.item_keys}):
            raise PermissionDenied
        if outcome == ACCEPT_SUGGESTIONS:
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return AcceptSuggestionsView(self, request, MODERATION_ACTIONS["leave"], wanted).get_response()
        at_once = request.method == "POST" and wanted.is_from_list
        at_once = at_once and (outcome == "leave" or wanted.options.keeper_id is None)
        return (BulkDecisionView if at_once else DecisionView)(
            self, request, MODERATION_ACTIONS[outcome], wanted
        ).get_response()

    def _can_view_items(self, request: HttpRequest, key_prefix: str) -> bool:
        """Whether that person may look at groups of that kind."""
        name = f"neardup.view_{MODELS_BY_PREFIX[key_prefix]._meta.model_name}"
        return bool(request.user.has_perm(name)) or self.has_review_permission(request)

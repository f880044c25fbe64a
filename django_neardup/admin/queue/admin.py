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
from ..asked import asked, decide_url, is_hash, list_url
from ..base import ReadOnlyAdmin, non_atomic
from ..confirming import Deciding
from ..deciding import may_begin
from ..groups import KINDS
from ..outcomes import OUTCOMES
from ..words import LETTERS
from .at_once import ACCEPT, Accept, AtOnce
from .decided import DecidedPage
from .page import QueuePage


@admin.register(Queue)
class QueueAdmin(ReadOnlyAdmin):
    """Clusters and pairs in one list, what is worth deciding first before the rest."""

    class Media:
        css = {"all": ["neardup/queue.css"]}

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("", view(require_safe(self.changelist_view)), name="neardup_queue_changelist"),
            path("decide/<str:outcome>/", non_atomic(view(self.decide_view)), name="neardup_queue_decide"),
            path("author/<path:author>/", view(require_safe(self.author_view)), name="neardup_queue_author"),
            path(
                "contact/<str:contact>/", view(require_safe(self.contact_view)), name="neardup_queue_contact"
            ),
        ]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return all(self._may_see(request, letter) for letter in KINDS)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """What waits, or, on its own tab, what was decided of late."""
        self._refuse(request)
        using = self.get_queryset(request).db
        page = QueuePage(request, self.admin_site, using)
        if request.GET.get("tab") == "decided":
            decided = DecidedPage(request, self.admin_site, using)
            return self._answer(request, page, _("Queue of similar texts"), decided)
        return self._answer(request, page, _("Queue of similar texts"))

    def author_view(self, request: HttpRequest, author: str) -> HttpResponse:
        """What waits of one author's posts; the name for those who may see one of them."""
        self._refuse(request)
        if "\0" in author:
            raise Http404
        page = self._page_of_one(request, f"author:{author}")
        posts = (post for row in page.rows for post in row.posts if post.document.author == author)
        names = {post.author for post in posts if post.author}
        title = _("Posts of the author %(author)s") % {"author": ", ".join(sorted(names)) or author}
        return self._answer(request, page, title)

    def contact_view(self, request: HttpRequest, contact: str) -> HttpResponse:
        """What waits of the posts that name one contact, which its hash stands for."""
        self._refuse(request)
        if not is_hash(contact):
            raise Http404
        page = self._page_of_one(request, f"contact:{contact}")
        return self._answer(request, page, _("Posts with one contact"))

    def _page_of_one(self, request: HttpRequest, name: str) -> QueuePage:
        return QueuePage(request, self.admin_site, self.get_queryset(request).db, name)

    def _answer(
        self, request: HttpRequest, page: QueuePage, title: str, decided: DecidedPage | None = None
    ) -> HttpResponse:
        request.current_app = self.admin_site.name
        context = {
            **self.admin_site.each_context(request),
            "is_nav_sidebar_enabled": False,
            "title": title,
            "opts": self.opts,
            "media": self.media,
            "page": page,
            "decided": decided,
            "list": page.name,
            "list_url": list_url(self.admin_site.name, "queue"),
            "filters": page.queries["here"].removeprefix("?"),
            "outcomes": [
                (decide_url(self.admin_site.name, each.name), each, LETTERS[each.name])
                for each in OUTCOMES.values()
                if may_begin(each, request)
            ],
            "accept_url": decide_url(self.admin_site.name, ACCEPT),
        }
        return TemplateResponse(request, "neardup/admin/queue.html", context)

    def _refuse(self, request: HttpRequest) -> None:
        """Whoever may not look."""
        if not self.has_view_permission(request):
            raise PermissionDenied

    def decide_view(self, request: HttpRequest, outcome: str) -> HttpResponse:
        """GET shows what would be done and changes nothing, POST does it."""
        if outcome not in OUTCOMES and outcome != ACCEPT:
            raise Http404
        if outcome != ACCEPT and not may_begin(OUTCOMES[outcome], request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        wanted = asked(request)
        if not all(self._may_see(request, letter) for letter in {key[0] for key in wanted.keys}):
            raise PermissionDenied
        if outcome == ACCEPT:
            if request.method != "POST":
                return HttpResponseNotAllowed(["POST"])
            return Accept(self, request, OUTCOMES["leave"], wanted).answer()
        at_once = request.method == "POST" and wanted.from_list
        at_once = at_once and (outcome == "leave" or wanted.options.keeper is None)
        return (AtOnce if at_once else Deciding)(self, request, OUTCOMES[outcome], wanted).answer()

    def _may_see(self, request: HttpRequest, letter: str) -> bool:
        """Whether that person may look at groups of that kind."""
        name = f"neardup.view_{KINDS[letter]._meta.model_name}"
        return bool(request.user.has_perm(name)) or self.has_review_permission(request)

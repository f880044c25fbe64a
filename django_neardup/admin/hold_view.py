"""Held posts beside what they are like, and one request that publishes or refuses some of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from ..models import Document, Hold, Membership, Pair
from ..moderation import admin_log
from ..moderation.permissions import RequiredPermission, missing_permissions, permissions_on_objects
from ..pipeline import objects_of
from ..prepublication import refuse, release
from ..text.hashing import digest
from .decision_groups import MAX_OBJECTS, active_pairs_of
from .review_queue.open_items import open_pairs
from .visible_objects import DisplayedPost, load_displayed_posts

if TYPE_CHECKING:
    from .hold_admin import HoldAdmin

logger = logging.getLogger(__name__)


class SimilarPost(NamedTuple):
    """The other post, and the address of the page that compares the two; empty where there is none."""

    document: Document
    comparison_url: str


@dataclass(frozen=True)
class HoldAction:
    """What is done to held posts: ``perform`` says whether it was, ``log_message`` stands in the post's history."""

    name: str
    perform: Callable[[models.Model], bool]
    title: Promise
    note: Promise
    button: Promise
    log_message: Promise
    done_message: Any


HOLD_ACTIONS = {
    act.name: act
    for act in (
        HoldAction(
            "publish",
            release,
            gettext_lazy("Publish held posts"),
            gettext_lazy("They will be seen by everybody, and their authors are told."),
            gettext_lazy("Publish"),
            gettext_lazy("Published after it was held."),
            ngettext_lazy("Published: %(count)d post.", "Published: %(count)d posts.", "count"),
        ),
        HoldAction(
            "refuse",
            refuse,
            gettext_lazy("Refuse held posts"),
            gettext_lazy("They stay unpublished, and their authors are told."),
            gettext_lazy("Refuse"),
            gettext_lazy("Refused after it was held."),
            ngettext_lazy("Refused: %(count)d post.", "Refused: %(count)d posts.", "count"),
        ),
    )
}


def find_similar_posts(holds: Sequence[Hold], site: Any, using: str) -> dict[int, SimilarPost]:
    """What held posts are like, by document: the likest of those pairs that have the verdict they were held for, else
    of all. A fixed number of queries."""
    verdicts = {row.document_id: row.verdict for row in holds}
    pairs = active_pairs_of(list(verdicts), using).select_related("a", "b").defer("evidence")
    best: dict[int, tuple[tuple[bool, bool, float], Pair]] = {}
    for pair in pairs:
        for document in {pair.a_id, pair.b_id} & verdicts.keys():
            rank = (pair.verdict == verdicts[document], pair.exact, pair.score)
            if document not in best or best[document][0] < rank:
                best[document] = rank, pair
    found = {document: pair for document, (_rank, pair) in best.items()}
    pages = _comparison_urls(found.values(), site, using)
    return {
        document: SimilarPost(pair.b if pair.a_id == document else pair.a, pages.get(pair.pk, ""))
        for document, pair in found.items()
    }


def _comparison_urls(pairs: Any, site: Any, using: str) -> dict[int, str]:
    """Where those pairs are compared: on the page of the cluster that holds both, else on their own."""
    wanted = {pair.pk: pair for pair in pairs}
    sides = {side for pair in wanted.values() for side in (pair.a_id, pair.b_id)}
    places = {
        place.document_id: place
        for place in Membership.objects.using(using).filter(document__in=sides).select_related("cluster")
    }
    own = open_pairs(Pair.objects.using(using).filter(pk__in=list(wanted)))
    urls = {pk: _url(site, "pair", pk) for pk in own.values_list("pk", flat=True)}
    for pk, pair in wanted.items():
        a, b = places.get(pair.a_id), places.get(pair.b_id)
        if a is not None and b is not None and a.cluster_id == b.cluster_id:
            member = b if a.cluster.leader_id == pair.a_id else a
            urls[pk] = _url(site, "cluster", a.cluster_id, f"?member={member.document_id}")
    return urls


def _url(site: Any, model_name: str, pk: int, query: str = "") -> str:
    try:
        return reverse(f"{site.name}:neardup_{model_name}_change", args=[pk]) + query
    except NoReverseMatch:
        return ""


@dataclass
class HoldItem:
    """A held post as that person may decide on it: it can be where ``missing_permissions`` is empty and it is there
    still."""

    hold: Hold
    post: DisplayedPost
    similar_post: DisplayedPost | None
    comparison_url: str
    instance: models.Model | None
    missing_permissions: Sequence[RequiredPermission]

    @property
    def can_decide(self) -> bool:
        return self.instance is not None and not self.missing_permissions

    @property
    def state_digest(self) -> str:
        """What the page shows of it, as a digest."""
        parts = [self.hold.state, self.hold.digest, str(self.hold.document.wanted)]
        return digest(part.encode() for part in parts).hex()


class HoldActionView:
    """One request: the confirmation, which changes nothing, or the deed, post by post."""

    def __init__(self, hold_admin: HoldAdmin, request: HttpRequest, action: HoldAction) -> None:
        self.hold_admin, self.request, self.action, self.using = (
            hold_admin,
            request,
            action,
            hold_admin.get_queryset(request).db,
        )
        data = request.POST if request.method == "POST" else request.GET
        keys = [key for key in data.getlist("id") if key.isascii() and key.isdecimal() and len(key) < 19]
        rows = hold_admin.get_queryset(request).filter(pk__in=keys[:MAX_OBJECTS]).select_related("document")
        self.items = self._build_items(list(rows.order_by("created", "pk")))
        self.missing_count = len(set(map(int, keys[:MAX_OBJECTS]))) - len(self.items)
        if not keys:
            raise Http404

    def get_response(self) -> HttpResponse:
        """What would be done, or the deed."""
        if self.request.method != "POST":
            return self._confirmation_response()
        if any(item.missing_permissions for item in self.items):
            raise PermissionDenied
        self._perform_all(self.request.POST)
        return HttpResponseRedirect(self.hold_admin.list_url())

    def _build_items(self, holds: list[Hold]) -> list[HoldItem]:
        likes = find_similar_posts(holds, self.hold_admin.admin_site, self.using)
        documents = [row.document for row in holds]
        instances = objects_of(documents, self.using)
        near = [like.document for like in likes.values()]
        shown = load_displayed_posts(
            [*documents, *near], self.request, self.hold_admin.admin_site, self.using
        )
        lacking = missing_permissions(
            permissions_on_objects("change", instances.values()),
            self.request,
            self.hold_admin.admin_site,
            self.using,
        )
        found = []
        for row in holds:
            like, instance = likes.get(row.document_id), instances.get(row.document_id)
            other = shown[like.document.pk] if like is not None else None
            needs = [need for need in lacking if need.instance == instance]
            url = like.comparison_url if like is not None else ""
            found.append(HoldItem(row, shown[row.document_id], other, url, instance, needs))
        return found

    def _perform_all(self, form_data: Mapping[str, Any]) -> None:
        done, late = 0, self.missing_count
        for item in self.items:
            if item.instance is None or form_data.get(f"seen.{item.hold.pk}") != item.state_digest:
                late += 1
                continue
            try:
                if self._perform_one(item.instance):
                    done += 1
                else:
                    late += 1
            except Exception as error:
                logger.exception("neardup: the held post %s was not decided on", item.hold)
                words = _("Not done, %(name)s: %(error)s") % {"name": item.post.number, "error": error}
                messages.error(self.request, words)
        if done:
            messages.success(self.request, str(self.action.done_message % {"count": done}))
        if late:
            words = _(
                "Posts that were decided or edited since you saw them, and are left as they are: %(count)d"
            )
            messages.warning(self.request, words % {"count": late})

    def _perform_one(self, instance: models.Model) -> bool:
        with transaction.atomic(using=self.using):
            done = self.action.perform(instance)
            if done:
                admin_log.write_admin_log(
                    self.request.user, [instance], str(self.action.log_message), self.using
                )
        return done

    def _confirmation_response(self) -> HttpResponse:
        page = self.hold_admin
        self.request.current_app = page.admin_site.name
        context = {
            **page.admin_site.each_context(self.request),
            "is_nav_sidebar_enabled": False,
            "title": self.action.title,
            "opts": page.opts,
            "media": page.media,
            "list_url": page.list_url(),
            "act": self.action,
            "items": self.items,
            "can": bool(self.items) and not any(item.missing_permissions for item in self.items),
        }
        return TemplateResponse(self.request, "neardup/admin/holds.html", context)

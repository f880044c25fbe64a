"""The search for posts similar to held posts, and the view that publishes or refuses held posts."""

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

from ..exceptions import without_message
from ..models import Document, Hold, Membership, Pair
from ..moderation import admin_log
from ..moderation.permissions import RequiredPermission, missing_permissions, permissions_on_objects
from ..pipeline import objects_of
from ..pipeline.open_items.conditions import open_pairs
from ..prepublication import refuse, release
from ..reports.segments import replace_control_characters
from ..text.hashing import digest
from ..text.normalization.plain_text import plain_text
from .decision_groups import MAX_OBJECTS, active_pairs_of
from .pair_view import load_sources
from .visible_objects import DisplayedPost, load_displayed_posts

if TYPE_CHECKING:
    from .hold_admin import HoldAdmin

logger = logging.getLogger(__name__)

MAX_SHOWN_TEXT = 1500
"""Maximum number of characters of a text on a confirmation page."""


class SimilarPost(NamedTuple):
    """The other post, and the address of the page that compares the two.

    The address is empty if there is no page.
    """

    document: Document
    comparison_url: str


@dataclass(frozen=True)
class HoldAction:
    """An action on held posts.

    ``perform`` returns whether it was done. ``log_message`` appears in the post's history in the admin.
    """

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
            gettext_lazy("They become public, and their authors are notified."),
            gettext_lazy("Publish"),
            gettext_lazy("Published after it was held."),
            ngettext_lazy("Published: %(count)d post.", "Published: %(count)d posts.", "count"),
        ),
        HoldAction(
            "refuse",
            refuse,
            gettext_lazy("Refuse held posts"),
            gettext_lazy("They stay unpublished, and their authors are notified."),
            gettext_lazy("Refuse"),
            gettext_lazy("Refused after it was held."),
            ngettext_lazy("Refused: %(count)d post.", "Refused: %(count)d posts.", "count"),
        ),
    )
}


def find_similar_posts(holds: Sequence[Hold], site: Any, using: str) -> dict[int, SimilarPost]:
    """Return the most similar post of each held post, by document id, in a fixed number of queries.

    Prefer pairs with the verdict that the post was held for, then exact copies, then the higher score.
    """
    verdicts = {row.document_id: row.verdict for row in holds}
    pairs = active_pairs_of(list(verdicts), using).select_related("a", "b").defer("evidence")
    best: dict[int, tuple[tuple[bool, bool, float], Pair]] = {}
    for pair in pairs:
        for document in {pair.a_id, pair.b_id} & verdicts.keys():
            rank = (pair.verdict == verdicts[document], pair.exact, pair.score)
            if document not in best or best[document][0] < rank:
                best[document] = rank, pair
    best_pairs = {document: pair for document, (_rank, pair) in best.items()}
    pages = _comparison_urls(best_pairs.values(), site, using)
    return {
        document: SimilarPost(pair.b if pair.a_id == document else pair.a, pages.get(pair.pk, ""))
        for document, pair in best_pairs.items()
    }


def _comparison_urls(pairs: Any, site: Any, using: str) -> dict[int, str]:
    """Return the address of the comparison of each pair, by the pair's id.

    It is the page of the cluster if one cluster holds both posts, otherwise the page of the pair if the pair
    is open.
    """
    pairs_by_id = {pair.pk: pair for pair in pairs}
    sides = {side for pair in pairs_by_id.values() for side in (pair.a_id, pair.b_id)}
    memberships = {
        membership.document_id: membership
        for membership in Membership.objects.using(using).filter(document__in=sides).select_related("cluster")
    }
    open_own = open_pairs(Pair.objects.using(using).filter(pk__in=list(pairs_by_id)))
    urls = {pk: _url(site, "pair", pk) for pk in open_own.values_list("pk", flat=True)}
    for pk, pair in pairs_by_id.items():
        a, b = memberships.get(pair.a_id), memberships.get(pair.b_id)
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
    """A held post on the confirmation page.

    ``text``, ``similar_text``: the texts that this person may read, shortened.

    This person can decide on it if ``missing_permissions`` is empty and ``instance`` is not None (the post
    exists).
    """

    hold: Hold
    post: DisplayedPost
    similar_post: DisplayedPost | None
    comparison_url: str
    instance: models.Model | None
    missing_permissions: Sequence[RequiredPermission]
    text: str = ""
    similar_text: str = ""

    @property
    def can_decide(self) -> bool:
        return self.instance is not None and not self.missing_permissions

    @property
    def state_digest(self) -> str:
        """Return a hex digest of the state that the page shows."""
        parts = [self.hold.state, self.hold.digest, str(self.hold.document.wanted)]
        return digest(part.encode() for part in parts).hex()


def shortened(text: str, markup: str | None) -> str:
    """Return the beginning of a text as it is read: without tags, and without characters that turn others round."""
    read = replace_control_characters(plain_text(text[: 4 * MAX_SHOWN_TEXT], markup=markup).text).strip()
    return read if len(read) <= MAX_SHOWN_TEXT else f"{read[: MAX_SHOWN_TEXT - 1]}…"


class HoldActionView:
    """One request: the confirmation, which changes nothing, or the action, post by post."""

    def __init__(self, hold_admin: HoldAdmin, request: HttpRequest, action: HoldAction) -> None:
        self.hold_admin, self.request, self.action, self.using = (
            hold_admin,
            request,
            action,
            hold_admin.get_queryset(request).db,
        )
        data = request.POST if request.method == "POST" else request.GET
        # At most 18 digits, so that each key fits a 64-bit column.
        keys = [key for key in data.getlist("id") if key.isascii() and key.isdecimal() and len(key) < 19]
        rows = hold_admin.get_queryset(request).filter(pk__in=keys[:MAX_OBJECTS]).select_related("document")
        self.items = self._build_items(list(rows.order_by("created", "pk")))
        # A hold that is gone was decided by another person meanwhile: it is reported, not ignored.
        self.missing_count = len(set(map(int, keys[:MAX_OBJECTS]))) - len(self.items)
        if not keys:
            raise Http404

    def get_response(self) -> HttpResponse:
        """Return the confirmation on GET. Perform the action on POST and redirect to the list.

        Raise PermissionDenied on POST if a permission on any post is missing.
        """
        if self.request.method != "POST":
            return self._confirmation_response()
        if any(item.missing_permissions for item in self.items):
            raise PermissionDenied
        self._perform_all(self.request.POST)
        return HttpResponseRedirect(self.hold_admin.list_url())

    def _build_items(self, holds: list[Hold]) -> list[HoldItem]:
        similar_posts = find_similar_posts(holds, self.hold_admin.admin_site, self.using)
        documents = [hold.document for hold in holds]
        instances = objects_of(documents, self.using)
        similar_documents = [similar.document for similar in similar_posts.values()]
        displayed = load_displayed_posts(
            [*documents, *similar_documents], self.request, self.hold_admin.admin_site, self.using
        )
        all_missing = missing_permissions(
            permissions_on_objects("change", instances.values()),
            self.request,
            self.hold_admin.admin_site,
            self.using,
        )
        sources = load_sources(displayed.values(), self.using)
        markups = {post.document.pk: post.markup for post in displayed.values()}
        texts = {document: shortened(source.text, markups[document]) for document, source in sources.items()}
        items = []
        for hold in holds:
            similar, instance = similar_posts.get(hold.document_id), instances.get(hold.document_id)
            similar_displayed = displayed[similar.document.pk] if similar is not None else None
            missing = [permission for permission in all_missing if permission.instance == instance]
            url = similar.comparison_url if similar is not None else ""
            items.append(
                HoldItem(
                    hold,
                    displayed[hold.document_id],
                    similar_displayed,
                    url,
                    instance,
                    missing,
                    texts.get(hold.document_id, ""),
                    texts.get(similar.document.pk, "") if similar is not None else "",
                )
            )
        return items

    def _perform_all(self, form_data: Mapping[str, Any]) -> None:
        done_count, skipped_count = 0, self.missing_count
        for item in self.items:
            # If the post has changed since the page was shown, the person has not seen its new state.
            if item.instance is None or form_data.get(f"seen.{item.hold.pk}") != item.state_digest:
                skipped_count += 1
                continue
            try:
                if self._perform_one(item.instance):
                    done_count += 1
                else:
                    skipped_count += 1
            except Exception as error:
                logger.error(
                    "neardup: the decision on the held post %s failed",
                    item.hold,
                    exc_info=without_message(error),
                )
                words = _("Failed for %(name)s: %(error)s") % {"name": item.post.number, "error": error}
                messages.error(self.request, words)
        if done_count:
            messages.success(self.request, str(self.action.done_message % {"count": done_count}))
        if skipped_count:
            words = _("Posts decided or edited since you opened them, left unchanged: %(count)d")
            messages.warning(self.request, words % {"count": skipped_count})

    def _perform_one(self, instance: models.Model) -> bool:
        with transaction.atomic(using=self.using):
            done = self.action.perform(instance)
            if done:
                admin_log.write_admin_log(
                    self.request.user, [instance], str(self.action.log_message), self.using
                )
        return done

    def _confirmation_response(self) -> HttpResponse:
        hold_admin = self.hold_admin
        self.request.current_app = hold_admin.admin_site.name
        context = {
            **hold_admin.site_context(self.request),
            "title": self.action.title,
            "opts": hold_admin.opts,
            "media": hold_admin.media,
            "list_url": hold_admin.list_url(),
            "act": self.action,
            "items": self.items,
            "can": bool(self.items) and not any(item.missing_permissions for item in self.items),
        }
        return TemplateResponse(self.request, "neardup/admin/holds.html", context)

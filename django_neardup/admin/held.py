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

from ..merging import history
from ..merging.permissions import Need, missing, on_objects
from ..models import Document, Hold, Membership, Pair
from ..pipeline import objects_of
from ..publishing import refuse, release
from ..text.hashing import digest
from .groups import CAP, current_pairs
from .queue.waiting import offered
from .shown import Shown, show

if TYPE_CHECKING:
    from .holds import HoldAdmin

logger = logging.getLogger(__name__)


class Like(NamedTuple):
    """The other post, and the address of the page that compares the two; empty where there is none."""

    document: Document
    url: str


@dataclass(frozen=True)
class Act:
    """What is done to held posts: ``perform`` says whether it was, ``line`` stands in the post's history."""

    name: str
    perform: Callable[[models.Model], bool]
    title: Promise
    note: Promise
    button: Promise
    line: Promise
    done: Any


ACTS = {
    act.name: act
    for act in (
        Act(
            "publish",
            release,
            gettext_lazy("Publish held posts"),
            gettext_lazy("They will be seen by everybody, and their authors are told."),
            gettext_lazy("Publish"),
            gettext_lazy("Published after it was held."),
            ngettext_lazy("Published: %(count)d post.", "Published: %(count)d posts.", "count"),
        ),
        Act(
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


def liken(rows: Sequence[Hold], site: Any, using: str) -> dict[int, Like]:
    """What held posts are like, by document: the likest of those pairs that have the verdict they were held for, else
    of all. A fixed number of queries."""
    verdicts = {row.document_id: row.verdict for row in rows}
    pairs = current_pairs(list(verdicts), using).select_related("a", "b").defer("evidence")
    best: dict[int, tuple[tuple[bool, bool, float], Pair]] = {}
    for pair in pairs:
        for document in {pair.a_id, pair.b_id} & verdicts.keys():
            rank = (pair.verdict == verdicts[document], pair.exact, pair.score)
            if document not in best or best[document][0] < rank:
                best[document] = rank, pair
    found = {document: pair for document, (_rank, pair) in best.items()}
    pages = _pages(found.values(), site, using)
    return {
        document: Like(pair.b if pair.a_id == document else pair.a, pages.get(pair.pk, ""))
        for document, pair in found.items()
    }


def _pages(pairs: Any, site: Any, using: str) -> dict[int, str]:
    """Where those pairs are compared: on the page of the cluster that holds both, else on their own."""
    wanted = {pair.pk: pair for pair in pairs}
    sides = {side for pair in wanted.values() for side in (pair.a_id, pair.b_id)}
    places = {
        place.document_id: place
        for place in Membership.objects.using(using).filter(document__in=sides).select_related("cluster")
    }
    own = offered(Pair.objects.using(using).filter(pk__in=list(wanted)))
    urls = {pk: _url(site, "pair", pk) for pk in own.values_list("pk", flat=True)}
    for pk, pair in wanted.items():
        a, b = places.get(pair.a_id), places.get(pair.b_id)
        if a is not None and b is not None and a.cluster_id == b.cluster_id:
            member = b if a.cluster.representative_id == pair.a_id else a
            urls[pk] = _url(site, "cluster", a.cluster_id, f"?member={member.document_id}")
    return urls


def _url(site: Any, kind: str, pk: int, query: str = "") -> str:
    try:
        return reverse(f"{site.name}:neardup_{kind}_change", args=[pk]) + query
    except NoReverseMatch:
        return ""


@dataclass
class Item:
    """A held post as that person may decide on it: it can be where nothing is ``missing`` and it is there still."""

    row: Hold
    shown: Shown
    near: Shown | None
    url: str
    instance: models.Model | None
    missing: Sequence[Need]

    @property
    def possible(self) -> bool:
        return self.instance is not None and not self.missing

    @property
    def seen(self) -> str:
        """What the page shows of it, as a digest."""
        parts = [self.row.state, self.row.digest, str(self.row.document.wanted)]
        return digest(part.encode() for part in parts).hex()


class Answering:
    """One request: the confirmation, which changes nothing, or the deed, post by post."""

    def __init__(self, page: HoldAdmin, request: HttpRequest, act: Act) -> None:
        self.page, self.request, self.act, self.using = page, request, act, page.get_queryset(request).db
        data = request.POST if request.method == "POST" else request.GET
        keys = [key for key in data.getlist("id") if key.isascii() and key.isdecimal() and len(key) < 19]
        rows = page.get_queryset(request).filter(pk__in=keys[:CAP]).select_related("document")
        self.items = self._items(list(rows.order_by("created", "pk")))
        self.gone = len(set(map(int, keys[:CAP]))) - len(self.items)
        if not keys:
            raise Http404

    def answer(self) -> HttpResponse:
        """What would be done, or the deed."""
        if self.request.method != "POST":
            return self._confirmation()
        if any(item.missing for item in self.items):
            raise PermissionDenied
        self._perform(self.request.POST)
        return HttpResponseRedirect(self.page.list_url())

    def _items(self, rows: list[Hold]) -> list[Item]:
        likes = liken(rows, self.page.admin_site, self.using)
        documents = [row.document for row in rows]
        instances = objects_of(documents, self.using)
        near = [like.document for like in likes.values()]
        shown = show([*documents, *near], self.request, self.page.admin_site, self.using)
        lacking = missing(
            on_objects("change", instances.values()), self.request, self.page.admin_site, self.using
        )
        found = []
        for row in rows:
            like, instance = likes.get(row.document_id), instances.get(row.document_id)
            other = shown[like.document.pk] if like is not None else None
            needs = [need for need in lacking if need.instance == instance]
            url = like.url if like is not None else ""
            found.append(Item(row, shown[row.document_id], other, url, instance, needs))
        return found

    def _perform(self, given: Mapping[str, Any]) -> None:
        done, late = 0, self.gone
        for item in self.items:
            if item.instance is None or given.get(f"seen.{item.row.pk}") != item.seen:
                late += 1
                continue
            try:
                if self._one(item.instance):
                    done += 1
                else:
                    late += 1
            except Exception as error:
                logger.exception("neardup: the held post %s was not decided on", item.row)
                words = _("Not done, %(name)s: %(error)s") % {"name": item.shown.name, "error": error}
                messages.error(self.request, words)
        if done:
            messages.success(self.request, str(self.act.done % {"count": done}))
        if late:
            words = _(
                "Posts that were decided or edited since you saw them, and are left as they are: %(count)d"
            )
            messages.warning(self.request, words % {"count": late})

    def _one(self, instance: models.Model) -> bool:
        with transaction.atomic(using=self.using):
            done = self.act.perform(instance)
            if done:
                history.log(self.request.user, [instance], str(self.act.line), self.using)
        return done

    def _confirmation(self) -> HttpResponse:
        page = self.page
        self.request.current_app = page.admin_site.name
        context = {
            **page.admin_site.each_context(self.request),
            "is_nav_sidebar_enabled": False,
            "title": self.act.title,
            "opts": page.opts,
            "media": page.media,
            "list_url": page.list_url(),
            "act": self.act,
            "items": self.items,
            "can": bool(self.items) and not any(item.missing for item in self.items),
        }
        return TemplateResponse(self.request, "neardup/admin/holds.html", context)

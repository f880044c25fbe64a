"""What is told to the public of posts that are alike: no score, no verdict, nothing hidden."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ..hints import Hint
from ..models import Verdict
from ..similar import Entry, Similar

if TYPE_CHECKING:
    from ..finding import Match


class Like(NamedTuple):
    """A post that is like a text, for a template. ``same``: it has that very text; ``close``: but for a few words of no
    weight; ``other_item``: it is about another item; ``hints``: what differs."""

    title: str
    url: str
    own: bool
    same: bool
    close: bool
    other_item: bool
    hints: list[Hint]


def like(match: Match, known: bool) -> Like:
    """What an author is told of a match. ``known``: it is known who asks; to nobody a post is his own."""
    verdict = Verdict(match.verdict)
    return Like(
        title=match.title,
        url=match.url,
        own=match.own and known,
        same=match.exact and not match.hints,
        close=verdict is Verdict.DUPLICATE and not match.hints,
        other_item=verdict is Verdict.VARIANT,
        hints=match.hints,
    )


def found(likes: list[Like]) -> dict[str, Any]:
    """The likes of a text, as JSON."""
    return {"count": len(likes), "similar": [_like(each) for each in likes], "message": message(len(likes))}


def message(count: int) -> str:
    """How many there are, in words."""
    if not count:
        return _("Nothing like it is here yet.")
    return _("Similar posts already here: %(count)d") % {"count": count}


def beside(similar: Similar, path: str) -> dict[str, Any]:
    """The page of the posts beside a post, as JSON; ``path``: its address."""
    page = similar.page
    return {
        "count": similar.count,
        "first": _entry(similar.first),
        "entries": [_entry(each) for each in similar.entries],
        "variants": [_entry(each) for each in similar.variants],
        "related": [_entry(each) for each in similar.related],
        "page": page.number,
        "pages": page.paginator.num_pages,
        "previous": f"{path}?page={page.previous_page_number()}" if page.has_previous() else None,
        "next": f"{path}?page={page.next_page_number()}" if page.has_next() else None,
    }


def refusal(request: HttpRequest, status: int, words: str) -> HttpResponse:
    """The reason, as the client reads it."""
    if wants_html(request):
        return HttpResponse(format_html('<p class="neardup-quiet">{}</p>', words), status=status)
    return JsonResponse({"error": words}, status=status)


def wants_html(request: HttpRequest) -> bool:
    """Whether the client would rather have HTML than JSON."""
    return request.get_preferred_type(["application/json", "text/html"]) == "text/html"


def _like(post: Like) -> dict[str, Any]:
    return {
        "title": post.title,
        "url": post.url,
        "own": post.own,
        "same": post.same,
        "other_item": post.other_item,
        "differs": _differs(post.hints),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "url": entry.url,
        "excerpt": entry.excerpt,
        "same": entry.same,
        "compared": entry.compared,
        "other_item": entry.other_item,
        "differs": _differs(entry.hints),
    }


def _differs(hints: Iterable[Hint]) -> list[dict[str, str]]:
    return [{"what": str(hint.label), "before": hint.before, "after": hint.after} for hint in hints]

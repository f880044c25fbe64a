"""Public responses about similar posts. They contain no score, no verdict and no hidden post."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from ..models import Verdict
from ..prepublication.text_facts import FACT_TEXTS, TEXT_FACTS, first_fact
from ..search.difference_labels import DifferenceLabel
from ..similar_posts import SimilarEntry, SimilarPosts

if TYPE_CHECKING:
    from ..search import Match


class PublicMatch(NamedTuple):
    """A post that is similar to a text, for a template.

    - ``is_own``: the post belongs to the author of the request.
    - ``is_same_text``: the texts are equal.
    - ``is_close``: the texts are equal except for a few insignificant words.
    - ``is_other_item``: the post is surely about another item.
    - ``hints``: the differences.
    """

    title: str
    url: str
    is_own: bool
    is_same_text: bool
    is_close: bool
    is_other_item: bool
    hints: list[DifferenceLabel]


def build_public_match(match: Match, is_author_known: bool) -> PublicMatch:
    """Return the public part of a match.

    If ``is_author_known`` is false, no post counts as the visitor's own.
    """
    verdict = Verdict(match.verdict)
    return PublicMatch(
        title=match.title,
        url=match.url,
        is_own=match.own and is_author_known,
        is_same_text=match.exact and not match.hints,
        is_close=verdict is Verdict.DUPLICATE and not match.hints,
        is_other_item=verdict is Verdict.VARIANT and not match.doubtful,
        hints=match.hints,
    )


def matches_json(matches: list[PublicMatch], facts: Collection[str] = ()) -> dict[str, Any]:
    """Return the matches of a text as JSON data. ``facts``: the facts about the text (see ``text_facts``)."""
    return {
        "count": len(matches),
        **{fact: fact in facts for fact in TEXT_FACTS},
        "similar": [_match_json(match) for match in matches],
        "message": check_message(len(matches), facts),
    }


def count_message(count: int) -> str:
    """Return the number of matches as a sentence."""
    if not count:
        return _("No similar posts yet.")
    return _("Similar posts on the site: %(count)d") % {"count": count}


def check_message(count: int, facts: Collection[str]) -> str:
    """Return the result of a check as a sentence. Without any match, a fact about the text says why."""
    fact = first_fact(facts)
    return str(FACT_TEXTS[fact]) if fact and not count else count_message(count)


def similar_posts_json(similar_posts: SimilarPosts, path: str) -> dict[str, Any]:
    """Return the page of posts similar to a post as JSON data. ``path`` is the address of that page."""
    page = similar_posts.page
    return {
        "count": similar_posts.count,
        "first": _entry_json(similar_posts.own_entry),
        "entries": [_entry_json(entry) for entry in similar_posts.entries],
        "variants": [_entry_json(entry) for entry in similar_posts.variants],
        "related": [_entry_json(entry) for entry in similar_posts.related],
        "page": page.number,
        "pages": page.paginator.num_pages,
        "previous": f"{path}?page={page.previous_page_number()}" if page.has_previous() else None,
        "next": f"{path}?page={page.next_page_number()}" if page.has_next() else None,
    }


def error_response(request: HttpRequest, status: int, message: str) -> HttpResponse:
    """Return an error message in the format that the client accepts."""
    if wants_html(request):
        return HttpResponse(format_html('<p class="neardup-quiet">{}</p>', message), status=status)
    return JsonResponse({"error": message}, status=status)


def wants_html(request: HttpRequest) -> bool:
    """Return whether the client prefers HTML to JSON."""
    return request.get_preferred_type(["application/json", "text/html"]) == "text/html"


def _match_json(match: PublicMatch) -> dict[str, Any]:
    return {
        "title": match.title,
        "url": match.url,
        "own": match.is_own,
        "same": match.is_same_text,
        "other_item": match.is_other_item,
        "differs": _hints_json(match.hints),
    }


def _entry_json(entry: SimilarEntry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "url": entry.url,
        "excerpt": entry.excerpt,
        "same": entry.is_same_text,
        "compared": entry.is_compared,
        "other_item": entry.is_other_item,
        "differs": _hints_json(entry.hints),
    }


def _hints_json(hints: Iterable[DifferenceLabel]) -> list[dict[str, str]]:
    return [{"what": str(hint.label), "before": hint.before, "after": hint.after} for hint in hints]

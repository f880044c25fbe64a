"""Plain Django views for programs, and for the script that checks a text while an author types."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from ..prepublication.text_facts import FACT_TEXTS, TEXT_FACTS, facts_of
from ..search import find_for_request
from ..similar_posts import SimilarPosts, find_adapter, find_visible_object, visible_querysets
from ..similar_posts.template_names import template_names
from .drafts import build_draft
from .requests import UnreadableBody, read_values
from .responses import (
    build_public_match,
    check_message,
    error_response,
    matches_json,
    similar_posts_json,
    wants_html,
)
from .throttling import View, throttled

MAX_LETTERS = 20_000
"""Longest text, all fields together, that is checked while its author types. A form checks longer ones, too."""
TYPING_UNITS = 260_000
"""Work of a check while its author types (see ``comparison.work_limit``): less than 0.3 seconds."""
MAX_MATCHES = 5
"""Largest number of listed posts."""
DELETED_ALLOWANCE = 1
"""Extra matches to request.

At most one match is a deleted post of the author. It is not listed and must not displace another match.
"""


def _no_store(view: View) -> View:
    """Forbid caches and search engines to store the response."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["X-Robots-Tag"] = "noindex"
        response.headers["X-Content-Type-Options"] = "nosniff"
        patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ["Accept"])
        return response

    return wrapped


def _pass_values(view: View) -> View:
    """Parse the body and pass the values to the view."""

    @wraps(view)
    def wrapped(request: HttpRequest, label: str) -> HttpResponse:
        try:
            # Read before the CSRF check. Otherwise that check reads the body, and Django's own pages answer
            # an unreadable one.
            values = read_values(request)
        except UnreadableBody as error:
            return error_response(request, error.status, str(error))
        return view(request, label, values)

    return wrapped


def _check(request: HttpRequest, label: str, values: dict[str, Any]) -> HttpResponse:
    adapter = find_adapter(label)
    if adapter is None:
        return _not_found(request)
    if sum(len(value) for value in values.values() if isinstance(value, str)) > MAX_LETTERS:
        return error_response(
            request, 413, _("The text is too long to search for similar posts while you type.")
        )
    author = adapter.request_author(request)
    matches = find_for_request(
        build_draft(adapter, request, values),
        units=TYPING_UNITS,
        visible=visible_querysets(request, adapter.model),
        author=author,
        limit=MAX_MATCHES + DELETED_ALLOWANCE,
    )
    existing = [match for match in matches if match.object is not None][:MAX_MATCHES]
    facts = facts_of(matches)
    public_matches = [build_public_match(match, is_author_known=author is not None) for match in existing]
    if not wants_html(request):
        return JsonResponse(matches_json(public_matches, facts))
    context = {
        "similar": public_matches,
        "count": len(public_matches),
        "message": check_message(len(public_matches), facts),
        "facts": [FACT_TEXTS[fact] for fact in TEXT_FACTS if fact in facts],
    }
    return render(request, template_names(adapter.model, "typing.html"), context)


# A request is counted before its body is read: to read it is work, too.
_counted = throttled("check")

# ``csrf_exempt`` turns off the middleware. ``csrf_protect`` checks the token inside, after the body is
# read.
check: View = csrf_exempt(_no_store(require_POST(_counted(_pass_values(csrf_protect(_check))))))
"""Check a text while its author types.

It takes a POST of the adapter's own fields, as a form or as JSON. ``pk`` names the post that is edited, if
any. The CSRF token is checked after the body is read.
"""

open_check: View = csrf_exempt(_no_store(require_POST(_counted(_pass_values(_check)))))
"""``check`` without a CSRF token, for programs. Wrap it with your own authentication."""


@_no_store
@require_safe
@throttled("similar")
def similar(request: HttpRequest, label: str, object_id: str) -> HttpResponse:
    """Return the page of posts similar to a post as JSON. ``?page=2`` is its second page."""
    instance = find_visible_object(request, label, object_id)
    if instance is None:
        return _not_found(request)
    similar_posts = SimilarPosts(
        instance, visible_querysets(request, type(instance)), request.GET.get("page", "1")
    )
    return JsonResponse(similar_posts_json(similar_posts, escape_uri_path(request.path)))


def _not_found(request: HttpRequest) -> HttpResponse:
    return error_response(request, 404, _("Page not found."))

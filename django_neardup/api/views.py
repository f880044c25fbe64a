"""Plain Django views that answer programs, and the script that asks while somebody types."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.encoding import escape_uri_path
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

import django_neardup as neardup

from ..similar import Similar, adapter_labelled, find, visible_to
from ..templating import template_names
from ..throttling import seconds_to_wait
from .answers import beside, found, like, message, refusal, wants_html
from .bodies import Unreadable, values_of
from .drafts import draft

View: TypeAlias = Callable[..., HttpResponse]
LIMIT = 5
"""How many posts are listed."""
DELETED = 1
"""Of an author's own deleted posts one is found at most. It is not told of, and takes nobody's place."""


def _unseen(view: View) -> View:
    """Nobody but the visitor keeps the answer, and no search engine."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["X-Robots-Tag"] = "noindex"
        response.headers["X-Content-Type-Options"] = "nosniff"
        patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ["Accept"])
        return response

    return wrapped


def _throttled(name: str) -> Callable[[View], View]:
    """A visitor who asks too often is told when to ask again."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            seconds = seconds_to_wait(request, name)
            if not seconds:
                return view(request, *args, **kwargs)
            response = refusal(request, 429, _("Too many requests: try again later."))
            response.headers["Retry-After"] = str(seconds)
            return response

        return wrapped

    return decorate


def _with_values(view: View) -> View:
    """Give the view what was sent. It is read before the CSRF token, which would leave the answer to Django's pages."""

    @wraps(view)
    def wrapped(request: HttpRequest, label: str) -> HttpResponse:
        try:
            values = values_of(request)
        except Unreadable as error:
            return refusal(request, error.status, str(error))
        return view(request, label, values)

    return wrapped


def _check(request: HttpRequest, label: str, values: dict[str, Any]) -> HttpResponse:
    adapter = adapter_labelled(label)
    if adapter is None:
        return _absent(request)
    author = adapter.request_author(request)
    matches = neardup.find_similar(
        draft(adapter, request, values),
        visible=visible_to(request, adapter.model),
        author=author,
        limit=LIMIT + DELETED,
    )
    there = [match for match in matches if match.object is not None][:LIMIT]
    likes = [like(match, known=author is not None) for match in there]
    if not wants_html(request):
        return JsonResponse(found(likes))
    context = {"similar": likes, "count": len(likes), "message": message(len(likes))}
    return render(request, template_names(adapter.model, "typing.html"), context)


_counted = _throttled("check")(_check)

check: View = csrf_exempt(_unseen(require_POST(_with_values(csrf_protect(_counted)))))
"""What a text is like that somebody is writing: POST of the adapter's own fields, as a form or as JSON, and ``pk`` of
the post that is edited. The CSRF token is asked for, once the body has been read."""

open_check: View = csrf_exempt(_unseen(require_POST(_with_values(_counted))))
"""``check`` without a CSRF token, for programs: wrap it with an authentication of your own."""


@_unseen
@require_safe
@_throttled("similar")
def similar(request: HttpRequest, label: str, object_id: str) -> HttpResponse:
    """The page of the posts that say the same as that one, as JSON; ``?page=2`` is its second."""
    instance = find(request, label, object_id)
    if instance is None:
        return _absent(request)
    listed = Similar(instance, visible_to(request, type(instance)), request.GET.get("page", "1"))
    return JsonResponse(beside(listed, escape_uri_path(request.path)))


def _absent(request: HttpRequest) -> HttpResponse:
    return refusal(request, 404, _("There is no such page."))

"""Middleware for old addresses.

It redirects to the keeper of a merged post, or answers 410 for a deleted post.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.encoding import iri_to_uri

from .adapters import adapters_of
from .exceptions import without_message
from .models import MovedUrl
from .moderation import addresses
from .moderation.url_paths import is_safe_redirect, path_of, requested_path, with_query
from .pipeline import document_databases
from .pipeline.availability import has_current_tables
from .querysets import get_or_none

logger = logging.getLogger(__name__)

MAX_URL_LENGTH = 16_000
"""Characters of an address. Django refuses to redirect to addresses that are much longer."""


class MovedUrlMiddleware:
    """Looks up the address of a GET or HEAD request that got a 404 or 410.

    A merged post redirects to the current address of the keeper, if this visitor may see the keeper.
    Otherwise the 404 stays, as for an address that never existed.

    ``max_age`` is the number of seconds that a browser may cache the answer. An undo takes effect after that
    time.
    """

    sync_capable = True
    async_capable = True

    response_redirect_class: ClassVar[type[HttpResponsePermanentRedirect]] = HttpResponsePermanentRedirect
    gone_template: ClassVar[str] = "neardup/gone.html"
    max_age: ClassVar[int] = 600

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.databases: list[str] = []
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._call_async(request)
        response: HttpResponseBase = self.get_response(request)
        return self.replace_response(request, response) if _is_not_found(request, response) else response

    async def _call_async(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)
        if _is_not_found(request, response):
            return await sync_to_async(self.replace_response)(request, response)
        return response

    def replace_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the response to a request that found no page.

        It is a redirect, a "gone" page, or the given response. Database errors are logged and leave the given
        response.
        """
        try:
            return self._find_response(request, response)
        except DatabaseError as error:
            logger.error("neardup: old addresses cannot be looked up.", exc_info=without_message(error))
            return response

    def _find_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        path, is_gone = requested_path(request), False
        # Not in __init__: at that moment the tables may not exist yet.
        self.databases = self.databases or document_databases()
        for alias in filter(has_current_tables, self.databases):
            entry = addresses.find_entry(path, alias)
            # Another database may have a redirect, which is better than a 410, so the search goes on.
            is_gone |= entry is not None and entry.content_type_id is None
            if entry is not None and (url := _redirect_url(entry, request, path, alias)):
                return self._set_cache_headers(self.response_redirect_class(url))
        if is_gone and response.status_code != 410:
            return self._set_cache_headers(render(request, self.gone_template, status=410))
        return response

    def _set_cache_headers(self, response: Any) -> HttpResponseBase:
        # The answer depends on what this visitor may see, so shared caches must not store it.
        patch_cache_control(response, private=True, max_age=self.max_age)
        cacheable: HttpResponseBase = response
        return cacheable


def _is_not_found(request: HttpRequest, response: HttpResponseBase) -> bool:
    return response.status_code in (404, 410) and request.method in ("GET", "HEAD")


def _redirect_url(entry: MovedUrl, request: HttpRequest, path: str, using: str) -> str:
    """Return the address to which the entry redirects this visitor.

    Return an empty string if there is no target, or if it is the requested path or outside the site.
    """
    target = _target_object(entry, request, using)
    url = addresses.current_url(target) if target is not None else ""
    if not url or not is_safe_redirect(url, request) or path_of(url, request) == path:
        return ""
    # A query that makes the address too long is dropped.
    full_url = with_query(url, iri_to_uri(request.META.get("QUERY_STRING", "")))
    return next((candidate for candidate in (full_url, url) if len(candidate) <= MAX_URL_LENGTH), "")


def _target_object(entry: MovedUrl, request: HttpRequest, using: str) -> models.Model | None:
    """Return the object of the entry. Return None if it is gone or if this visitor may not see it."""
    if entry.content_type_id is None:
        return None
    model = ContentType.objects.db_manager(using).get_for_id(entry.content_type_id).model_class()
    for adapter in adapters_of(model)[:1] if model is not None else ():
        try:
            primary_key = adapter.model._meta.pk.to_python(entry.object_id)
        except ValidationError:
            return None
        target: models.Model | None = get_or_none(adapter.visible(request), primary_key, using)
        return target
    return None

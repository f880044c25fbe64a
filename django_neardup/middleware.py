"""Old addresses answer: what was merged leads to the post that was kept, what was deleted says that it is gone."""

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
from .merging import addresses
from .merging.paths import is_safe, path_asked, path_of, with_query
from .models import MovedUrl
from .narrowing import object_in
from .pipeline import document_databases

logger = logging.getLogger(__name__)

LONGEST = 16_000
"""Letters of an address: Django refuses to redirect to much longer ones."""


class MovedUrlMiddleware:
    """Asks, after a 404 or 410 to GET or HEAD alone, whether a post has been at that address.

    A merged one redirects to the keeper's address of today, if this visitor may see the keeper: else the 404 stays, as
    for what has never been. ``max_age``: seconds that a browser may keep the answer; an undo counts after that.
    """

    sync_capable = True
    async_capable = True

    moved: ClassVar[type[HttpResponsePermanentRedirect]] = HttpResponsePermanentRedirect
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
            return self._awaited(request)
        response: HttpResponseBase = self.get_response(request)
        return self.instead(request, response) if _is_missing(request, response) else response

    async def _awaited(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)
        if _is_missing(request, response):
            return await sync_to_async(self.instead)(request, response)
        return response

    def instead(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """What is answered to a request that found nothing: another response, or the one that there is."""
        try:
            return self._found(request, response)
        except DatabaseError:
            logger.exception("Old addresses cannot be looked up.")
            return response

    def _found(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        path, is_gone = path_asked(request), False
        self.databases = self.databases or document_databases()
        for alias in self.databases:
            entry = addresses.entry_at(path, alias)
            is_gone |= entry is not None and entry.content_type_id is None
            if entry is not None and (url := _url(entry, request, path, alias)):
                return self._kept_briefly(self.moved(url))
        if is_gone and response.status_code != 410:
            return self._kept_briefly(render(request, self.gone_template, status=410))
        return response

    def _kept_briefly(self, response: Any) -> HttpResponseBase:
        """Whether a visitor may see the target is for that visitor alone: no shared cache keeps the answer."""
        patch_cache_control(response, private=True, max_age=self.max_age)
        found: HttpResponseBase = response
        return found


def _is_missing(request: HttpRequest, response: HttpResponseBase) -> bool:
    return response.status_code in (404, 410) and request.method in ("GET", "HEAD")


def _url(entry: MovedUrl, request: HttpRequest, path: str, using: str) -> str:
    """The address that the entry leads this visitor to; empty where it leads nowhere, back here, or off the site."""
    target = _target(entry, request, using)
    url = addresses.url_of(target) if target is not None else ""
    if not url or not is_safe(url, request) or path_of(url, request) == path:
        return ""
    long = with_query(url, iri_to_uri(request.META.get("QUERY_STRING", "")))
    return next((each for each in (long, url) if len(each) <= LONGEST), "")


def _target(entry: MovedUrl, request: HttpRequest, using: str) -> models.Model | None:
    """The object, as far as it exists and this visitor may see it."""
    if entry.content_type_id is None:
        return None
    model = ContentType.objects.db_manager(using).get_for_id(entry.content_type_id).model_class()
    for adapter in adapters_of(model)[:1] if model is not None else ():
        try:
            key = adapter.model._meta.pk.to_python(entry.object_id)
        except ValidationError:
            return None
        found: models.Model | None = object_in(adapter.visible(request), key, using)
        return found
    return None

"""Throttling of a visitor's checks. Requests are counted in Django's cache, in fixed windows of time."""

from __future__ import annotations

import ipaddress
import logging
import math
import re
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, NamedTuple, TypeAlias

from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from ..conf import get_site_settings
from .crawlers import claims_to_be_crawler, is_verified_crawler
from .responses import error_response

View: TypeAlias = Callable[..., HttpResponse]

logger = logging.getLogger(__name__)

RATE_PATTERN = re.compile(r"([1-9][0-9]{0,8})/([smhd])")
SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
IPV6_PREFIX_LENGTH = 48
"""Bits of an IPv6 address that identify one customer of a provider, who chooses the other bits."""

CRAWLER_SECONDS = 86_400
"""So long it is remembered whether an address is a crawler's."""

_logged_topics: set[str] = set()
"""Topics that are already logged. Each is logged once."""


class Rate(NamedTuple):
    """A maximum number of requests within a number of seconds."""

    requests: int
    seconds: int


def parse_rate(rate: str) -> Rate:
    """Parse a rate like ``30/m``. Raise ``ValueError`` if the text is not a rate."""
    match = RATE_PATTERN.fullmatch(rate)
    if match is None:
        raise ValueError(f"{rate!r} is no rate")
    return Rate(int(match[1]), SECONDS_PER_UNIT[match[2]])


class Throttle:
    """Counts the requests of each visitor.

    A site may set ``THROTTLE`` to a subclass.

    - ``rate``: "30/m", a number of requests for each second (s), minute (m), hour (h) or day (d).
    - ``cache``: the alias of the cache for the counts. If processes do not share that cache, each counts
      separately.
    """

    rate: ClassVar[str] = "30/m"
    cache: ClassVar[str] = "default"

    def __init__(self, rate: str = "") -> None:
        self._rate = parse_rate(rate or self.rate)

    def visitor(self, request: HttpRequest) -> str:
        """Return the identity of the visitor: the signed-in user, otherwise the address.

        Return "" if the visitor is not counted.
        """
        user = getattr(request, "user", None)
        if user is not None and user.is_authenticated:
            return f"user {user.pk}"
        address = self.address(request)
        if not address:
            _log_once(
                "address", "Visitors without an address are not counted: see THROTTLE in the documentation."
            )
            return ""
        return f"address {_address_group(address)}"

    def address(self, request: HttpRequest) -> str:
        """Return the visitor's address, REMOTE_ADDR.

        Behind a proxy this is the address of the proxy; override it there.
        """
        return str(request.META.get("REMOTE_ADDR") or "")

    def is_crawler(self, request: HttpRequest) -> bool:
        """Return whether a crawler of a search engine sends the request, verified by the name of its address.

        It is asked only for pages that crawlers may read, and only above the rate.
        """
        agent, address = request.headers.get("User-Agent", ""), self.address(request)
        if not address or not claims_to_be_crawler(agent):
            return False
        key = f"neardup:crawler:{salted_hmac('neardup.crawler', f'{agent} {address}').hexdigest()}"
        try:
            known = caches[self.cache].get(key)
            if known is None:
                known = is_verified_crawler(agent, address)
                caches[self.cache].set(key, known, CRAWLER_SECONDS)
            return bool(known)
        # As in ``_count_request``.
        except Exception as error:
            _log_once("cache", "Requests are not counted: the cache fails (%s).", type(error).__name__)
            return False

    def wait(self, request: HttpRequest, name: str) -> int:
        """Count a request for ``name``.

        Return the seconds until the next request is allowed, 0 if this one is allowed.
        """
        visitor = self.visitor(request)
        if not visitor:
            return 0
        now = time.time()
        window = int(now // self._rate.seconds)
        if self._count_request(visitor, name, window) <= self._rate.requests:
            return 0
        _warn_of_proxy(request, visitor)
        return max(1, math.ceil((window + 1) * self._rate.seconds - now))

    def _count_request(self, visitor: str, name: str, window: int) -> int:
        """Count the request and return its number in the window. Return 0 if the cache fails."""
        key = f"neardup:{name}:{salted_hmac('neardup.throttling', visitor).hexdigest()}:{window}"
        timeout = 2 * self._rate.seconds
        try:
            cache = caches[self.cache]
            cache.add(key, 0, timeout)
            count = int(cache.incr(key))
            # In the file and database caches an increment resets the timeout to the default.
            if cache.default_timeout is not None and cache.default_timeout < timeout:
                cache.touch(key, timeout)
            return count
        # Each cache backend has its own errors, and a failing cache must not break a visitor's page.
        except Exception as error:
            _log_once("cache", "Requests are not counted: the cache fails (%s).", type(error).__name__)
            return 0


def throttled(name: str, *, spares_crawlers: bool = False) -> Callable[[View], View]:
    """Return a decorator that rejects requests above the rate with status 429 and a ``Retry-After`` header.

    Requests are counted by ``name`` and the setting ``THROTTLE``.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            throttle = build_throttle(get_site_settings().throttle)
            seconds = throttle.wait(request, name) if throttle else 0
            if not seconds or (throttle and spares_crawlers and throttle.is_crawler(request)):
                return view(request, *args, **kwargs)
            response = error_response(request, 429, _("Too many requests: try again later."))
            response.headers["Retry-After"] = str(seconds)
            return response

        return wrapped

    return decorate


def build_throttle(setting: object) -> Throttle | None:
    """Build the throttle of a value of ``THROTTLE``.

    Return None if the value is None. Raise ``ImproperlyConfigured`` if the value is invalid.
    """
    if setting is None:
        return None
    if isinstance(setting, str) and RATE_PATTERN.fullmatch(setting):
        return Throttle(setting)
    throttle_class = _import_setting(setting) if isinstance(setting, str) and "." in setting else None
    if not (isinstance(throttle_class, type) and issubclass(throttle_class, Throttle)):
        raise ImproperlyConfigured(f"THROTTLE {setting!r} is no rate, and no subclass of Throttle")
    try:
        return throttle_class()
    except ValueError as error:
        raise ImproperlyConfigured(f"THROTTLE {setting!r}: {error}")


def _import_setting(path: str) -> object:
    try:
        return import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"THROTTLE {path!r} cannot be imported: {error}")


def _address_group(address: str) -> str:
    """Return the address. For IPv6 return its network, because one visitor has all addresses of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), IPV6_PREFIX_LENGTH), strict=False))


def _warn_of_proxy(request: HttpRequest, visitor: str) -> None:
    if visitor.startswith("address ") and "HTTP_X_FORWARDED_FOR" in request.META:
        _log_once("proxy", "Visitors behind a proxy are counted as one: see THROTTLE in the documentation.")


def _log_once(topic: str, message: str, *values: object) -> None:
    if topic not in _logged_topics:
        _logged_topics.add(topic)
        logger.warning(message, *values)

"""How often one visitor may ask what a text is like: counted in Django's cache, a window of time at a time."""

from __future__ import annotations

import ipaddress
import logging
import math
import re
import time
from typing import ClassVar, NamedTuple

from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string

from .conf import get_profile

logger = logging.getLogger(__name__)

RATE = re.compile(r"([1-9][0-9]{0,8})/([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
IPV6_NETWORK = 64
"""Bits of an IPv6 address that tell one household from another; the rest it chooses by itself."""

_said: set[str] = set()
"""What has been logged, so that it is logged once."""


class Rate(NamedTuple):
    """So many requests within so many seconds."""

    requests: int
    seconds: int


def parse(rate: str) -> Rate:
    """ "30/m" as a rate; ``ValueError`` for what is none."""
    found = RATE.fullmatch(rate)
    if found is None:
        raise ValueError(f"{rate!r} is no rate")
    return Rate(int(found[1]), SECONDS[found[2]])


class Throttle:
    """Counts the requests of each visitor. A site may name a subclass of its own as ``THROTTLE``.

    ``rate``: "30/m", a number of requests each second (s), minute (m), hour (h) or day (d). ``cache``: the alias of
    the cache that counts; one that all processes share, or each counts by itself.
    """

    rate: ClassVar[str] = "30/m"
    cache: ClassVar[str] = "default"

    def __init__(self, rate: str = "") -> None:
        self._rate = parse(rate or self.rate)

    def visitor(self, request: HttpRequest) -> str:
        """By what visitors are told apart: the signed-in user, else the address; "" for one who is not counted."""
        user = getattr(request, "user", None)
        if user is not None and user.is_authenticated:
            return f"user {user.pk}"
        address = self.address(request)
        if not address:
            _log_once(
                "address", "Visitors without an address are not counted: see THROTTLE in the documentation."
            )
            return ""
        return f"address {_household(address)}"

    def address(self, request: HttpRequest) -> str:
        """The visitor's address: REMOTE_ADDR. Behind a proxy that is the proxy's; override it there."""
        return str(request.META.get("REMOTE_ADDR") or "")

    def wait(self, request: HttpRequest, name: str) -> int:
        """Count a request for ``name``; the seconds until the visitor may ask again, 0 where he may now."""
        visitor = self.visitor(request)
        if not visitor:
            return 0
        now = time.time()
        window = int(now // self._rate.seconds)
        if self._count(visitor, name, window) <= self._rate.requests:
            return 0
        _tell_of_proxy(request, visitor)
        return max(1, math.ceil((window + 1) * self._rate.seconds - now))

    def _count(self, visitor: str, name: str, window: int) -> int:
        """Which request of the window this is; 0 where the cache cannot tell."""
        key = f"neardup:{name}:{salted_hmac('neardup.throttling', visitor).hexdigest()}:{window}"
        lasting = 2 * self._rate.seconds
        try:
            cache = caches[self.cache]
            cache.add(key, 0, lasting)
            number = int(cache.incr(key))
            if cache.default_timeout is not None and cache.default_timeout < lasting:
                cache.touch(key, lasting)  # in files and in a database an increment takes the default
            return number
        except (
            Exception
        ) as error:  # every kind of cache has errors of its own, and none is worth a visitor's page
            _log_once("cache", "Requests are not counted: the cache fails (%s).", type(error).__name__)
            return 0


def seconds_to_wait(request: HttpRequest, name: str) -> int:
    """Count a request for ``name`` as ``THROTTLE`` says; the seconds until the visitor may ask again, 0 for none."""
    throttle = made(get_profile().throttle)
    return throttle.wait(request, name) if throttle else 0


def made(setting: object) -> Throttle | None:
    """What a value of ``THROTTLE`` means; ``ImproperlyConfigured`` where it means nothing."""
    if setting is None:
        return None
    if isinstance(setting, str) and RATE.fullmatch(setting):
        return Throttle(setting)
    kind = _imported(setting) if isinstance(setting, str) and "." in setting else None
    if not (isinstance(kind, type) and issubclass(kind, Throttle)):
        raise ImproperlyConfigured(f"THROTTLE {setting!r} is no rate, and no subclass of Throttle")
    try:
        return kind()
    except ValueError as error:
        raise ImproperlyConfigured(f"THROTTLE {setting!r}: {error}")


def _imported(path: str) -> object:
    try:
        return import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"THROTTLE {path!r} cannot be imported: {error}")


def _household(address: str) -> str:
    """The address; of IPv6 the network alone, for one visitor has all of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), IPV6_NETWORK), strict=False))


def _tell_of_proxy(request: HttpRequest, visitor: str) -> None:
    if visitor.startswith("address ") and "HTTP_X_FORWARDED_FOR" in request.META:
        _log_once("proxy", "Visitors behind a proxy are counted as one: see THROTTLE in the documentation.")


def _log_once(about: str, message: str, *values: object) -> None:
    if about not in _said:
        _said.add(about)
        logger.warning(message, *values)

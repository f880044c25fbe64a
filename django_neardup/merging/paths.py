"""Addresses as they are remembered and compared: one path for every way of writing it."""

from __future__ import annotations

from unicodedata import normalize
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from django.apps import apps
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.urls import get_script_prefix
from django.utils.encoding import repercent_broken_unicode

from ..text.hashing import digest

LOCAL = [".localhost", "127.0.0.1", "[::1]"]
"""Hosts that Django allows in DEBUG where ALLOWED_HOSTS is empty."""


def path_of(url: str, request: HttpRequest | None = None) -> str:
    """The path of an address: without host, script name, query and fragment, percent-decoded, composed (NFC).

    Empty where the address is not of this site (``is_own_host``) or has no absolute path.
    """
    parts = _split(url)
    if parts is None or (parts.scheme and not parts.netloc) or not parts.path.startswith("/"):
        return ""
    if parts.netloc and not is_own_host(_host(parts.netloc), request):
        return ""
    path = repercent_broken_unicode(unquote_to_bytes(parts.path.encode("utf-8", "surrogatepass"))).decode()
    prefix = get_script_prefix()
    return normalize("NFC", "/" + path.removeprefix(prefix) if path.startswith(prefix) else path)


def own_path(url: str) -> str:
    """``path_of`` an address that stands for one post alone; empty where a query or a fragment tells it from others.

    A server does not see fragments, and a post shown on another's page does not own that page."""
    parts = _split(url)
    path = "" if parts is None or parts.query or parts.fragment else path_of(url)
    return "" if "\0" in path else path


def path_asked(request: HttpRequest) -> str:
    """The path that a visitor asked for, written as ``path_of`` does."""
    return normalize("NFC", request.path_info)


def digest_of(path: str) -> str:
    """What the path is found by: 32 hexadecimal digits."""
    return digest([path]).hex()


def is_safe(url: str, request: HttpRequest) -> bool:
    """Whether a redirect there stays on this site: at a path, or on a host of its own."""
    parts = _split(url)
    if parts is None or parts.scheme not in ("", "http", "https"):
        return False
    if not parts.netloc:
        return not parts.scheme and url.startswith("/") and not url.startswith("//")
    return is_own_host(_host(parts.netloc), request)


def is_own_host(host: str, request: HttpRequest | None = None) -> bool:
    """Whether ``ALLOWED_HOSTS`` names the host, or the visitor asked it.

    Where every host is allowed, that of ``django.contrib.sites`` is the site's own too, and no other."""
    patterns = settings.ALLOWED_HOSTS or (LOCAL if settings.DEBUG else [])
    named = [pattern for pattern in patterns if pattern != "*"]
    if not host or validate_host(host, named):
        return bool(host)
    asked = request is not None and host == _asked_host(request)
    return asked or ("*" in patterns and host == _host(site_domain()))


def site_domain() -> str:
    """What ``django.contrib.sites`` calls this site; empty where that is not installed, or knows no such site."""
    if not apps.is_installed("django.contrib.sites") or not getattr(settings, "SITE_ID", None):
        return ""
    from django.contrib.sites.models import Site

    try:
        domain: str = Site.objects.get_current().domain
    except Site.DoesNotExist:
        return ""
    return domain


def with_query(url: str, query: str) -> str:
    """The address with that query string added to what it has."""
    if not query:
        return url
    head, sign, fragment = url.partition("#")
    return f"{head}{'&' if '?' in head else '?'}{query}{sign}{fragment}"


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _host(netloc: str) -> str:
    return split_domain_port(netloc.rpartition("@")[2])[0]


def _asked_host(request: HttpRequest) -> str:
    try:
        return _host(request.get_host())
    except DisallowedHost:
        return ""

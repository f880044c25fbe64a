"""Paths of addresses in one normal form, so that different spellings are equal."""

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

DEBUG_HOSTS = [".localhost", "127.0.0.1", "[::1]"]
"""Hosts that Django allows in DEBUG if ALLOWED_HOSTS is empty."""


def path_of(url: str, request: HttpRequest | None = None) -> str:
    """Return the path of an address: percent-decoded and composed (NFC).

    Host, script name, query and fragment are left out. Return "" if the address is not of this site
    (``is_own_host``) or has no absolute path.
    """
    parts = _split_url(url)
    if parts is None or (parts.scheme and not parts.netloc) or not parts.path.startswith("/"):
        return ""
    if parts.netloc and not is_own_host(_host_of(parts.netloc), request):
        return ""
    path = repercent_broken_unicode(unquote_to_bytes(parts.path.encode("utf-8", "surrogatepass"))).decode()
    prefix = get_script_prefix()
    return normalize("NFC", "/" + path.removeprefix(prefix) if path.startswith(prefix) else path)


def single_post_path(url: str) -> str:
    """Return ``path_of`` an address that belongs to one post only.

    Return "" if it has a query or a fragment.
    """
    parts = _split_url(url)
    # A server does not see fragments, and a post shown on another post's page does not own that page.
    path = "" if parts is None or parts.query or parts.fragment else path_of(url)
    return "" if "\0" in path else path


def requested_path(request: HttpRequest) -> str:
    """Return the path that a visitor requested, in the form of ``path_of``."""
    return normalize("NFC", request.path_info)


def path_digest(path: str) -> str:
    """Return the key by which a path is looked up: 32 hexadecimal digits."""
    return digest([path]).hex()


def is_safe_redirect(url: str, request: HttpRequest) -> bool:
    """Return whether a redirect to the address stays on this site: at a path, or on one of its hosts."""
    parts = _split_url(url)
    if parts is None or parts.scheme not in ("", "http", "https"):
        return False
    if not parts.netloc:
        return not parts.scheme and url.startswith("/") and not url.startswith("//")
    return is_own_host(_host_of(parts.netloc), request)


def is_own_host(host: str, request: HttpRequest | None = None) -> bool:
    """Return whether ``ALLOWED_HOSTS`` names the host, or the visitor requested it.

    If every host is allowed, the domain of ``django.contrib.sites`` also counts, and no other.
    """
    patterns = settings.ALLOWED_HOSTS or (DEBUG_HOSTS if settings.DEBUG else [])
    named_patterns = [pattern for pattern in patterns if pattern != "*"]
    if not host or validate_host(host, named_patterns):
        return bool(host)
    is_requested_host = request is not None and host == _requested_host(request)
    return is_requested_host or ("*" in patterns and host == _host_of(site_domain()))


def site_domain() -> str:
    """Return the domain from ``django.contrib.sites``. Return "" if that app or the site is missing."""
    if not apps.is_installed("django.contrib.sites") or not getattr(settings, "SITE_ID", None):
        return ""
    from django.contrib.sites.models import Site

    try:
        domain: str = Site.objects.get_current().domain
    except Site.DoesNotExist:
        return ""
    return domain


def with_query(url: str, query: str) -> str:
    """Return the address with the query string added to its own."""
    if not query:
        return url
    head, sign, fragment = url.partition("#")
    return f"{head}{'&' if '?' in head else '?'}{query}{sign}{fragment}"


def _split_url(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _host_of(netloc: str) -> str:
    return split_domain_port(netloc.rpartition("@")[2])[0]


def _requested_host(request: HttpRequest) -> str:
    try:
        return _host_of(request.get_host())
    except DisallowedHost:
        return ""

"""Checks of the setting ``SEO`` and of old addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage
from django.utils.module_loading import import_string

from ..middleware import MovedUrlMiddleware
from ..models import MovedUrl
from .database import run_on_databases, schema_problem
from .messages import check_message
from .profiles import configured_profiles

SEO_OPTIONS = ("canonical", "sitemap", "redirects")
REDIRECT_APPS = ("django.contrib.sites", "django.contrib.redirects")


def check_seo(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E019",
            f"NEARDUP[{alias!r}]: SEO is {values['SEO']!r}.",
            f"Write a tuple of some of {', '.join(SEO_OPTIONS)}, or an empty tuple.",
        )
        for alias, values in configured_profiles()
        if not _is_valid_seo(values["SEO"])
    ]


def check_redirects(**kwargs: Any) -> list[CheckMessage]:
    if not any(
        _is_valid_seo(values["SEO"]) and "redirects" in values["SEO"] for _, values in configured_profiles()
    ):
        return []
    missing = [f'"{app}" is not in INSTALLED_APPS' for app in REDIRECT_APPS if not apps.is_installed(app)]
    if not missing and not getattr(settings, "SITE_ID", None):
        missing = ["SITE_ID is not set"]
    hint = 'Add the apps and SITE_ID. Or remove "redirects": MovedUrlMiddleware needs neither.'
    return (
        [check_message("E020", f'SEO has "redirects", but {" and ".join(missing)}.', hint)] if missing else []
    )


def _is_valid_seo(value: Any) -> bool:
    return isinstance(value, tuple | list | set | frozenset) and all(
        option in SEO_OPTIONS for option in value
    )


def check_moved_urls(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return [] if _has_moved_url_middleware() else run_on_databases(databases, _moved_url_messages)


def _moved_url_messages(alias: str) -> Iterator[CheckMessage]:
    if not schema_problem(alias) and MovedUrl.objects.using(alias).exists():
        yield check_message(
            "W110",
            f"Database {alias!r} has old addresses of merged or deleted posts, but they answer 404.",
            'Add "django_neardup.middleware.MovedUrlMiddleware" at the end of MIDDLEWARE.',
        )


def _has_moved_url_middleware() -> bool:
    """Return whether the middleware, or a subclass of it, is installed."""
    for name in settings.MIDDLEWARE:
        try:
            middleware = import_string(name)
        except ImportError:
            # Django reports it when the site starts.
            continue
        if isinstance(middleware, type) and issubclass(middleware, MovedUrlMiddleware):
            return True
    return False

"""The checks of SEO."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage

from .profiles import profiles
from .table import problem

WORDS = ("canonical", "sitemap", "redirects")
APPS = ("django.contrib.sites", "django.contrib.redirects")


def check_seo(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E019",
            f"NEARDUP[{alias!r}]: SEO is {values['SEO']!r}.",
            f"Write a tuple of any of {', '.join(WORDS)}; an empty one for nothing.",
        )
        for alias, values in profiles()
        if not _is_known(values["SEO"])
    ]


def check_redirects(**kwargs: Any) -> list[CheckMessage]:
    if not any(_is_known(values["SEO"]) and "redirects" in values["SEO"] for _, values in profiles()):
        return []
    missing = [f'"{app}" is not in INSTALLED_APPS' for app in APPS if not apps.is_installed(app)]
    if not missing and not getattr(settings, "SITE_ID", None):
        missing = ["SITE_ID is not set"]
    hint = 'Add them, and SITE_ID; or leave "redirects" out: MovedUrlMiddleware needs neither.'
    return [problem("E020", f'SEO holds "redirects", and {" and ".join(missing)}.', hint)] if missing else []


def _is_known(value: Any) -> bool:
    return isinstance(value, tuple | list | set | frozenset) and all(each in WORDS for each in value)

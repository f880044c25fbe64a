"""Whether somebody answers for the addresses of posts that were merged or deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.utils.module_loading import import_string

from ..middleware import MovedUrlMiddleware
from ..models import MovedUrl
from .database import of_each, outdated
from .table import problem


def check_moved(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return [] if _is_answered() else of_each(databases, _moved)


def _moved(alias: str) -> Iterator[CheckMessage]:
    if not outdated(alias) and MovedUrl.objects.using(alias).exists():
        yield problem(
            "W110",
            f"Database {alias!r} keeps addresses of posts that were merged or deleted, and they answer 404.",
            'Add "django_neardup.middleware.MovedUrlMiddleware" at the end of MIDDLEWARE.',
        )


def _is_answered() -> bool:
    """Whether the middleware, or one made of it, is installed."""
    for name in settings.MIDDLEWARE:
        try:
            found = import_string(name)
        except ImportError:
            continue  # Django itself says so when the site starts
        if isinstance(found, type) and issubclass(found, MovedUrlMiddleware):
            return True
    return False

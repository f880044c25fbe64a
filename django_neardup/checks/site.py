"""Checks of setup steps that are still missing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from ..adapters import registered_adapters
from ..api.throttling import build_throttle
from ..conf import DEFAULTS
from .messages import check_message
from .profiles import configured_profiles


def check_registered(**kwargs: Any) -> list[CheckMessage]:
    if registered_adapters():
        return []
    return [
        check_message(
            "W102",
            "No model is registered, so no posts are compared.",
            "In the app of your posts write a module neardup.py with @neardup.register(Ad) and a class "
            'AdNeardup(neardup.Adapter) that has fields = ["title", "text"].',
        )
    ]


def check_urls(**kwargs: Any) -> list[CheckMessage]:
    if not registered_adapters() or not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("neardup:similar", args=["app.model", "1"])
    except NoReverseMatch:
        return [
            check_message(
                "W103",
                'The URLs of neardup are not included, so links such as "+ 4 similar" are missing.',
                'Add path("similar/", include("django_neardup.urls")) to your URLs.',
            )
        ]
    return []


def check_throttle(**kwargs: Any) -> list[CheckMessage]:
    try:
        build_throttle(dict(configured_profiles()).get("default", DEFAULTS)["THROTTLE"])
    except ImproperlyConfigured as error:
        return [
            check_message(
                "E017",
                f"NEARDUP['default']: {error}.",
                'Write a rate such as "30/m" (requests per s, m, h or d), None for no limit, or the dotted path of a '
                "subclass of django_neardup.api.throttling.Throttle.",
            )
        ]
    return []


def check_middleware(**kwargs: Any) -> list[CheckMessage]:
    """Warn of the middleware of django-reversion, unless the site has turned its transaction off."""
    return [
        check_message(
            "W112",
            f"{name} opens a transaction around each request, but moderators' decisions need their own transactions.",
            "Put a subclass with atomic = False into MIDDLEWARE instead.",
        )
        for name in settings.MIDDLEWARE
        if _opens_transaction(name)
    ]


def _opens_transaction(name: str) -> bool:
    try:
        middleware = import_string(name)
    except ImportError:
        # Django reports it when the site starts.
        return False
    bases = getattr(middleware, "__mro__", ())
    is_revision = any(
        (base.__module__, base.__name__) == ("reversion.middleware", "RevisionMiddleware") for base in bases
    )
    return is_revision and bool(middleware.atomic)

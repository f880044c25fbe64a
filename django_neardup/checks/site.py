"""Checks of what a site has not done yet."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.urls import NoReverseMatch, reverse

from ..adapters import registered
from .table import problem


def check_registered(**kwargs: Any) -> list[CheckMessage]:
    if registered():
        return []
    return [
        problem(
            "W102",
            "No model is registered: nothing will be compared.",
            "Write a module neardup.py in the app of your posts: @neardup.register(Ad), and a class "
            'AdNeardup(neardup.Adapter) with fields = ["title", "text"].',
        )
    ]


def check_urls(**kwargs: Any) -> list[CheckMessage]:
    if not registered() or not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("neardup:similar", args=["app.model", "1"])
    except NoReverseMatch:
        return [
            problem(
                "W103",
                'The URLs of neardup are not included: "+ 4 similar" leads nowhere.',
                'Add path("similar/", include("django_neardup.urls")) to your URLs.',
            )
        ]
    return []

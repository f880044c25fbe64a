"""The check of THROTTLE."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured

from ..conf import DEFAULTS
from ..throttling import made
from .profiles import profiles
from .table import problem


def check_throttle(**kwargs: Any) -> list[CheckMessage]:
    try:
        made(dict(profiles()).get("default", DEFAULTS)["THROTTLE"])
    except ImproperlyConfigured as error:
        return [
            problem(
                "E017",
                f"NEARDUP['default']: {error}.",
                'Write a rate such as "30/m" (requests each s, m, h or d), None for no limit, or the dotted path of a '
                "subclass of django_neardup.throttling.Throttle.",
            )
        ]
    return []

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from tours.accounts import ACCOUNTS, current_username
from tours.progress import Progress


def demonstration(request: HttpRequest) -> dict[str, Any]:
    """The strip above every page: who the visitor is, and the step of the tour."""
    current = Progress.of(request).current
    demo: dict[str, Any] = {"accounts": ACCOUNTS.values(), "username": current_username(request)}
    if current is not None:
        tour, number, step = current
        demo |= {"tour": tour, "number": number, "step": step}
        demo["next"] = number + 1 if number < len(tour.steps) else None
    return {"demo": demo}

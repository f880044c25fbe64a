"""What differs between the releases of Django that are supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.utils.functional import Promise

Words = str | Promise


def action(of_many: Words, of_one: Words, permissions: Sequence[str]) -> Callable[[Any], Any]:
    """``admin.action`` for lists and, from Django 6.1 on, for the page of one object too."""
    decorator: Any = admin.action
    places = getattr(admin, "ActionLocation", None)
    given: dict[str, Any] = {"description": of_many}
    if places is not None:
        everywhere = [places.CHANGE_LIST, places.CHANGE_FORM]
        given = {"description": of_one, "description_plural": of_many, "location": everywhere}
    found: Callable[[Any], Any] = decorator(permissions=permissions, **given)
    return found

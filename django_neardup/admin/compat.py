"""What differs between the releases of Django that are supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.utils.functional import Promise

Label = str | Promise


def action(plural_description: Label, description: Label, permissions: Sequence[str]) -> Callable[[Any], Any]:
    """``admin.action`` for lists and, from Django 6.1 on, for the page of one object too."""
    decorator: Any = admin.action
    places = getattr(admin, "ActionLocation", None)
    given: dict[str, Any] = {"description": plural_description}
    if places is not None:
        everywhere = [places.CHANGE_LIST, places.CHANGE_FORM]
        given = {"description": description, "description_plural": plural_description, "location": everywhere}
    found: Callable[[Any], Any] = decorator(permissions=permissions, **given)
    return found

"""Differences between the supported Django releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.utils.functional import Promise

Label = str | Promise


def action(plural_description: Label, description: Label, permissions: Sequence[str]) -> Callable[[Any], Any]:
    """Return ``admin.action`` for lists. From Django 6.1 on, the action is also on the page of an object."""
    decorator: Any = admin.action
    locations = getattr(admin, "ActionLocation", None)
    options: dict[str, Any] = {"description": plural_description}
    if locations is not None:
        all_locations = [locations.CHANGE_LIST, locations.CHANGE_FORM]
        options = {
            "description": description,
            "description_plural": plural_description,
            "location": all_locations,
        }
    action_decorator: Callable[[Any], Any] = decorator(permissions=permissions, **options)
    return action_decorator

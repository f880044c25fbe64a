"""How many rows of a list one action may touch."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from .decision_groups import MAX_OBJECTS


def too_many_message(count: int) -> str:
    """What is said where more is chosen than one run may touch."""
    return _("Nothing was done: %(count)d were chosen, at most %(cap)d objects are decided at once.") % {
        "count": count,
        "cap": MAX_OBJECTS,
    }


def selected_pks(request: HttpRequest, queryset: QuerySet[Any]) -> list[Any] | None:
    """The primary keys of the chosen rows, in order; None, and the person is told, where they are too many."""
    keys = list(queryset.order_by("pk").values_list("pk", flat=True)[: MAX_OBJECTS + 1])
    if len(keys) <= MAX_OBJECTS:
        return keys
    messages.error(request, too_many_message(queryset.count()))
    return None

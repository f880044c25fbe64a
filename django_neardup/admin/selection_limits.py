"""The limit on the number of rows that one list action may change."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from .decision_groups import MAX_OBJECTS


def too_many_message(count: int) -> str:
    """Return the message for a selection above the limit."""
    return _("Nothing was changed: %(count)d were selected, but at most %(cap)d can be decided at once.") % {
        "count": count,
        "cap": MAX_OBJECTS,
    }


def selected_pks(request: HttpRequest, queryset: QuerySet[Any]) -> list[Any] | None:
    """Return the primary keys of the selected rows, sorted.

    If there are more than ``MAX_OBJECTS``, add an error message and return None.
    """
    pks = list(queryset.order_by("pk").values_list("pk", flat=True)[: MAX_OBJECTS + 1])
    if len(pks) <= MAX_OBJECTS:
        return pks
    messages.error(request, too_many_message(queryset.count()))
    return None

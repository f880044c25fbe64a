"""The held posts that a member of staff may see on a site of several tenants."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from ..models import Hold
from .visible_objects import hidden_document_ids
from .visible_spaces import in_visible_spaces, visible_spaces

MAX_WITHOUT_SPACE = 500
"""So many held posts without a space are looked at, the oldest first."""


def visible_holds(holds: QuerySet[Hold], request: HttpRequest, site: Any) -> QuerySet[Hold]:
    """Return the holds of posts in spaces that this person may see.

    A post that was never compared has no space: it is too long, or its check failed. Then the person must be able to
    see the post itself.
    """
    if visible_spaces(request) is None:
        return holds
    unplaced = holds.filter(document__space=None).select_related("document").order_by("created", "pk")
    documents = [hold.document for hold in unplaced[:MAX_WITHOUT_SPACE]]
    hidden = hidden_document_ids(documents, request, site, holds.db)
    seen = [document.pk for document in documents if document.pk not in hidden]
    return in_visible_spaces(holds, request, "document__space") | holds.filter(document__in=seen)

"""The position of an open item in the queue, and its neighbours."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict

from ...db.counts import BoundedCount
from ...models import Queue
from ..decision_request import FILTERS_PARAM, LIST_PARAM, item_url
from .queue_filters import FILTERS
from .queue_page import QueuePage
from .queue_query import QueueQuery


@dataclass(frozen=True)
class QueuePosition:
    """The position in the queue, counted from 1, and the addresses of the neighbours.

    They are empty at the ends.
    """

    number: BoundedCount
    total: BoundedCount
    previous_url: str
    next_url: str


def find_queue_position(item_key: str, request: HttpRequest, site: Any, using: str) -> QueuePosition | None:
    """Return the item's position in the queue with the filters of the address.

    Return None if the person did not come from the queue or the item is not in the filtered queue.
    """
    if request.GET.get(LIST_PARAM) != "queue":
        return None
    queue_query = _build_query(request, site, using)
    item = queue_query.find(item_key)
    if item is None:
        return None
    offset, before, after = queue_query.neighbours(item)
    params = {name: request.GET[name] for name in (LIST_PARAM, FILTERS_PARAM) if request.GET.get(name)}
    urls = [
        "".join(item_url(neighbour.item_key, site.name, params) for neighbour in neighbours)
        for neighbours in (before, after)
    ]
    return QueuePosition(offset + 1, queue_query.total, *urls)


def _build_query(request: HttpRequest, site: Any, using: str) -> QueueQuery:
    """Return the queue, filtered and sorted as the address says."""
    queue_request = copy(request)
    queue_request.GET = QueryDict(request.GET.get(FILTERS_PARAM, ""))
    # A site may have added filters to the list.
    filters = site.get_model_admin(Queue).filters if site.is_registered(Queue) else FILTERS
    return QueuePage(queue_request, site, using, filters=filters).queue_query

"""The position of an open item in the queue, and its neighbours."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict

from ..decision_request import FILTERS_PARAM, LIST_PARAM, item_url
from .queue_page import QueuePage
from .row_groups import QueueItem


@dataclass(frozen=True)
class QueuePosition:
    """The position in the queue, counted from 1, and the addresses of the neighbours.

    They are empty at the ends.
    """

    number: int
    total: int
    previous_url: str
    next_url: str


def find_queue_position(item_key: str, request: HttpRequest, site: Any, using: str) -> QueuePosition | None:
    """Return the item's position in the queue with the filters of the address.

    Return None if the person did not come from the queue or the item is not in the filtered queue.
    """
    if request.GET.get(LIST_PARAM) != "queue":
        return None
    items = _load_queue_items(request, site, using)
    index = next((index for index, item in enumerate(items) if item.item_key == item_key), None)
    if index is None:
        return None
    before, after = items[max(index - 1, 0) : index], items[index + 1 : index + 2]
    params = {name: request.GET[name] for name in (LIST_PARAM, FILTERS_PARAM) if request.GET.get(name)}
    urls = [
        "".join(item_url(item.item_key, site.name, params) for item in neighbours)
        for neighbours in (before, after)
    ]
    return QueuePosition(index + 1, len(items), *urls)


def _load_queue_items(request: HttpRequest, site: Any, using: str) -> list[QueueItem]:
    """Return the items of the queue, filtered and sorted as the address says."""
    queue_request = copy(request)
    queue_request.GET = QueryDict(request.GET.get(FILTERS_PARAM, ""))
    return QueuePage(queue_request, site, using).queue_query.items

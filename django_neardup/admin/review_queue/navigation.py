"""Where in the queue an item stands that is looked at, and what comes before and after it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from ..decision_groups import MODELS_BY_PREFIX
from ..decision_request import FILTERS_PARAM, LIST_PARAM
from .queue_page import QueuePage
from .queue_query import QueueItem


@dataclass(frozen=True)
class QueuePosition:
    """The place, counted from 1, of how many, and the addresses of the neighbours, empty at either end."""

    number: int
    total: int
    previous_url: str
    next_url: str


def find_queue_position(item_key: str, request: HttpRequest, site: Any, using: str) -> QueuePosition | None:
    """The place of that item in the queue as it is filtered in the address; None for who does not come from there."""
    if request.GET.get(LIST_PARAM) != "queue":
        return None
    items = _load_queue_items(request, site, using)
    place = next((place for place, item in enumerate(items) if item.item_key == item_key), None)
    if place is None:
        return None
    before, after = items[max(place - 1, 0) : place], items[place + 1 : place + 2]
    urls = ["".join(_item_url(item, request, site) for item in near) for near in (before, after)]
    return QueuePosition(place + 1, len(items), *urls)


def _load_queue_items(request: HttpRequest, site: Any, using: str) -> list[QueueItem]:
    """The queue as the person has filtered and sorted it."""
    asked = copy(request)
    asked.GET = QueryDict(request.GET.get(FILTERS_PARAM, ""))
    return QueuePage(asked, site, using).queue_query.items


def _item_url(item: QueueItem, request: HttpRequest, site: Any) -> str:
    model = MODELS_BY_PREFIX[item.item_key[0]]._meta.model_name
    url = reverse(f"{site.name}:neardup_{model}_change", args=[item.pk])
    kept = {name: request.GET[name] for name in (LIST_PARAM, FILTERS_PARAM) if request.GET.get(name)}
    return f"{url}?{urlencode(kept)}"

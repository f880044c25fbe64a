"""Where in the queue an item stands that is looked at, and what comes before and after it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from ..asked import FILTERS, LIST
from ..groups import KINDS
from .items import Item
from .page import QueuePage


@dataclass(frozen=True)
class Position:
    """The place, counted from 1, of how many, and the addresses of the neighbours, empty at either end."""

    place: int
    total: int
    previous: str
    next: str


def position(key: str, request: HttpRequest, site: Any, using: str) -> Position | None:
    """The place of that item in the queue as it is filtered in the address; None for who does not come from there."""
    if request.GET.get(LIST) != "queue":
        return None
    items = _items(request, site, using)
    place = next((place for place, item in enumerate(items) if item.key == key), None)
    if place is None:
        return None
    before, after = items[max(place - 1, 0) : place], items[place + 1 : place + 2]
    urls = ["".join(_url(item, request, site) for item in near) for near in (before, after)]
    return Position(place + 1, len(items), *urls)


def _items(request: HttpRequest, site: Any, using: str) -> list[Item]:
    """The queue as the person has filtered and sorted it."""
    asked = copy(request)
    asked.GET = QueryDict(request.GET.get(FILTERS, ""))
    return QueuePage(asked, site, using).waiting.items


def _url(item: Item, request: HttpRequest, site: Any) -> str:
    model = KINDS[item.key[0]]._meta.model_name
    url = reverse(f"{site.name}:neardup_{model}_change", args=[item.number])
    kept = {name: request.GET[name] for name in (LIST, FILTERS) if request.GET.get(name)}
    return f"{url}?{urlencode(kept)}"

"""Lists in which look-alikes are gathered under one entry, counted and paged as they are shown."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest

import django_neardup as neardup

PER_PAGE = 10
MOST_WORDS = 8


def matching(queryset: QuerySet[Any], query: str, *fields: str) -> QuerySet[Any]:
    """The objects that hold every word of the query, each in any of the fields."""
    for word in query.split()[:MOST_WORDS]:
        condition = Q()
        for field in fields:
            condition |= Q(**{f"{field}__icontains": word})
        queryset = queryset.filter(condition)
    return queryset


def grouped_page(request: HttpRequest, found: QuerySet[Any]) -> dict[str, Any]:
    """What a list's template needs: one page of `found`, one object a group unless `?similar=all` asks for each.

    Groups are made before pages, so a group is never met again on the next page. That reads the whole list, which is
    right for the hundreds of posts of an example.
    """
    separate = request.GET.get("similar") == "all"
    everything = list(found)
    shown = everything if separate else [group.object for group in neardup.group(everything, found)]
    paginator = Paginator(shown, PER_PAGE)
    page = paginator.get_page(request.GET.get("page"))
    return {
        "query": request.GET.get("q", "").strip(),
        "visible": found,
        "page_obj": page,
        "page_range": paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1),
        "separate": separate,
        "total": len(everything),
        "hidden": len(everything) - len(shown),
    }

"""Lists in which look-alikes stand under one entry, counted and paged as they are shown."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpRequest

from django_neardup.listing.views import CollapsedPaginator

PER_PAGE = 10


def listed(request: HttpRequest, found: QuerySet[Any]) -> dict[str, Any]:
    """What a list's template needs: a page of `found`, one object a group unless `?similar=all` asks for each."""
    separate = request.GET.get("similar") == "all"
    paginator = CollapsedPaginator(found, PER_PAGE, separate=separate)
    page = paginator.get_page(request.GET.get("page"))
    return {
        "query": request.GET.get("q", "").strip(),
        "page_obj": page,
        "page_range": page_range(page),
        "separate": separate,
        "total": paginator.total,
        "hidden": paginator.hidden,
    }


def page_range(page: Page[Any]) -> list[Any]:
    """The numbers of the pages, the far ones left out."""
    return list(page.paginator.get_elided_page_range(page.number, on_each_side=2, on_ends=1))

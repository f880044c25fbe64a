"""Results, pages and totals for the search page: one result for each group, chosen by ``collapse``."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from board.listing import PER_PAGE, page_range
from board.models import Ad, live_ads
from board.searching import MOST_WORDS
from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import ngettext

from site_search.connection import PAGE_SECONDS, alias, connect

logger = logging.getLogger(__name__)

WINDOW = 10_000
"""OpenSearch gives no results beyond it (``index.max_result_window``)."""
BUCKETS = 10_000
"""Groups that one request counts."""
MOST_SIMILAR = 20
REST_SECONDS = 10.0
"""Pages do not ask an index for so long after it has failed."""
ORDER = ["_score", {"created": "desc"}, {"number": "desc"}]
# Equal requests go to the same copy of a shard: another copy may rank otherwise.
PARAMS = {"allow_partial_search_results": "false", "preference": "pages"}

_rest_until = 0.0


@dataclass(frozen=True)
class Filters:
    """What the address restricts a search to, for the index and for the database."""

    city: str = ""
    price_to: int | None = None

    @classmethod
    def of(cls, request: HttpRequest) -> Filters:
        price = request.GET.get("price_to", "")
        is_number = price.isascii() and price.isdecimal() and len(price) < 10
        return cls(request.GET.get("city", "").replace("\0", ""), int(price) if is_number else None)

    def narrow(self, ads: QuerySet[Ad]) -> QuerySet[Ad]:
        if self.city:
            ads = ads.filter(city=self.city)
        return ads if self.price_to is None else ads.filter(price__lte=self.price_to)

    def clauses(self) -> list[dict[str, Any]]:
        city = [{"term": {"city": self.city}}] if self.city else []
        return [*city, *([] if self.price_to is None else [{"range": {"price": {"lte": self.price_to}}}])]


class Similar:
    """The adverts of a group that match the search, beside the one that is shown. Templates read it as a ``Group``."""

    def __init__(self, ad: Ad, others: Sequence[Ad], count: int) -> None:
        self.object, self.others, self.count = ad, others, count

    @property
    def label(self) -> str:
        return ngettext("+ %(count)d similar", "+ %(count)d similar", self.count) % {"count": self.count}

    @property
    def url(self) -> str:
        return reverse("neardup:similar", args=["board.ad", self.object.pk])


class FoundAds:
    """The results of a search: a list for a paginator. ``separate``: each advert is a result."""

    def __init__(self, words: Sequence[str], filters: Filters, separate: bool = False) -> None:
        self.separate = separate
        matching = {"multi_match": {"query": " ".join(words), "fields": ["title^2", "text"]}}
        matching["multi_match"] |= {"type": "cross_fields", "operator": "and"}
        must = [matching] if words else [{"match_all": {}}]
        self._query = {"bool": {"must": must, "filter": filters.clauses()}}

    @cached_property
    def totals(self) -> tuple[int, int]:
        """The number of matching adverts, and the number of results that their groups leave. Both are exact.

        Adverts without a group are results of their own. Of the others the distinct groups are counted.
        """
        clusters = {"terms": {"field": "cluster", "size": BUCKETS}}
        number = {"stats_bucket": {"buckets_path": "clusters>_count"}}
        grouped = {"filter": {"term": {"grouped": True}}, "aggs": {"clusters": clusters, "number": number}}
        answer = self._search(
            {"size": 0, "track_total_hits": True, "aggs": {"grouped": grouped}},
            filter_path="hits.total,aggregations.grouped.doc_count,aggregations.grouped.number.count,"
            "aggregations.grouped.clusters.sum_other_doc_count",
        )
        total = answer["hits"]["total"]["value"]
        found = answer["aggregations"]["grouped"]
        is_complete = not found["clusters"]["sum_other_doc_count"]
        count = found["number"]["count"] if is_complete else self._count_clusters()
        return total, total - found["doc_count"] + count

    def _count_clusters(self) -> int:
        """Count more groups than one request returns."""
        number, after = 0, {}
        query = {"bool": {"must": [self._query], "filter": [{"term": {"grouped": True}}]}}
        while True:
            clusters = {"size": BUCKETS, "sources": [{"cluster": {"terms": {"field": "cluster"}}}], **after}
            body = {"query": query, "size": 0, "aggs": {"clusters": {"composite": clusters}}}
            found = self._search(body)["aggregations"]["clusters"]
            number += len(found["buckets"])
            if len(found["buckets"]) < BUCKETS:
                return number
            after = {"after": found["after_key"]}

    def __len__(self) -> int:
        total, shown = self.totals
        return total if self.separate else shown

    def __getitem__(self, part: slice) -> list[Ad]:
        body = {"from": part.start, "size": part.stop - part.start, "sort": ORDER, "_source": False}
        if not self.separate:
            inner = {"name": "similar", "size": MOST_SIMILAR + 1, "sort": ORDER, "_source": False}
            body["collapse"] = {"field": "cluster", "inner_hits": inner}
        groups = [_keys_of(hit) for hit in self._search(body)["hits"]["hits"]]
        # The index may lag behind: what is hidden by now is not shown.
        ads = live_ads().in_bulk([key for keys, _ in groups for key in keys])
        return [ad for keys, count in groups if (ad := _entry([ads.get(key) for key in keys], count))]

    def _search(self, body: dict[str, Any], **params: str) -> dict[str, Any]:
        body = {"query": self._query, **body}
        answer: dict[str, Any] = connect(PAGE_SECONDS).search(
            index=alias(), body=body, params={**PARAMS, **params}
        )
        return answer


def _keys_of(hit: dict[str, Any]) -> tuple[list[int], int]:
    """The adverts of a result, the shown one first, and how many there are."""
    if "inner_hits" not in hit:
        return [int(hit["_id"])], 1
    found = hit["inner_hits"]["similar"]["hits"]
    return [int(inner["_id"]) for inner in found["hits"]], found["total"]["value"]


def _entry(ads: Sequence[Ad | None], count: int) -> Ad | None:
    shown, *others = [ad for ad in ads if ad] or [None]
    if shown is not None:
        shown.neardup = Similar(shown, others, count - 1 - list(ads).count(None))
    return shown


class FoundAdsPaginator(Paginator):
    """``count`` is exact. Pages end where OpenSearch gives no further results."""

    @cached_property
    def num_pages(self) -> int:
        return min(super().num_pages, WINDOW // self.per_page)


def find_in_index(request: HttpRequest) -> dict[str, Any] | None:
    """Return what the list's template needs, as ``board.listing.listed`` does. Return None without an index.

    If the index does not answer, that is logged, and the board searches in its database.
    """
    global _rest_until
    if not settings.SITE_SEARCH or time.monotonic() < _rest_until:
        return None
    from opensearchpy import RequestError, TransportError

    words = request.GET.get("q", "").split()[:MOST_WORDS]
    if not words:
        return None
    found = FoundAds(words, Filters.of(request), request.GET.get("similar") == "all")
    try:
        page = FoundAdsPaginator(found, PER_PAGE).get_page(request.GET.get("page"))
        total, shown = found.totals
    except RequestError:
        raise
    except TransportError as error:
        _rest_until = time.monotonic() + REST_SECONDS
        logger.warning("The search index does not answer: %s %s", error.status_code, error.error)
        return None
    return {
        "query": request.GET["q"].strip(),
        "page_obj": page,
        "page_range": page_range(page),
        "separate": found.separate,
        "total": total,
        "hidden": total - shown,
    }

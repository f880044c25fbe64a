"""What everybody reads: lists, search, an advert."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.generic import ListView
from forum.models import Post, live_posts
from news.models import live_articles
from site_search.searching import Filters, find_in_index

from board.listing import PER_PAGE, listed, page_range
from board.models import Ad, Category, live_ads
from board.own import own_ads
from board.searching import matching
from django_neardup.listing.views import SimilarListMixin


def front(request: HttpRequest) -> HttpResponse:
    shelves = Category.objects.filter(parent=None).prefetch_related("children")
    return render(request, "board/front.html", {**listed(request, live_ads()), "shelves": shelves})


class OfShelf:
    """The adverts of a shelf and of those inside it."""

    kwargs: dict[str, Any]

    def get_queryset(self) -> QuerySet[Ad]:
        self.shelf = get_object_or_404(Category.objects.select_related("parent"), slug=self.kwargs["slug"])
        within = Category.objects.filter(parent=self.shelf).values_list("pk", flat=True)
        held = Ad.objects.filter(categories__in=[self.shelf.pk, *within]).values("pk")
        return live_ads().filter(pk__in=held)


class CategoryList(OfShelf, SimilarListMixin, ListView):
    template_name = "board/category.html"
    paginate_by = PER_PAGE

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return {**context, "shelf": self.shelf, "query": "", "page_range": page_range(context["page_obj"])}


class CategoryPrint(OfShelf, ListView):
    """The whole shelf on paper, by Jinja2."""

    template_name = "board/print.html"
    template_engine = "jinja2"
    context_object_name = "ads"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(shelf=self.shelf, visible=live_ads(), **kwargs)


def search(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "")
    filters = Filters.of(request)
    ads = matching(filters.narrow(live_ads()), query, "title", "text")
    posts = matching(_posts(), query, "topic__title", "text")
    articles = matching(live_articles(), query, "headline", "body")
    where, chosen = _chosen(request, forum=posts, news=articles, otherwise=ads)
    indexed = find_in_index(request)
    found = indexed if indexed and not where else listed(request, chosen)
    counts = {
        "ads_found": indexed["total"] if indexed else ads.count(),
        "posts_found": posts.count(),
        "articles_found": articles.count(),
    }
    cities = Ad.objects.filter(published=True).order_by("city").values_list("city", flat=True).distinct()
    context = {**found, **counts, "where": where, "filters": filters, "cities": cities}
    return render(request, "board/search.html", context)


def show(request: HttpRequest, pk: int) -> HttpResponse:
    ads = Ad.objects.all() if request.user.has_perm("board.view_ad") else live_ads() | own_ads(request)
    ad = get_object_or_404(ads.select_related("user"), pk=pk)
    Ad.objects.filter(pk=pk).update(hits=F("hits") + 1)
    own = own_ads(request).filter(pk=pk).exists()
    context = {"ad": ad, "own": own, "visible": live_ads(), "favorites": ad.favorites.count()}
    return render(request, "board/ad.html", context)


def _chosen(
    request: HttpRequest, otherwise: QuerySet[Any], **sections: QuerySet[Any]
) -> tuple[str, QuerySet[Any]]:
    """Return the section that `?where=` names and what was found in it."""
    where = request.GET.get("where", "")
    return (where, sections[where]) if where in sections else ("", otherwise)


def _posts() -> QuerySet[Post]:
    return live_posts().select_related("topic", "author").order_by("-created", "-pk")

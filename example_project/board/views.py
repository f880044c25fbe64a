from __future__ import annotations

from django.contrib import messages
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from forum.models import Post

from .forms import AdForm
from .listing import grouped_page, matching
from .models import Ad, Category


def live_ads() -> QuerySet[Ad]:
    return Ad.objects.filter(published=True).order_by("-created", "-pk")


def front(request: HttpRequest) -> HttpResponse:
    context = grouped_page(request, live_ads())
    shelves = Category.objects.filter(parent=None).prefetch_related("children")
    return render(request, "board/front.html", {**context, "shelves": shelves})


def category(request: HttpRequest, slug: str) -> HttpResponse:
    shelf = get_object_or_404(Category.objects.select_related("parent"), slug=slug)
    within = Category.objects.filter(parent=shelf).values_list("pk", flat=True)
    ads = live_ads().filter(pk__in=Ad.objects.filter(categories__in=[shelf.pk, *within]).values("pk"))
    return render(request, "board/category.html", {**grouped_page(request, ads), "shelf": shelf})


def search(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()
    ads = matching(live_ads(), query, "title", "text") if query else Ad.objects.none()
    posts = Post.objects.filter(published=True).select_related("topic", "author").order_by("-created", "-pk")
    posts = matching(posts, query, "topic__title", "text") if query else Post.objects.none()
    forum = request.GET.get("where") == "forum"
    context = {"forum": forum, "ads_found": ads.count(), "posts_found": posts.count()}
    return render(request, "board/search.html", {**grouped_page(request, posts if forum else ads), **context})


def show(request: HttpRequest, pk: int) -> HttpResponse:
    ads = Ad.objects.all() if request.user.has_perm("board.view_ad") else _own_or_live(request)
    ad = get_object_or_404(ads.select_related("user"), pk=pk)
    Ad.objects.filter(pk=pk).update(hits=F("hits") + 1)
    context = {"ad": ad, "alone": [ad], "visible": live_ads(), "favorites": ad.favorites.count()}
    return render(request, "board/ad.html", context)


def publish(request: HttpRequest) -> HttpResponse:
    form = AdForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if request.user.is_authenticated:
            form.instance.user = request.user
        ad = form.save()
        request.session["own_ads"] = [*request.session.get("own_ads", []), ad.pk]
        messages.success(request, _("The advert is published."))
        return redirect(ad)
    return render(request, "board/publish.html", {"form": form})


def _own_or_live(request: HttpRequest) -> QuerySet[Ad]:
    own = Ad.objects.filter(pk__in=request.session.get("own_ads", []))
    if request.user.is_authenticated:
        own |= Ad.objects.filter(user=request.user)
    return live_ads() | own

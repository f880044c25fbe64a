from __future__ import annotations

from board.listing import PER_PAGE, listed
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from django_neardup.seo.canonical import canonical_url
from news.forms import ArticleForm
from news.models import Article, Outlet, live_articles


def front(request: HttpRequest) -> HttpResponse:
    """One entry a report, whoever printed it; `?similar=all` shows each print."""
    context = {**listed(request, live_articles()), "outlets": Outlet.objects.all()}
    return render(request, "news/front.html", {**context, "visible": live_articles()})


def outlet(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that an outlet printed, and where else it can be read."""
    shown = get_object_or_404(Outlet, slug=slug)
    page = Paginator(live_articles().filter(outlet=shown), PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "news/outlet.html",
        {"outlet": shown, "page_obj": page, "visible": live_articles(), "query": ""},
    )


def article(request: HttpRequest, pk: int) -> HttpResponse:
    shown = get_object_or_404(_readable(request).select_related("outlet", "author"), pk=pk)
    first = canonical_url(shown, live_articles())
    own = shown.author_id is not None and shown.author_id == request.user.pk and shown.outlet is None
    context = {"article": shown, "own": own, "visible": live_articles()}
    if shown.published and first != shown.get_absolute_url():
        context["first"] = first
    return render(request, "news/article.html", context)


@login_required
def write(request: HttpRequest) -> HttpResponse:
    return _written(request, ArticleForm(request.POST or None, initial=_template(request), request=request))


@login_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    own = get_object_or_404(Article, pk=pk, author=request.user, outlet=None)
    return _written(request, ArticleForm(request.POST or None, instance=own, request=request))


def _written(request: HttpRequest, form: ArticleForm) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.info(request, form.neardup.message)
        return redirect(saved)
    return render(request, "news/write.html", {"form": form})


def _template(request: HttpRequest) -> dict[str, str]:
    """The article that the form begins with: `?like=` its number."""
    like = request.GET.get("like", "")
    found = live_articles().filter(pk=like).first() if like.isdecimal() else None
    return {"headline": found.headline, "body": found.body} if found else {}


def _readable(request: HttpRequest) -> QuerySet[Article]:
    if request.user.has_perm("news.view_article"):
        return Article.objects.all()
    return Article.objects.filter(Q(published=True) | Q(author__isnull=False, author=request.user.pk))

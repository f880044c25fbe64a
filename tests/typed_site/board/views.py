from board.models import Ad
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.generic import ListView

import django_neardup as neardup
from django_neardup.listing.views import CollapsedPaginator, SimilarListMixin


def ads(request: HttpRequest) -> HttpResponse:
    visible = Ad.objects.filter(published=True)
    page = Paginator(visible.order_by("-pk"), 20).get_page(request.GET.get("page"))
    groups = neardup.group(page, visible)
    titles = [f"{group.object} {group.label} {group.url} {group.count}" for group in groups]
    return render(request, "board/ads.html", {"groups": groups, "titles": titles})


def collapsed(request: HttpRequest) -> HttpResponse:
    visible = Ad.objects.filter(published=True)
    page = CollapsedPaginator(neardup.collapse(visible.order_by("-pk"), visible), 20).get_page(1)
    return render(request, "board/ads.html", {"page": page})


def similar(request: HttpRequest, pk: int) -> JsonResponse:
    ad = get_object_or_404(Ad, pk=pk)
    matches = neardup.find_similar(ad, Ad, limit=5)
    found = [
        {"pk": match.object.pk if match.object else None, "score": match.score, "verdict": match.verdict}
        for match in matches
    ]
    return JsonResponse({"similar": found, "unique": neardup.uniqueness(ad.text, Ad)})


def check(request: HttpRequest) -> JsonResponse:
    result = neardup.check_many(["a text of several words", "another text of several words"], Ad)
    return JsonResponse({"repeats": [list(checked.repeats) for checked in result]})


class AdList(SimilarListMixin, ListView[Ad]):
    model = Ad
    paginate_by = 20

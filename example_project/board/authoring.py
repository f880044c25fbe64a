"""What authors do: publish, edit, look after their adverts, object."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from board.forms import AdForm, AppealForm
from board.models import Ad, AdReport, live_ads
from board.own import disputed, own_ads, take, with_states


def publish(request: HttpRequest) -> HttpResponse:
    return _written(request, AdForm(request.POST or None, initial=_template(request), request=request))


def edit(request: HttpRequest, pk: int) -> HttpResponse:
    ad = get_object_or_404(own_ads(request), pk=pk)
    return _written(request, AdForm(request.POST or None, instance=ad, request=request))


def mine(request: HttpRequest) -> HttpResponse:
    context = {"own": list(with_states(own_ads(request))), "visible": live_ads()}
    return render(request, "board/mine.html", context)


def appeal(request: HttpRequest, pk: int | None = None) -> HttpResponse:
    """An author's objection, kept beside readers' reports; without a number, about an advert that was not taken."""
    ads = disputed(request, pk) if pk else list(own_ads(request))
    if not ads:
        return _unknown(request)
    form = AppealForm(request.POST or None, ads=ads)
    if request.method == "POST" and form.is_valid():
        form.instance.reason = AdReport.Reason.APPEAL
        form.instance.user = request.user if request.user.is_authenticated else None
        form.save()
        messages.success(request, _("Thank you, a moderator will read it."))
        return redirect("board:mine")
    return render(request, "board/appeal.html", {"ad": ads[0] if pk else None, "form": form})


def _template(request: HttpRequest) -> dict[str, Any]:
    """What the form of a new advert begins with: the advert of `?like=`, without its contacts."""
    like = request.GET.get("like", "")
    ad = (live_ads() | own_ads(request)).filter(pk=like).first() if like.isdecimal() else None
    fields = ("title", "text", "price", "city")
    return {**{name: getattr(ad, name) for name in fields}, "category": ad.categories.first()} if ad else {}


def _unknown(request: HttpRequest) -> HttpResponse:
    """Whoever follows a link of a mail may have to sign in first."""
    if request.user.is_anonymous:
        return redirect_to_login(request.path)
    raise Http404


def _written(request: HttpRequest, form: AdForm) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        ad = form.save()
        take(request, ad)
        messages.success(request, _said(form, ad))
        return redirect(ad if ad.published else "board:mine")
    return render(request, "board/publish.html", {"form": form})


def _said(form: AdForm, ad: Ad) -> str | Promise:
    if form.neardup.outcome != "published":
        return form.neardup.message
    if ad.published:
        return _("The advert is published.")
    return _("The draft is saved.") if ad.draft else _("The changes are saved.")

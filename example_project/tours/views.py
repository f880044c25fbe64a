"""The start page, the tours, the switch of user and the reset. There are no such pages without the setting DEMO."""

from __future__ import annotations

from django.contrib import messages
from django.core.management import call_command
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from django_neardup.models import Document
from tours.accounts import ACCOUNTS, become, current_username
from tours.pages import MissingPostError
from tours.progress import COOKIE, Progress
from tours.tours import TOURS, Tour


def start(request: HttpRequest) -> HttpResponse:
    progress = Progress.of(request)
    tours = [(tour, progress.count(tour), progress.next_number(tour)) for tour in TOURS.values()]
    pending = Document.objects.filter(pending_since__isnull=False).count()
    return render(request, "tours/start.html", {"tours": tours, "pending": pending})


def tour(request: HttpRequest, name: str) -> HttpResponse:
    shown = _tour(name)
    progress = Progress.of(request)
    steps = [(number, step, progress.has_taken(shown, number)) for number, step in enumerate(shown.steps, 1)]
    context = {"tour": shown, "steps": steps, "next_number": progress.next_number(shown)}
    return render(request, "tours/tour.html", {**context, "is_other": not _walks(request, shown)})


def step(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Note that the step was taken, and go to its page."""
    shown = _tour(name)
    if not 0 < number <= len(shown.steps):
        raise Http404
    if not _walks(request, shown):
        return redirect("tours:tour", name)
    try:
        response = redirect(shown.steps[number - 1].address())
    except MissingPostError:
        messages.info(
            request, _("The post of this step is gone or not compared yet. A reset brings it back.")
        )
        response = redirect("tours:tour", name)
    progress = Progress.of(request)
    progress.take(shown, number)
    progress.keep(response)
    return response


@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    """Become one of the accounts, and stay on the page."""
    account = ACCOUNTS.get(request.POST.get("account", ""))
    if account is None:
        raise Http404
    become(request, account)
    following = request.POST.get("next", "")
    is_own = url_has_allowed_host_and_scheme(following, {request.get_host()})
    return redirect(following if is_own else "tours:start")


def reset(request: HttpRequest) -> HttpResponse:
    """Ask, then load everything again. The worker compares it afterwards."""
    if request.method != "POST":
        return render(request, "tours/reset.html")
    call_command("load_example", reset=True, verbosity=0)
    request.session.flush()
    messages.success(request, _("Everything is as it was at the beginning. You are a guest."))
    response = redirect(reverse("tours:start"))
    response.delete_cookie(COOKIE)
    return response


def _tour(name: str) -> Tour:
    if name not in TOURS:
        raise Http404
    return TOURS[name]


def _walks(request: HttpRequest, shown: Tour) -> bool:
    """Return whether the visitor has the account of the tour. An administrator may take every step of moderators."""
    username = current_username(request)
    return username == shown.account.username or (
        username == "admin" and shown.account.username == "moderator"
    )

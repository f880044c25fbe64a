"""A visitor's own adverts: by account, or by the session that posted them; and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from board.models import Ad, live_ads
from django_neardup.authors import fates
from django_neardup.models import Hold

SESSION = "own_ads"
STATES: dict[str, tuple[Promise, Promise]] = {
    "draft": (_("draft"), _("Nobody else sees it.")),
    "hidden": (_("not shown"), _("A moderator has taken it from the board.")),
    Hold.State.CHECKING: (
        _("being checked"),
        _("It is shown as soon as it has been compared, usually in seconds."),
    ),
    Hold.State.REVIEW: (_("at a moderator’s"), _("A moderator looks at it first, usually within an hour.")),
    Hold.State.REFUSED: (_("not published"), _("A moderator has decided so.")),
}


class Own(NamedTuple):
    """One of the visitor's adverts; `state` is empty where everybody sees it."""

    ad: Ad
    state: str

    @property
    def label(self) -> Promise | str:
        return STATES[self.state][0] if self.state else ""

    @property
    def explanation(self) -> Promise | str:
        return STATES[self.state][1] if self.state else ""

    @property
    def appealable(self) -> bool:
        return self.state in (Hold.State.REVIEW, Hold.State.REFUSED, "hidden")


def own_ads(request: HttpRequest) -> QuerySet[Ad]:
    """Every advert of the visitor, shown or not, the newest first."""
    own = Ad.objects.filter(pk__in=request.session.get(SESSION, []))
    if request.user.is_authenticated:
        own |= Ad.objects.filter(user=request.user)
    return own.order_by("-created", "-pk")


def take(request: HttpRequest, ad: Ad) -> None:
    """Remember who posted it."""
    request.session[SESSION] = list({*request.session.get(SESSION, []), ad.pk})


def with_states(ads: Iterable[Ad]) -> Iterator[Own]:
    ads = list(ads)
    held = Hold.objects.filter(
        document__content_type=ContentType.objects.get_for_model(Ad),
        document__object_id__in=[str(ad.pk) for ad in ads],
    )
    states = dict(held.values_list("document__object_id", "state"))
    for ad in ads:
        yield Own(ad, _state(ad, states.get(str(ad.pk), "hidden")))


def _state(ad: Ad, otherwise: str) -> str:
    if ad.published:
        return ""
    return "draft" if ad.draft else otherwise


def disputed(request: HttpRequest, pk: int) -> list[Ad]:
    """The advert that an objection is about: one that the visitor sees, or the one that his own became part of."""
    seen = (live_ads() | own_ads(request)).filter(pk=pk)
    if seen or not request.user.is_authenticated:
        return list(seen)
    merged = fates(request.user, Ad, visible=live_ads())
    return [fate.keeper for fate in merged if fate.keeper and fate.appeal_url == request.path]

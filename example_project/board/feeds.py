"""The latest adverts as RSS and Atom: one entry a group, as on the front page."""

from __future__ import annotations

from datetime import datetime

from django.contrib.syndication.views import Feed
from django.urls import reverse_lazy
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext_lazy as _

import django_neardup as neardup

from .models import Ad, live_ads
from .templatetags.board import rubles, snippet

ENTRIES = 30


class LatestAds(Feed):
    title = _("Ural Board: latest adverts")
    link = reverse_lazy("board:front")
    description = _("One entry for adverts that say the same.")

    def items(self) -> list[Ad]:
        return list(neardup.collapse(live_ads())[:ENTRIES])

    def item_title(self, ad: Ad) -> str:
        return f"{ad.title}, {rubles(ad.price)}"

    def item_description(self, ad: Ad) -> str:
        return str(snippet(ad.text))

    def item_pubdate(self, ad: Ad) -> datetime:
        return ad.created


class LatestAdsAtom(LatestAds):
    feed_type = Atom1Feed
    subtitle = LatestAds.description

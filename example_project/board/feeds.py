"""The latest adverts as RSS and Atom: one entry a group, as on the front page."""

from __future__ import annotations

import re
from datetime import datetime

from django.contrib.syndication.views import Feed
from django.urls import reverse_lazy
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext_lazy as _

import django_neardup as neardup
from board.models import Ad, live_ads
from board.templatetags.board import rubles, snippet

ENTRIES = 30
NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class LatestAds(Feed):
    title = _("Ural Board: latest adverts")
    link = reverse_lazy("board:front")
    description = _("One entry for adverts that say the same.")

    def items(self) -> list[Ad]:
        return list(neardup.collapse(live_ads())[:ENTRIES])

    def item_title(self, ad: Ad) -> str:
        return _for_xml(f"{ad.title}, {rubles(ad.price)}")

    def item_description(self, ad: Ad) -> str:
        return _for_xml(snippet(ad.text))

    def item_pubdate(self, ad: Ad) -> datetime:
        return ad.created


class LatestAdsAtom(LatestAds):
    feed_type = Atom1Feed
    subtitle = LatestAds.description


def _for_xml(text: str) -> str:
    """The text without characters that no XML may hold; one of them would be the end of the whole feed."""
    return NOT_XML.sub("", text)

from datetime import date
from typing import Any

from board.models import Ad
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path

from django_neardup.api.throttling import Throttle
from django_neardup.sitemaps import NeardupSitemap


class AdSitemap(NeardupSitemap):
    model = Ad
    changefreq = "weekly"

    def lastmod(self, item: Any) -> date:
        return date.today()


class PerUser(Throttle):
    def __init__(self) -> None:
        super().__init__("10/m")


urlpatterns = [
    path("similar/", include("django_neardup.urls")),
    path("sitemap.xml", sitemap, {"sitemaps": {"ads": AdSitemap, "all": NeardupSitemap(Ad)}}),
]

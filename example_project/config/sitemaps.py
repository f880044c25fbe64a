"""What search engines are told of: adverts and articles without their twins, and the topics of the forum."""

from __future__ import annotations

from board.models import Ad
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from forum.models import Topic, live_topics
from news.models import Article

from django_neardup.sitemaps import NeardupSitemap


class AdSitemap(NeardupSitemap):
    model = Ad
    date_field = "created"


class TopicSitemap(Sitemap):
    def items(self) -> QuerySet[Topic]:
        return live_topics()


class ArticleSitemap(NeardupSitemap):
    model = Article
    date_field = "created"


SITEMAPS = {"adverts": AdSitemap, "topics": TopicSitemap, "news": ArticleSitemap}

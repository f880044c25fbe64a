"""How django-neardup sees the articles: a reprint under another headline is the same report."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest

import django_neardup as neardup
from news.models import Article


@neardup.register(Article)
class ArticleNeardup(neardup.Adapter):
    """Readers' copies wait for an editor; reprints of outlets come from editors, whom the rules let through."""

    profile = "news"
    fields = ["headline", "body"]
    heads = []
    watch = ["published"]
    authors = "auth.User"
    publication = [
        {"action": "ignore", "trust": "staff"},
        {"action": "block", "own": True, "exact": True},
        {"action": "hold", "verdict": ["duplicate", "contained"]},
        {"action": "hold", "too_long": True},
    ]

    def live(self) -> QuerySet[Article]:
        return Article.objects.filter(published=True)

    def compared(self) -> QuerySet[Article]:
        return Article.objects.all()

    def visible(self, request: HttpRequest) -> QuerySet[Article]:
        return self.compared() if request.user.has_perm("news.view_article") else self.live()

    def author(self, article: Article) -> int | None:
        return article.author_id

    def edited_at(self, article: Article) -> datetime | None:
        return article.edited

    def hide(self, article: Article) -> None:
        article.published = False
        article.save(update_fields=["published"])

    def show(self, article: Article) -> None:
        article.published = True
        article.save(update_fields=["published"])

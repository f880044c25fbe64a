"""What neardup knows of articles."""

import django_neardup as neardup

from .models import Article


@neardup.register(Article)
class ArticleNeardup(neardup.Adapter):
    fields = ["title", "body"]
    watch = ["live"]
    fixed_fields = ["first_published_at"]

    def live(self):
        return Article.objects.live()

    def compared(self):
        return Article.objects.all()

    def hide(self, article):
        article.live = False
        article.save(update_fields=["live"])

    def show(self, article):
        article.live = True
        article.save(update_fields=["live"])

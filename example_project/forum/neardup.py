"""How django-neardup sees the messages: their own words, without what they quote."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest

import django_neardup as neardup
from forum.models import Post


@neardup.register(Post)
class PostNeardup(neardup.Adapter):
    """Whoever has signed in is not bothered; a guest's message is shown when it has been compared with all others."""

    profile = "forum"
    fields = ["text"]
    quotes = "drop"
    watch = ["published"]
    authors = "auth.User"
    hold_until_checked = True
    publication = [
        {"action": "ignore", "trust": ["staff", "member"]},
        {"action": "block", "verdict": "duplicate", "exact": True},
        {"action": "hold", "verdict": ["duplicate", "contained"]},
    ]

    def live(self) -> QuerySet[Post]:
        return Post.objects.filter(published=True)

    def compared(self) -> QuerySet[Post]:
        return Post.objects.all()

    def visible(self, request: HttpRequest) -> QuerySet[Post]:
        return self.compared() if request.user.has_perm("forum.view_post") else self.live()

    def author(self, post: Post) -> int | None:
        return post.author_id

    def hide(self, post: Post) -> None:
        post.published = False
        post.save(update_fields=["published"])

    def show(self, post: Post) -> None:
        post.published = True
        post.save(update_fields=["published"])

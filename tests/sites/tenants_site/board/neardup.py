"""The adapter of the posts."""

import django_neardup as neardup

from .models import Post


@neardup.register(Post)
class PostNeardup(neardup.Adapter):
    fields = ("text",)
    scope = ("city",)

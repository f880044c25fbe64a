"""The posts as a site registers them."""

from __future__ import annotations

from typing import Any

import django_neardup as neardup
from benchmarks.board.models import Post


@neardup.register(Post)
class PostNeardup(neardup.Adapter):
    fields = ("text",)

    def author(self, instance: Any) -> Any:
        return instance.author

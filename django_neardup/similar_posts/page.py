"""What a page, and a block on another page, show of the posts that are like one."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

from django.core.paginator import Page, Paginator
from django.db.models import Model
from django.http import HttpRequest

from ..listing.group import SimilarPageUrls
from ..visibility import GroupingError, ObjectKey, Querysets, VisibilityFilter, object_key
from .entries import SimilarEntry
from .query import SimilarReader
from .template_names import Renderable

PAGE_SIZE = 20
MAX_OUTSIDE_POSTS = 40
"""Of how many posts outside the cluster is spoken, at most."""
SIMILAR_LIMIT = 5


def parse_limit(limit: Any) -> int:
    """How many at most, as a template gives it; ``GroupingError`` for what is no number from 0 on."""
    if isinstance(limit, int) and limit >= 0:
        return min(limit, sys.maxsize)
    raise GroupingError(f"The limit is {limit!r}: write a whole number, 0 or more.")


class SimilarPosts:
    """What a visitor may see of an object's cluster, and of what else is like it.

    ``first`` is the object's own entry, ``entries`` those of the other members on this ``page``; on the first page
    ``variants`` are other items of like text, ``related`` posts that are alike in part. ``count`` is that of all
    members, the object among them. ``visible``: the querysets of all that the visitor may see, one a model.
    """

    def __init__(self, instance: Model, visible: Querysets, page_number: str | int = 1) -> None:
        reader = SimilarReader(instance, VisibilityFilter(visible))
        self.page: Page[ObjectKey] = Paginator(reader.members, PAGE_SIZE).get_page(page_number)
        self.count = 1 + len(reader.members)
        alike = reader.find_outside_pairs(MAX_OUTSIDE_POSTS) if self.page.number == 1 else []
        self.own_entry, self.entries, outside = reader.build_entries(list(self.page.object_list), alike)
        self.variants = [entry for entry in outside if entry.is_other_item]
        self.related = [entry for entry in outside if not entry.is_other_item]


class SimilarBlock(Renderable):
    """The likest posts of an object: ``entries``, members of its cluster first; ``count``: how many there are in all.

    ``url``: the page that lists them; empty where there are none, where the visitor may not see the object itself, or
    where our URLs are not included. Printed, it is the template ``neardup/block.html``.
    """

    template_name: ClassVar[str] = "block.html"
    context_name: ClassVar[str] = "similar"

    def __init__(
        self,
        instance: Model,
        visible: Querysets,
        limit: int = SIMILAR_LIMIT,
        request: HttpRequest | None = None,
    ) -> None:
        super().__init__(object_key(instance)[0], request)
        self.entries: list[SimilarEntry] = []
        self.count, self.url = 0, ""
        allowed, most = VisibilityFilter(visible), parse_limit(limit)
        if instance.pk is not None:
            self._load_entries(SimilarReader(instance, allowed), most)

    @property
    def more_count(self) -> int:
        """How many of them are not among the entries."""
        return self.count - len(self.entries)

    def _load_entries(self, reader: SimilarReader, limit: int) -> None:
        alike = reader.find_outside_pairs(MAX_OUTSIDE_POSTS)
        members = reader.members[:limit]
        wanted = alike[: limit - len(members)]
        if members or wanted:
            found = reader.build_entries(members, wanted)
            self.entries = [*found.members, *found.outside]
        left_out = len(members) + len(wanted) - len(self.entries)
        self.count = len(reader.members) + len(alike) - left_out
        if self.count:
            self.url = SimilarPageUrls().url_for(reader.key) if reader.is_visible else ""

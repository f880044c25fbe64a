"""The posts similar to a post, for the similar page and for a block on another page."""

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
"""Maximum number of posts outside the cluster that are shown."""
SIMILAR_LIMIT = 5


def parse_limit(limit: Any) -> int:
    """Return the maximum number of posts from a template's value.

    Raise ``GroupingError`` if it is not a whole number from 0.
    """
    if isinstance(limit, int) and limit >= 0:
        return min(limit, sys.maxsize)
    raise GroupingError(f"limit is {limit!r}. Pass a whole number, 0 or more.")


class SimilarPosts:
    """The visible members of an object's cluster, and other similar posts.

    - ``own_entry``: the object's entry.
    - ``entries``: the entries of the other members on this ``page``.
    - ``variants``: different items with a similar text. On the first page only.
    - ``related``: posts that are partly similar. On the first page only.
    - ``count``: number of all members, including the object.

    ``visible``: the querysets of all posts that the visitor may see, one for each model.
    """

    def __init__(self, instance: Model, visible: Querysets, page_number: str | int = 1) -> None:
        reader = SimilarReader(instance, VisibilityFilter(visible))
        self.page: Page[ObjectKey] = Paginator(reader.members, PAGE_SIZE).get_page(page_number)
        self.count = 1 + len(reader.members)
        outside_pairs = reader.find_outside_pairs(MAX_OUTSIDE_POSTS) if self.page.number == 1 else []
        self.own_entry, self.entries, outside = reader.build_entries(
            list(self.page.object_list), outside_pairs
        )
        self.variants = [entry for entry in outside if entry.is_other_item]
        self.related = [entry for entry in outside if not entry.is_other_item]


class SimilarBlock(Renderable):
    """The posts most similar to an object.

    ``entries``: members of its cluster first. ``count``: number of similar posts in all. ``url``: the page
    that lists them. It is empty if there are none, if the visitor may not see the object, or if the app's
    URLs are not included. As a string, the block is the rendered template ``neardup/block.html``.
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
        visibility, max_entries = VisibilityFilter(visible), parse_limit(limit)
        if instance.pk is not None:
            self._load_entries(SimilarReader(instance, visibility), max_entries)

    @property
    def more_count(self) -> int:
        """Number of similar posts that are not in the entries."""
        return self.count - len(self.entries)

    def _load_entries(self, reader: SimilarReader, limit: int) -> None:
        outside_pairs = reader.find_outside_pairs(MAX_OUTSIDE_POSTS)
        members = reader.members[:limit]
        shown_pairs = outside_pairs[: limit - len(members)]
        if members or shown_pairs:
            entry_lists = reader.build_entries(members, shown_pairs)
            self.entries = [*entry_lists.members, *entry_lists.outside]
        # Posts that are gone or were edited have no entry, so they are not counted.
        missing_count = len(members) + len(shown_pairs) - len(self.entries)
        self.count = len(reader.members) + len(outside_pairs) - missing_count
        if self.count:
            self.url = SimilarPageUrls().url_for(reader.key) if reader.is_visible else ""

"""What a page, and a block on another page, show of the posts that are like one."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

from django.core.paginator import Page, Paginator
from django.db.models import Model
from django.http import HttpRequest

from ..grouping import Addresses
from ..templating import Rendered
from ..visible import GroupingError, Key, Querysets, Visible, key_of
from .entries import Entry
from .reading import Reader

PAGE = 20
ALIKE = 40
"""Of how many posts outside the cluster is spoken, at most."""
LIMIT = 5


def checked_limit(limit: Any) -> int:
    """How many at most, as a template gives it; ``GroupingError`` for what is no number from 0 on."""
    if isinstance(limit, int) and limit >= 0:
        return min(limit, sys.maxsize)
    raise GroupingError(f"The limit is {limit!r}: write a whole number, 0 or more.")


class Similar:
    """What a visitor may see of an object's cluster, and of what else is like it.

    ``first`` is the object's own entry, ``entries`` those of the other members on this ``page``; on the first page
    ``variants`` are other items of like text, ``related`` posts that are alike in part. ``count`` is that of all
    members, the object among them. ``visible``: the querysets of all that the visitor may see, one a model.
    """

    def __init__(self, instance: Model, visible: Querysets, number: str | int = 1) -> None:
        reader = Reader(instance, Visible(visible))
        self.page: Page[Key] = Paginator(reader.members, PAGE).get_page(number)
        self.count = 1 + len(reader.members)
        alike = reader.alike(ALIKE) if self.page.number == 1 else []
        self.first, self.entries, outside = reader.listed(list(self.page.object_list), alike)
        self.variants = [entry for entry in outside if entry.other_item]
        self.related = [entry for entry in outside if not entry.other_item]


class Block(Rendered):
    """The likest posts of an object: ``entries``, members of its cluster first; ``count``: how many there are in all.

    ``url``: the page that lists them; empty where there are none, where the visitor may not see the object itself, or
    where our URLs are not included. Printed, it is the template ``neardup/block.html``.
    """

    template: ClassVar[str] = "block.html"
    name: ClassVar[str] = "similar"

    def __init__(
        self, instance: Model, visible: Querysets, limit: int = LIMIT, request: HttpRequest | None = None
    ) -> None:
        super().__init__(key_of(instance)[0], request)
        self.entries: list[Entry] = []
        self.count, self.url = 0, ""
        allowed, most = Visible(visible), checked_limit(limit)
        if instance.pk is not None:
            self._read(Reader(instance, allowed), most)

    @property
    def more(self) -> int:
        """How many of them are not among the entries."""
        return self.count - len(self.entries)

    def _read(self, reader: Reader, limit: int) -> None:
        alike = reader.alike(ALIKE)
        members = reader.members[:limit]
        wanted = alike[: limit - len(members)]
        if members or wanted:
            found = reader.listed(members, wanted)
            self.entries = [*found.members, *found.alike]
        left_out = len(members) + len(wanted) - len(self.entries)
        self.count = len(reader.members) + len(alike) - left_out
        if self.count:
            self.url = Addresses().of(reader.key) if reader.held else ""

"""Two texts cut at what a pair's evidence names in them, and each with what is known of its post."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from ..adapters import Source
from ..comparison.pieces import Piece, Shared, cut
from ..models import Document
from ..text.difference import Difference
from ..text.plain import plain_text
from ..text.traced import Traced
from .marks import LENGTH, beginning, marked, numbers_in
from .passages import differences_of, shared_of
from .shown import Shown

MOVED = 12
"""Numbers of passages that a cell lists."""


@dataclass(frozen=True)
class Post:
    """One side. ``text`` is None where it is gone or not for this person; ``cut`` where it is longer.

    ``earlier`` says by how much it was seen before the other, ``same_author`` whether both have one author.
    """

    shown: Shown
    letter: str
    text: SafeString | None = None
    cut: bool = False
    earlier: str = ""
    same_author: bool = False


class Texts:
    """Both texts cut at what the evidence names in them."""

    def __init__(
        self, left: Shown, right: Shown, sources: Mapping[int, Source], evidence: Mapping[str, Any], side: str
    ) -> None:
        self.shown = (left, right)
        self.texts = [_plain(sources.get(each.document.pk)) for each in self.shown]
        self.found: list[Difference] = []
        self.shared: list[Shared] = []
        if self.texts[0] is not None and self.texts[1] is not None and evidence:
            self.found = differences_of(evidence, side)
            self.shared = shared_of(evidence, side, (self.texts[0], self.texts[1]))

    @property
    def order(self) -> str:
        """The passages as the right text has them, where that is another order."""
        numbers = [each.number for each in sorted(self.shared, key=lambda each: each.b)]
        if numbers == sorted(numbers):
            return ""
        return ", ".join(map(str, numbers[:MOVED])) + (" …" if len(numbers) > MOVED else "")

    def posts(self) -> list[Post]:
        """Both sides."""
        pieces = [self._pieces(place) for place in (0, 1)]
        twins = numbers_in(pieces[0]) & numbers_in(pieces[1])
        return [
            self._post(place, letter, pieces[place], twins)
            for place, letter in enumerate(("A", "B"))
        ]  # fmt: skip

    def _pieces(self, place: int) -> list[Piece]:
        text = self.texts[place]
        return [] if text is None else beginning(cut(text, self.found, self.shared, "ab"[place]))

    def _post(self, place: int, letter: str, pieces: Sequence[Piece], twins: set[int]) -> Post:
        shown, other, text = self.shown[place], self.shown[1 - place], self.texts[place]
        if text is None:
            return Post(shown, letter)
        both = other.instance is not None
        authors = {shown.document.author, other.document.author}
        return Post(
            shown,
            letter,
            marked(pieces, letter, twins),
            len(text.text) > LENGTH,
            earlier(shown.document, other.document) if both else "",
            both and len(authors) == 1 and authors != {""},
        )


def _plain(source: Source | None) -> Traced | None:
    return None if source is None else plain_text(source.text)


def earlier(one: Document, other: Document) -> str:
    """By how much that one was seen before the other; empty for the later one."""
    if (one.first_seen, one.pk) > (other.first_seen, other.pk):
        return ""
    if other.created - one.created < timedelta(days=1):
        return _("earlier")
    return _("%(time)s earlier") % {"time": timesince(one.created, other.created, depth=1)}

"""A post in a list of like posts: its title, its address, and how it differs from the one it is listed for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Model

from ..adapters import Source, adapter_for
from ..finding.matches import address_of as address_of
from ..finding.matches import appeal_of as appeal_of
from ..finding.matches import safe_url as safe_url
from ..hints import Hint, hints
from ..pipeline.objects import canonical_id
from ..templating import template_names
from ..text.plain import plain_text
from ..titles import shorten, title_of
from ..visible import Key
from .facts import Fact

TITLE = 120
EXCERPT = 200
EXCERPT_RAW = 4_000
"""Letters as written that an excerpt is made of: the whole of a long post is never scanned for it."""


@dataclass(frozen=True)
class Entry:
    """A post of the list. ``hints`` say how it differs from the first, ``same`` that it has its text.

    ``compared``: whether that much is known; both texts were compared as they stand now. ``other_item``: the texts are
    alike, and about unlike things.
    """

    object: Model
    title: str
    url: str
    excerpt: str
    hints: list[Hint] = field(default_factory=list)
    same: bool = False
    compared: bool = False
    other_item: bool = False

    @property
    def templates(self) -> list[str]:
        """The templates that print it, the most specific first."""
        return template_names(type(self.object), "entry.html")


class Entries:
    """Makes entries of objects that were read already, beside one of them."""

    def __init__(self, own: Key, objects: dict[Key, Model], using: str) -> None:
        self._own, self._objects = own, objects
        self._sources = sources_of(objects, using)

    def __contains__(self, key: Key) -> bool:
        """Whether the object is still there and could be read."""
        return key in self._objects and key in self._sources

    def is_current(self, fact: Fact) -> bool:
        """Were both texts compared as they stand now? Words of an older one are nobody's business."""
        if fact.key not in self._sources or self._own not in self._sources:
            return False
        return fact.digests == (self._sources[self._own].digest, self._sources[fact.key].digest)

    def plain(self, key: Key) -> Entry:
        """The post alone."""
        instance = self._objects[key]
        text = self._sources[key].text if key in self._sources else ""
        title = title_of(instance, TITLE)
        return Entry(
            instance, title, address_of(instance), _excerpt(text, title, adapter_for(instance).quotes)
        )

    def compared(self, key: Key, fact: Fact, evidence: Any) -> Entry:
        """The post and how it differs; only where the fact is current."""
        other = "b" if fact.mine == "a" else "a"
        texts = {fact.mine: self._sources[self._own].text, other: self._sources[key].text}
        named = hints(evidence if isinstance(evidence, dict) else {}, texts, fact.mine)
        same = fact.exact and not named
        return replace(self.plain(key), hints=named, same=same, compared=True, other_item=fact.other_item)


def sources_of(objects: Iterable[Key], using: str) -> dict[Key, Source]:
    """All that was read of those objects, as they stand now: three queries a model."""
    of_model: defaultdict[type[Model], list[str]] = defaultdict(list)
    for model, object_id in objects:
        of_model[model].append(object_id)
    return {
        (model, canonical_id(pk)): source
        for model, ids in of_model.items()
        for pk, source in adapter_for(model)
        .sources([model._meta.pk.to_python(each) for each in ids], using)
        .items()
    }


def _excerpt(text: str, title: str, quotes: str) -> str:
    plain = " ".join(plain_text(text[:EXCERPT_RAW], quotes=quotes).text.split())
    return shorten(plain.removeprefix(title).lstrip(" .,:;–-"), EXCERPT)

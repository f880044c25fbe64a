"""A post in a list of similar posts: its title, its address and its differences from the post of the list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..pipeline.content_objects import canonical_id
from ..search.difference_labels import DifferenceLabel, build_difference_labels
from ..search.display_titles import display_title, shorten
from ..search.results import public_url as public_url
from ..search.results import safe_appeal_url as safe_appeal_url
from ..search.results import safe_url as safe_url
from ..text.normalization.offsets import PlainText
from ..text.normalization.plain_text import plain_text
from ..visibility import ObjectKey
from .pair_query import SimilarPair
from .template_names import template_names

MAX_TITLE_LENGTH = 120
MAX_EXCERPT_LENGTH = 200
MAX_EXCERPT_SOURCE = 4_000
"""Maximum length of the source of an excerpt, in letters. A long post is never read as a whole for it."""


@dataclass(frozen=True)
class SimilarEntry:
    """A post of the list.

    ``hints``: its differences from the post that it is listed for. ``is_same_text``: both have the same
    text. ``is_compared``: the differences are known, because the current versions of both texts were
    compared. ``is_other_item``: the texts are surely about different items.
    """

    object: Model
    title: str
    url: str
    excerpt: str
    hints: list[DifferenceLabel] = field(default_factory=list)
    is_same_text: bool = False
    is_compared: bool = False
    is_other_item: bool = False

    @property
    def template_names(self) -> list[str]:
        """The templates that render it, the most specific first."""
        return template_names(type(self.object), "entry.html")


class EntryBuilder:
    """A builder for entries of loaded objects, in the list of one of them."""

    def __init__(self, own_key: ObjectKey, objects: dict[ObjectKey, Model], using: str) -> None:
        self._own_key, self._objects = own_key, objects
        self._sources = sources_of(objects, using)

    def __contains__(self, key: ObjectKey) -> bool:
        """Return whether the object still exists and could be read."""
        return key in self._objects and key in self._sources

    def is_current(self, pair: SimilarPair) -> bool:
        """Return whether the current versions of both texts were compared."""
        if pair.key not in self._sources or self._own_key not in self._sources:
            return False
        # Visitors must not see words of an earlier version.
        return pair.digests == (self._sources[self._own_key].digest, self._sources[pair.key].digest)

    def build_plain(self, key: ObjectKey) -> SimilarEntry:
        """Return the entry of a post without its differences."""
        instance = self._objects[key]
        text = self._sources[key].text if key in self._sources else ""
        title = display_title(instance, MAX_TITLE_LENGTH)
        return SimilarEntry(
            instance, title, public_url(instance), _build_excerpt(text, title, adapter_for(instance))
        )

    def build_compared(self, key: ObjectKey, pair: SimilarPair, evidence: Any) -> SimilarEntry:
        """Return the entry of a post with its differences. Call it only if the pair is current."""
        other_side = "b" if pair.own_side == "a" else "a"
        texts = {pair.own_side: self._sources[self._own_key].text, other_side: self._sources[key].text}
        differences = build_difference_labels(
            evidence if isinstance(evidence, dict) else {}, texts, pair.own_side
        )
        is_same_text = pair.exact and not differences
        return replace(
            self.build_plain(key),
            hints=differences,
            is_same_text=is_same_text,
            is_compared=True,
            is_other_item=pair.is_other_item,
        )


def sources_of(objects: Iterable[ObjectKey], using: str) -> dict[ObjectKey, Source]:
    """Return the current sources of the objects. This takes three queries for each model."""
    ids_by_model: defaultdict[type[Model], list[str]] = defaultdict(list)
    for model, object_id in objects:
        ids_by_model[model].append(object_id)
    return {
        (model, canonical_id(pk)): source
        for model, ids in ids_by_model.items()
        for pk, source in adapter_for(model)
        .sources([model._meta.pk.to_python(object_id) for object_id in ids], using)
        .items()
    }


def _build_excerpt(text: str, title: str, adapter: Adapter) -> str:
    beginning = plain_text(text[:MAX_EXCERPT_SOURCE], adapter.quotes, PlainText, adapter.markup)
    plain = " ".join(beginning.text.split())
    return shorten(plain.removeprefix(title).lstrip(" .,:;–-"), MAX_EXCERPT_LENGTH)

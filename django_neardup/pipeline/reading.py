"""The objects of documents as they are now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from django.contrib.contenttypes.models import ContentType
from django.db import models

from ..adapters import Adapter, Source, adapter_for, registered
from ..columns import as_key
from ..models import Document
from .records import Read

MOST_CHARACTERS = 2_000_000
"""Of texts that are canonised side by side: long ones take some 30 bytes a character."""


def read_many(documents: Sequence[Document], using: str, strict: bool = False) -> list[Read]:
    """The documents' objects as they are now, few queries a model; one ``Read`` a document, in their order.

    An object that cannot be read is logged and left out; where ``strict``, its error is raised."""
    places = [(each.content_type_id, each.object_id) for each in documents]
    adapters = {kind: adapter_of(kind, using) for kind, _ in places}
    found = read_sources(places, using, strict)
    return [
        Read(document, adapters[place[0]], found.get(place))
        for document, place in zip(documents, places, strict=True)
    ]


class Readable(Protocol):
    """What has a source, or would have one."""

    @property
    def source(self) -> Source | None: ...


R = TypeVar("R", bound=Readable)


def by_length(reads: Iterable[R]) -> Iterator[list[R]]:
    """The same in their order, in portions that can be canonised side by side however long the texts are."""
    portion: list[R] = []
    characters = 0
    for each in reads:
        length = 0 if each.source is None else len(each.source.text)
        if portion and characters + length > MOST_CHARACTERS:
            yield portion
            portion, characters = [], 0
        portion.append(each)
        characters += length
    if portion:
        yield portion


def read_sources(
    places: Iterable[tuple[int, str]], using: str, strict: bool = False
) -> dict[tuple[int, str], Source]:
    """The sources of those objects that exist, by content type id and canonical id."""
    by_kind: dict[int, dict[Any, str]] = {}
    for kind, text in places:
        adapter = adapter_of(kind, using)
        if adapter is not None and (key := as_key(adapter.model, text)) is not None:
            by_kind.setdefault(kind, {})[key] = text
    found: dict[tuple[int, str], Source] = {}
    for kind, keys in by_kind.items():
        adapter = adapter_of(kind, using)
        assert adapter is not None
        sources = adapter.sources(keys, using, strict)
        found |= {(kind, keys[key]): source for key, source in sources.items()}
    return found


def adapter_of(kind: int, using: str) -> Adapter | None:
    """The adapter of a content type's model; None where the site has dropped the model or its adapter."""
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    return _adapter(model) if model is not None else None


def _adapter(model: type[models.Model]) -> Adapter | None:
    return adapter_for(model) if model in registered() else None

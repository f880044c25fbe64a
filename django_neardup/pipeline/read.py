"""Read the current posts of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from django.contrib.contenttypes.models import ContentType
from django.db import models

from ..adapters import Adapter, Source, adapter_for, registered_adapters
from ..models import Document
from ..querysets import parse_pk
from .stage_types import ReadDocument

MAX_CHARACTERS = 2_000_000
"""Characters of texts that are canonicalized together. Long texts take some 30 bytes per character."""


def read_many(documents: Sequence[Document], using: str, strict: bool = False) -> list[ReadDocument]:
    """Read the objects of documents, with few queries per model.

    Return one ReadDocument each, in their order.

    An object that cannot be read is logged, and its source is None. If ``strict``, raise its error instead.
    """
    post_ids = [(row.content_type_id, row.object_id) for row in documents]
    adapters = {content_type_id: adapter_of(content_type_id, using) for content_type_id, _ in post_ids}
    sources = read_sources(post_ids, using, strict)
    return [
        ReadDocument(document, adapters[post_id[0]], sources.get(post_id))
        for document, post_id in zip(documents, post_ids, strict=True)
    ]


class HasSource(Protocol):
    """An item with a source, or with None in its place."""

    @property
    def source(self) -> Source | None: ...


R = TypeVar("R", bound=HasSource)


def split_by_length(reads: Iterable[R]) -> Iterator[list[R]]:
    """Yield the items in their order, in batches short enough to be canonicalized together.

    A longer text forms its own batch.
    """
    batch: list[R] = []
    characters = 0
    for item in reads:
        length = 0 if item.source is None else len(item.source.text)
        if batch and characters + length > MAX_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += length
    if batch:
        yield batch


def read_sources(
    post_ids: Iterable[tuple[int, str]], using: str, strict: bool = False
) -> dict[tuple[int, str], Source]:
    """Return the sources of the objects that exist, by content type id and canonical id.

    An object that cannot be read is logged and left out. If ``strict``, raise its error instead.
    """
    ids_by_content_type: dict[int, dict[Any, str]] = {}
    for content_type_id, object_id in post_ids:
        adapter = adapter_of(content_type_id, using)
        if adapter is not None and (key := parse_pk(adapter.model, object_id)) is not None:
            ids_by_content_type.setdefault(content_type_id, {})[key] = object_id
    sources_by_post: dict[tuple[int, str], Source] = {}
    for content_type_id, object_ids in ids_by_content_type.items():
        adapter = adapter_of(content_type_id, using)
        assert adapter is not None
        sources = adapter.sources(object_ids, using, strict)
        sources_by_post |= {(content_type_id, object_ids[key]): source for key, source in sources.items()}
    return sources_by_post


def adapter_of(content_type_id: int, using: str) -> Adapter | None:
    """Return the adapter of a content type's model.

    Return None if the site no longer has the model or the adapter.
    """
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    return _registered_adapter(model) if model is not None else None


def _registered_adapter(model: type[models.Model]) -> Adapter | None:
    return adapter_for(model) if model in registered_adapters() else None

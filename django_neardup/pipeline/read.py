"""Read the current posts of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from ..adapters import Source, read_sources
from ..models import Document
from ..registry import adapter_of
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

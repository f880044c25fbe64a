"""Bulk requests that write documents with versions, keys and texts into an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...db.chunks import chunked
from ...exceptions import IndexUnavailable
from . import key_documents
from .post_texts import PostTexts
from .text_search import text_fields

if TYPE_CHECKING:
    from .opensearch_index import OpenSearchIndex

TEXTS_PER_READ = 100
"""Posts that are read together."""
CHARACTERS_PER_REQUEST = 4_000_000
"""OpenSearch takes requests of 100 MB. With texts, a batch may be longer."""
CONFLICT = 409


def write_entries(
    index: OpenSearchIndex,
    target: str,
    counter: int | None,
    entries: Sequence[key_documents.Entry],
) -> set[int]:
    """Write entries into an index. Return the documents that have a newer version there.

    ``counter``: the number of the shipment, or None outside of shipments.
    """
    refused: set[int] = set()
    items = _items(index.using, counter, entries)
    for documents, lines in key_documents.split_requests(items, CHARACTERS_PER_REQUEST):
        with index.client.connect() as api:
            answer = api.bulk(
                body=lines,
                index=target,
                params={
                    "filter_path": "errors,items.*.status,items.*.error.reason",
                    "require_alias": "false",
                },
            )
        if not answer.get("errors"):
            continue
        for document, item in zip(documents, answer["items"], strict=True):
            result = item["index"]
            if result["status"] == CONFLICT and document is not None:
                refused.add(document)
            elif result["status"] >= 300:
                reason = result.get("error", {}).get("reason", "")
                raise IndexUnavailable(
                    f"OpenSearch does not write into {target!r}: {result['status']}, {reason[:300]}"
                )
    return refused


def _items(
    using: str, counter: int | None, entries: Sequence[key_documents.Entry]
) -> Iterator[tuple[int | None, str]]:
    """Yield the document and the lines of each item of bulk requests. The shipment has no document.

    The number of the shipment comes first: an index that got a part of a shipment has it.
    """
    if counter is not None:
        yield None, key_documents.shipment_lines(counter)
    texts = PostTexts(using)
    for portion in chunked(entries, TEXTS_PER_READ):
        text_by_document = texts.read([entry.document for entry in portion if entry.keys])
        for entry in portion:
            text = text_by_document.get(entry.document)
            yield entry.document, key_documents.entry_lines(entry, text_fields(text) if text else {})

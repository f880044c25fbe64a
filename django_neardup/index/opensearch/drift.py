"""Compare an index with the fingerprints, document by document, and send again what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...comparison.packed_keys import pack_keys
from ...db.chunks import chunked
from ...db.queries import key_changes
from ...exceptions import IndexUnavailable
from ...models import KeyChange
from .declared_keys import declared_keys, declared_ranges
from .key_documents import digest_of, range_body

if TYPE_CHECKING:
    from .opensearch_index import OpenSearchIndex

ENTRIES_PER_READ = 5_000
HIGHEST = 2**63 - 1

Report = Callable[[int], object]
"""Receives how many documents were looked at since the last call."""


def differing_documents(
    index: OpenSearchIndex, target: str, report: Report = lambda count: None
) -> Iterator[int]:
    """Yield the documents that have other keys in an index than in their fingerprints.

    Documents with changes that wait are left out. If other processes send changes meanwhile, a document may be
    yielded that does not differ any more.
    """
    after = 0
    for last, keys in declared_ranges(index.using):
        declared = {document: digest_of(own) for document, own in keys.items() if own}
        yield from _without_waiting(index.using, _differences(index, target, after, last, declared))
        report(len(keys))
        after = last
    # Entries of documents that have no fingerprint, and a higher number than all others.
    yield from _without_waiting(index.using, _differences(index, target, after, HIGHEST, {}))


def send_again(index: OpenSearchIndex, target: str, report: Report = lambda count: None) -> int:
    """Record a change of each differing document, so that it is sent with its present keys. Return their number."""
    number = 0
    for portion in _portions(differing_documents(index, target, report)):
        # A second look: the first may have read the database and the index at different times.
        keys = declared_keys(index.using, portion)
        entries = {
            document: digest
            for part in portion
            for document, digest in _read_entries(index, target, part - 1, part).items()
        }
        differing = [
            document
            for document in portion
            if entries.get(document) != (digest_of(keys[document]) if keys.get(document) else None)
        ]
        record_again(index.using, differing)
        number += len(differing)
    return number


def record_again(using: str, documents: Sequence[int]) -> None:
    """Record a change of each document that removes nothing."""
    key_changes.record(using, [(document, pack_keys(())) for document in documents])


def _portions(documents: Iterator[int], size: int = 200) -> Iterator[list[int]]:
    portion: list[int] = []
    for document in documents:
        portion.append(document)
        if len(portion) == size:
            yield portion
            portion = []
    if portion:
        yield portion


def _differences(
    index: OpenSearchIndex, target: str, after: int, last: int, declared: dict[int, int]
) -> list[int]:
    entries = _read_entries(index, target, after, last)
    return sorted({document for document, _ in declared.items() ^ entries.items()})


def _read_entries(index: OpenSearchIndex, target: str, after: int, last: int) -> dict[int, int]:
    """Return the digests of the entries with keys above a document, up to another."""
    entries: dict[int, int] = {}
    while True:
        with index.client.connect() as api:
            answer = api.search(
                index=target,
                body=range_body(after, last, ENTRIES_PER_READ),
                params={"allow_partial_search_results": "false"},
            )
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise IndexUnavailable(f"OpenSearch reads only a part of the index {target!r}.")
        hits = answer["hits"]["hits"]
        entries |= {hit["sort"][0]: hit["fields"]["digest"][0] for hit in hits}
        if len(hits) < ENTRIES_PER_READ:
            return entries
        after = hits[-1]["sort"][0]


def _without_waiting(using: str, documents: list[int]) -> Iterator[int]:
    for portion in chunked(documents):
        changes = KeyChange.objects.using(using).filter(document__in=portion)
        waiting = set(changes.values_list("document", flat=True))
        yield from (document for document in portion if document not in waiting)

"""The bodies of requests: the mapping of an index, its documents, and look-ups of buckets.

An entry has the number of a document, its keys as one field of terms, and a digest of them. The keys cannot be read
back: the digest shows whether they equal the keys in the database. If a profile's CANDIDATES are a search of words,
the entries of its posts have their words too (``text_search``). Of other posts no text leaves the database.

An entry without keys has the time of its removal instead.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from ...comparison.packed_keys import pack_keys
from .opensearch_options import OpenSearchOptions

T = TypeVar("T")

SHIPMENT_ID = "shipment"
"""The id of the entry whose version is the number of the newest shipment."""

KEY_BYTES = 8
LOOK_UP_HEADER = {"allow_partial_search_results": False, "request_cache": False}
MAX_TERMS = 65_536
MAX_HITS = 10_000
"""OpenSearch returns no more documents of one search."""


def index_body(options: OpenSearchOptions, owner: str, text_properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings and mapping of an index. ``text_properties``: the fields of texts.

    It is sorted by document, newest first: the newest of a bucket are its first hits.
    """
    return {
        "settings": {
            "index": {
                "number_of_shards": options.shards,
                "number_of_replicas": options.replicas,
                "refresh_interval": options.refresh_interval,
                "sort.field": "document",
                "sort.order": "desc",
                "max_terms_count": MAX_TERMS,
                # With segment replication a refreshed primary says nothing about its copies.
                "replication.type": "DOCUMENT",
                "translog.durability": "request",
            }
        },
        "mappings": {
            "dynamic": "strict",
            "_source": {"enabled": False},
            "_meta": {"owner": owner},
            "properties": {
                "document": {"type": "long"},
                "digest": {"type": "long", "index": False},
                "keys": {"type": "keyword", "doc_values": False, "index_options": "docs", "norms": False},
                "removed": {"type": "long", "doc_values": False},
                **text_properties,
            },
        },
    }


def term_of(key: int) -> str:
    """Return a key as a term of 11 letters: decimal digits would be up to 20."""
    return _term(key.to_bytes(KEY_BYTES, "big", signed=True))


def terms_of(keys: Iterable[int]) -> list[str]:
    """Return keys as terms."""
    return [term_of(key) for key in keys]


def _term(data: bytes) -> str:
    return b64encode(data)[:11].decode()


def digest_of(keys: Collection[int]) -> int:
    """Return a signed 64-bit digest of keys."""
    return int.from_bytes(blake2b(pack_keys(keys), digest_size=8).digest(), "big", signed=True)


class Entry(NamedTuple):
    """A document to write, with its version and its keys.

    ``since``: the time of its newest change, in milliseconds since 1970 by the database's clock. 0: unknown.
    """

    document: int
    version: int
    keys: Collection[int]
    since: int = 0


def entry_lines(entry: Entry, text_fields: Mapping[str, Any]) -> str:
    """Return the lines of a bulk request that write an entry, unless the index has a newer version of it.

    A document without keys is written too, without text. Its version keeps a late request from bringing its keys
    back.
    """
    action = {"index": {"_id": str(entry.document), "version": entry.version, "version_type": "external_gte"}}
    source: dict[str, Any] = {"document": entry.document}
    if entry.keys:
        source |= {"keys": terms_of(sorted(entry.keys)), "digest": digest_of(entry.keys), **text_fields}
    elif entry.since:
        source["removed"] = entry.since
    return f"{json.dumps(action)}\n{json.dumps(source, ensure_ascii=False)}\n"


def shipment_lines(counter: int) -> str:
    """Return the lines of a bulk request that write the number of a shipment, unless the index has a newer one."""
    action = {"index": {"_id": SHIPMENT_ID, "version": counter, "version_type": "external"}}
    return f"{json.dumps(action)}\n{{}}\n"


def split_requests(
    entries: Iterable[tuple[T, str]], max_characters: int, max_entries: int | None = None
) -> Iterator[tuple[list[T], str]]:
    """Yield requests that are short enough for OpenSearch: what each is about, and its lines.

    ``entries``: what some lines are about, and the lines. They stay together, in any length.
    """
    subjects: list[T] = []
    parts: list[str] = []
    characters = 0
    for subject, lines in entries:
        if parts and (len(parts) == max_entries or characters + len(lines) > max_characters):
            yield subjects, "".join(parts)
            subjects, parts, characters = [], [], 0
        subjects.append(subject)
        parts.append(lines)
        characters += len(lines)
    if parts:
        yield subjects, "".join(parts)


def look_up_lines(
    index: str, keys: Sequence[int], hidden: Mapping[int, Sequence[int]], size: int, order: str
) -> str:
    """Return the lines of a search request: the first ``size`` documents of each key by id.

    ``hidden``: by key, documents that it no longer belongs to. ``order``: "asc" or "desc".
    """
    header = json.dumps({"index": index, **LOOK_UP_HEADER})
    return "".join(
        f"{header}\n{json.dumps(_look_up(key, hidden.get(key, ()), size, order))}\n" for key in keys
    )


def _look_up(key: int, hidden: Sequence[int], size: int, order: str) -> dict[str, Any]:
    query: dict[str, Any] = {"filter": [{"term": {"keys": term_of(key)}}]}
    if hidden:
        query["must_not"] = [{"terms": {"document": list(hidden)}}]
    return {
        "query": {"bool": query},
        "size": size,
        "sort": [{"document": order}],
        "track_total_hits": False,
        "_source": False,
        # The sort value is the document: the stored id need not be read.
        "stored_fields": "_none_",
    }


def range_body(after: int, last: int, size: int) -> dict[str, Any]:
    """Return a search for the next ``size`` entries with keys above a document, up to another, with their digests."""
    return {
        "query": {
            "bool": {
                "filter": [
                    {"range": {"document": {"gt": after, "lte": last}}},
                    {"exists": {"field": "digest"}},
                ]
            }
        },
        "size": size,
        "sort": [{"document": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["digest"],
    }


def removed_body(before: int) -> dict[str, Any]:
    """Return a search for the entries that lost all keys before a time, in milliseconds since 1970."""
    return {"query": {"range": {"removed": {"lt": before}}}}

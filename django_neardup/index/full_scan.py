"""Reads of the key table by document. There is no index for that, so each read scans the whole table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db import connections

MAX_DOCUMENTS = 500
"""Largest number of documents in one statement."""

SELECT_KEY_COUNTS = (
    "SELECT {document}, COUNT(*) FROM {keys} WHERE {document} BETWEEN %s AND %s GROUP BY {document}"
)
SELECT_KEYS = "SELECT {document}, {key} FROM {keys} WHERE {document} IN ({holes})"


def key_counts(using: str, first: int, last: int) -> dict[int, int]:
    """Return the number of keys of each document with an id from ``first`` to ``last``.

    Documents without keys are left out.
    """
    return dict(_fetch_all(using, SELECT_KEY_COUNTS, [first, last]))


def keys_of(using: str, documents: Collection[int]) -> dict[int, list[int]]:
    """Return the keys of at most ``MAX_DOCUMENTS`` documents, in no order."""
    keys_by_document: defaultdict[int, list[int]] = defaultdict(list)
    for document, key in _fetch_all(using, SELECT_KEYS, sorted(documents)):
        keys_by_document[document].append(key)
    return dict(keys_by_document)


def _fetch_all(using: str, statement: str, values: list[int]) -> list[tuple[Any, ...]]:
    quote = connections[using].ops.quote_name
    names = {"document": quote("document"), "key": quote("key"), "keys": quote("neardup_key")}
    with connections[using].cursor() as cursor:
        cursor.execute(statement.format(**names, holes=", ".join(["%s"] * len(values))), values)
        return list(cursor.fetchall())

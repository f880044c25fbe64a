"""The key table read from the documents' side: there is no index for it, so that all of it is read through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db import connections

from ..conf import get_profile
from .index import ARRAY

PORTION = 500
"""Documents that one statement asks for."""

COUNTS = "SELECT {document}, COUNT(*) FROM {keys} WHERE {document} BETWEEN %s AND %s GROUP BY {document}"
KEYS = "SELECT {document}, {key} FROM {keys} WHERE {document} IN ({holes})"
ARRAYS = '(SELECT "document", unnest("keys") AS "key" FROM "neardup_keyarray") AS held'


def counts(using: str, first: int, last: int) -> dict[int, int]:
    """How many keys each document from that id to that one has; those with none are left out."""
    return dict(_rows(using, COUNTS, [first, last]))


def keys_of(using: str, documents: Collection[int]) -> dict[int, list[int]]:
    """The keys of those documents, at most ``PORTION``, in no order."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for document, key in _rows(using, KEYS, sorted(documents)):
        found[document].append(key)
    return dict(found)


def _rows(using: str, statement: str, values: list[int]) -> list[tuple[Any, ...]]:
    quote = connections[using].ops.quote_name
    table = ARRAYS if get_profile().storage == ARRAY else quote("neardup_key")
    names = {"document": quote("document"), "key": quote("key"), "keys": table}
    with connections[using].cursor() as cursor:
        cursor.execute(statement.format(**names, holes=", ".join(["%s"] * len(values))), values)
        return list(cursor.fetchall())

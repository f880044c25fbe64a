"""Keys as one array a document, on PostgreSQL.

It is half the size and faster, but it cannot limit a hot bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..db.backends.postgresql import array_literal
from .base import parse_document_lists
from .postgresql import PostgreSQLKeyTable

if TYPE_CHECKING:
    from .base import BucketRows, Numbers

CHANGE_KEYS = """
INSERT INTO "neardup_keyarray" AS present ("document", "keys") VALUES (%s, %s::bigint[])
ON CONFLICT ("document") DO UPDATE SET "keys" = ARRAY(
    (SELECT unnest(present."keys") EXCEPT SELECT unnest(%s::bigint[])) UNION SELECT unnest(excluded."keys")
)
"""
ADD_PAIRS = """
INSERT INTO "neardup_keyarray" AS present ("document", "keys")
SELECT run.document, array_agg(DISTINCT run.key) FROM unnest(%s::bigint[], %s::bigint[]) AS run(key, document)
GROUP BY run.document ORDER BY run.document
ON CONFLICT ("document") DO UPDATE
SET "keys" = ARRAY(SELECT unnest(present."keys") UNION SELECT unnest(excluded."keys"))
"""
REMOVE_PAIRS = """
UPDATE "neardup_keyarray" AS present
SET "keys" = ARRAY(SELECT unnest(present."keys") EXCEPT SELECT unnest(gone.keys))
FROM (
    SELECT run.document, array_agg(run.key) AS keys FROM unnest(%s::bigint[], %s::bigint[]) AS run(key, document)
    GROUP BY run.document
) AS gone WHERE present."document" = gone.document
"""
DELETE_EMPTY = """DELETE FROM "neardup_keyarray" WHERE "document" = ANY(%s::bigint[]) AND "keys" = '{}'"""
SELECT_NEWEST = """
WITH asked AS (SELECT * FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked(key, place)),
found AS (
    SELECT "document", "keys" FROM "neardup_keyarray" WHERE "keys" && %s::bigint[]
    ORDER BY "document" DESC LIMIT %s
),
pairs AS (
    SELECT asked.place, found."document",
        row_number() OVER (PARTITION BY asked.place ORDER BY found."document" DESC) AS number
    FROM found CROSS JOIN LATERAL unnest(found."keys") AS held(key) JOIN asked ON asked.key = held.key
)
SELECT place - 1, string_agg("document"::text, ',') FROM pairs WHERE number <= %s GROUP BY place
"""


class ArrayKeyTable(PostgreSQLKeyTable):
    """One row a document under a GIN index.

    A look-up first takes the documents that share any requested key, and of them the newest ``cap`` times the
    number of keys. So if one key is hot, older documents of another key may be missing.
    """

    def change_keys(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        self.execute(CHANGE_KEYS, [document, array_literal(added), array_literal(removed)])
        if removed and not added:
            self.execute(DELETE_EMPTY, [array_literal([document])])

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.change_keys(document, (), keys)

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.change_keys(document, keys, ())

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        self.execute_in_chunks(ADD_PAIRS, keys, documents)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        self.execute_in_chunks(REMOVE_PAIRS, keys, documents)
        self.execute(DELETE_EMPTY, [array_literal(sorted(set(documents.tolist())))])

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        key_array = array_literal(keys)
        return parse_document_lists(
            self.fetch_all(SELECT_NEWEST, [key_array, key_array, cap * len(keys), cap])
        )

    def compact(self) -> None:
        """Do nothing: a GIN index is packed already."""

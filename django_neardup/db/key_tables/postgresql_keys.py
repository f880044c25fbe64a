"""The key table on PostgreSQL: a list is sent as one array, a large new run as a binary COPY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, IntegrityError, transaction

from ..backends.postgresql import array_literal
from .key_table import KeyTable, parse_document_lists

if TYPE_CHECKING:
    from .key_table import BucketRows, Numbers

PAIRS_PER_STATEMENT = 100_000
"""Pairs in one statement."""

MIN_COPY_PAIRS = 500
"""Largest number of pairs for which a COPY does not pay."""

ADD = """
INSERT INTO "neardup_key" ("key", "document") SELECT asked.key, %s FROM unnest(%s::bigint[]) AS asked(key)
ON CONFLICT DO NOTHING
"""
REMOVE = 'DELETE FROM "neardup_key" WHERE "key" = ANY(%s::bigint[]) AND "document" = %s'
ADD_PAIRS = """
INSERT INTO "neardup_key" ("key", "document") SELECT * FROM unnest(%s::bigint[], %s::bigint[])
ON CONFLICT DO NOTHING
"""
REMOVE_PAIRS = """
DELETE FROM "neardup_key" AS present USING unnest(%s::bigint[], %s::bigint[]) AS gone(key, document)
WHERE present."key" = gone.key AND present."document" = gone.document
"""
SELECT_NEWEST = """
SELECT asked.place - 1, array_to_string(ARRAY(
    SELECT "document" FROM "neardup_key" WHERE "key" = asked.key ORDER BY "document" DESC LIMIT %s
), ',') FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked(key, place)
"""
"""Newest documents of each key.

One row a bucket, because drivers create an object for each number of a row.
"""

SELECT_INVALID_INDEXES = """
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = '"neardup_key"'::regclass AND NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$'
"""
"""Indexes that a broken off REINDEX CONCURRENTLY left behind, by the names that it gives them."""

COPY_PAIRS = 'COPY "neardup_key" ("key", "document") FROM STDIN (FORMAT BINARY)'
COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_TRAILER = b"\xff\xff"


class PostgreSQLKeyTable(KeyTable):
    """Rows in a table whose primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.execute(ADD, [document, array_literal(keys)])

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.execute(REMOVE, [array_literal(keys), document])

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        if not (assume_new and len(keys) > MIN_COPY_PAIRS and self._try_copy(keys, documents)):
            self.execute_in_chunks(ADD_PAIRS, keys, documents)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        self.execute_in_chunks(REMOVE_PAIRS, keys, documents)

    def execute_in_chunks(self, statement: str, keys: Numbers, documents: Numbers) -> None:
        """Run a statement with keys and their documents as parameters, chunk by chunk in one transaction."""
        with transaction.atomic(using=self.using, savepoint=False):
            for start in range(0, len(keys), PAIRS_PER_STATEMENT):
                portion = slice(start, start + PAIRS_PER_STATEMENT)
                self.execute(
                    statement,
                    [array_literal(keys[portion].tolist()), array_literal(documents[portion].tolist())],
                )

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        return parse_document_lists(
            [row for row in self.fetch_all(SELECT_NEWEST, [cap, array_literal(keys)]) if row[1]]
        )

    def compact(self) -> None:
        """Rebuild the index.

        Drop an index that is left half built.

        Raise ``DatabaseError`` with the statements to run by hand if it cannot be dropped.
        """
        # REINDEX CONCURRENTLY cannot run inside a transaction.
        if self.connection.in_atomic_block:
            return
        self._drop_invalid_indexes()
        try:
            # A B-tree that was filled in random order is 69 % full.
            self.execute('REINDEX TABLE CONCURRENTLY "neardup_key"')
        except KeyboardInterrupt:
            self._drop_invalid_indexes()
            raise
        except DatabaseError as error:
            failed_drops = "; ".join(self._drop_invalid_indexes())
            if failed_drops:
                raise DatabaseError(f"{error} What was half built remains, until: {failed_drops}") from error
            raise

    def _drop_invalid_indexes(self) -> list[str]:
        """Drop the indexes that an interrupted rebuild left. Return the statements that failed."""
        quote = self.connection.ops.quote_name
        statements = [
            f"DROP INDEX CONCURRENTLY IF EXISTS {quote(name)}"
            for (name,) in self.fetch_all(SELECT_INVALID_INDEXES)
        ]
        return [statement for statement in statements if not self._try_execute(statement)]

    def _try_execute(self, statement: str) -> bool:
        try:
            self.execute(statement)
        except DatabaseError:
            return False
        return True

    def _try_copy(self, keys: Numbers, documents: Numbers) -> bool:
        """Copy pairs into the table.

        Return False, with nothing written, if a pair exists or the driver has no COPY.
        """
        try:
            with (
                # A savepoint, because an error otherwise ends the caller's transaction on PostgreSQL.
                transaction.atomic(using=self.using),
                self.connection.cursor() as cursor,
                self.connection.wrap_database_errors,
            ):
                return _send_copy(cursor, _copy_body(keys, documents))
        except IntegrityError:
            return False


def _copy_body(keys: Numbers, documents: Numbers) -> bytes:
    """Return the pairs in PostgreSQL's binary format, built without a Python object for each row."""
    import numpy as np

    # A row of two columns. Each value follows its size in bytes.
    fields = [("fields", ">i2"), ("size", ">i4"), ("key", ">i8"), ("size2", ">i4"), ("document", ">i8")]
    rows = np.empty(len(keys), fields)
    rows["fields"], rows["size"], rows["size2"] = 2, 8, 8
    rows["key"], rows["document"] = keys, documents
    return b"".join((COPY_HEADER, rows.data, COPY_TRAILER))


def _send_copy(cursor: Any, body: bytes) -> bool:
    """Send a COPY with psycopg 3 or psycopg2. Return False if the cursor has no COPY."""
    from io import BytesIO

    if hasattr(cursor, "copy_expert"):
        cursor.copy_expert(COPY_PAIRS, BytesIO(body))
    elif hasattr(cursor, "copy"):
        with cursor.copy(COPY_PAIRS) as copy:
            copy.write(body)
    else:
        return False
    return True

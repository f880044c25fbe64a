"""The key table on PostgreSQL: lists travel as one array, large new runs as a binary COPY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, IntegrityError, transaction

from .base import KeyTable, listed

if TYPE_CHECKING:
    from .base import Found, Numbers

PORTION = 100_000
"""Pairs of one statement."""

FEW = 500
"""Pairs that are not worth a COPY."""

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
NEWEST = """
SELECT asked.place - 1, array_to_string(ARRAY(
    SELECT "document" FROM "neardup_key" WHERE "key" = asked.key ORDER BY "document" DESC LIMIT %s
), ',') FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked(key, place)
"""
"""A row a bucket and not a row a document: drivers make an object of each number."""

HALF_BUILT = """
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = '"neardup_key"'::regclass AND NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$'
"""
"""Indexes that REINDEX CONCURRENTLY has named so, and not come to the end of."""

COPY = 'COPY "neardup_key" ("key", "document") FROM STDIN (FORMAT BINARY)'


def array(numbers: Sequence[int]) -> str:
    """Numbers as PostgreSQL writes an array: every driver sends a text alike, and none of them makes it faster."""
    return f"{{{str(list(numbers))[1:-1]}}}"


class PostgreSQL(KeyTable):
    """Rows in a table whose primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.execute(ADD, [document, array(keys)])

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.execute(REMOVE, [array(keys), document])

    def add_run(self, keys: Numbers, documents: Numbers, fresh: bool) -> None:
        if not (fresh and len(keys) > FEW and self._copied(keys, documents)):
            self.each_portion(ADD_PAIRS, keys, documents)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        self.each_portion(REMOVE_PAIRS, keys, documents)

    def each_portion(self, statement: str, keys: Numbers, documents: Numbers) -> None:
        """Run a statement that takes keys and their documents over all of them, in one transaction."""
        with transaction.atomic(using=self.using, savepoint=False):
            for start in range(0, len(keys), PORTION):
                portion = slice(start, start + PORTION)
                self.execute(statement, [array(keys[portion].tolist()), array(documents[portion].tolist())])

    def newest(self, keys: Sequence[int], cap: int) -> Found:
        return listed([row for row in self.rows(NEWEST, [cap, array(keys)]) if row[1]])

    def compact(self) -> None:
        """A B-tree that was filled at random is 69 % full. One that is left half built goes again."""
        if self.connection.in_atomic_block:
            return
        self._sweep()
        try:
            self.execute('REINDEX TABLE CONCURRENTLY "neardup_key"')
        except KeyboardInterrupt:
            self._sweep()
            raise
        except DatabaseError as error:
            left = "; ".join(self._sweep())
            if left:
                raise DatabaseError(f"{error} What was half built remains, until: {left}") from error
            raise

    def _sweep(self) -> list[str]:
        """Drop what a packing that broke off has left; the statements that could not do it."""
        quote = self.connection.ops.quote_name
        drops = [f"DROP INDEX CONCURRENTLY IF EXISTS {quote(name)}" for (name,) in self.rows(HALF_BUILT)]
        return [drop for drop in drops if not self._done(drop)]

    def _done(self, statement: str) -> bool:
        try:
            self.execute(statement)
        except DatabaseError:
            return False
        return True

    def _copied(self, keys: Numbers, documents: Numbers) -> bool:
        """Copy pairs into the table; False, and nothing is done, where one is there or the driver copies nothing."""
        from .copying import body

        try:
            with (
                transaction.atomic(using=self.using),
                self.connection.cursor() as cursor,
                self.connection.wrap_database_errors,
            ):
                return _copy(cursor, body(keys, documents))
        except IntegrityError:
            return False


def _copy(cursor: Any, body: bytes) -> bool:
    """Send a COPY by psycopg 3 or psycopg2."""
    from io import BytesIO

    if hasattr(cursor, "copy_expert"):
        cursor.copy_expert(COPY, BytesIO(body))
    elif hasattr(cursor, "copy"):
        with cursor.copy(COPY) as copy:
            copy.write(body)
    else:
        return False
    return True

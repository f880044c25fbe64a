"""PostgreSQL. Drivers need longer to write hundreds of parameters than it needs to run the statement: it gets one.

A list is sent as one array, a large new run of keys as a binary COPY.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, IntegrityError, transaction

from .base import LEASE, Backend, Row, placeholders, quoted_columns
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
SELECT_IN_ORDER = """
SELECT asked.place - 1, array_to_string(ARRAY(
    SELECT "document" FROM "neardup_key" WHERE "key" = asked.key ORDER BY "document" {} LIMIT %s
), ',') FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked(key, place)
"""
"""First documents of each key.

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

    def _first_documents(self, keys: Sequence[int], cap: int, order: str) -> BucketRows:
        rows = self.fetch_all(SELECT_IN_ORDER.format(order), [cap, array_literal(keys)])
        return parse_document_lists([row for row in rows if row[1]])

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
                return _send_copy(cursor, self.on_table(COPY_PAIRS), _copy_body(keys, documents))
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


def _send_copy(cursor: Any, statement: str, body: bytes) -> bool:
    """Send a COPY with psycopg 3 or psycopg2. Return False if the cursor has no COPY."""
    from io import BytesIO

    if hasattr(cursor, "copy_expert"):
        cursor.copy_expert(statement, BytesIO(body))
    elif hasattr(cursor, "copy"):
        with cursor.copy(statement) as copy:
            copy.write(body)
    else:
        return False
    return True


ROW_COUNTS = """
    SELECT CASE WHEN pg_table_is_visible(known.oid) THEN relname ELSE nspname || '.' || relname END, sum(changes)
    FROM (
        SELECT coalesce(pg_partition_root(relid), relid) AS root, n_tup_upd + n_tup_del AS changes
        FROM pg_stat_xact_user_tables WHERE n_tup_upd + n_tup_del > 0
    ) counted
    JOIN pg_class known ON known.oid = root JOIN pg_namespace space ON space.oid = relnamespace
    GROUP BY 1
"""
COLUMNS = """
    SELECT known.relname, part.attname FROM pg_attribute part JOIN pg_class known ON known.oid = part.attrelid
    WHERE part.attnum > 0 AND NOT part.attisdropped AND pg_table_is_visible(known.oid)
        AND CAST(known.relname AS text) {}
"""
"""In the schemas of the search path. Other schemas may hold the tables of other customers."""
TRIGGERS = """
    SELECT changed.relname, pg_get_triggerdef(tgr.oid)
    FROM pg_trigger tgr JOIN pg_class changed ON changed.oid = tgrelid
    WHERE NOT tgisinternal AND tgenabled <> 'D' AND pg_table_is_visible(changed.oid)
"""
ROUTINES = """
    SELECT proname, pg_get_functiondef(pg_proc.oid)
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE prokind IN ('f', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema')
"""
FOREIGN_KEY_ACTIONS = """
    SELECT child.relname, child_column.attname, parent.relname, parent_column.attname, rule.confdeltype = 'c'
    FROM pg_constraint rule
    JOIN pg_class child ON child.oid = rule.conrelid
    JOIN pg_class parent ON parent.oid = rule.confrelid
    JOIN pg_attribute child_column ON child_column.attrelid = child.oid AND child_column.attnum = rule.conkey[1]
    JOIN pg_attribute parent_column ON parent_column.attrelid = parent.oid
        AND parent_column.attnum = rule.confkey[1]
    WHERE rule.contype = 'f' AND rule.confdeltype IN ('c', 'n', 'd') AND pg_table_is_visible(child.oid)
"""


class PostgreSQLBackend(Backend):
    key_table = PostgreSQLKeyTable
    # Not now(), which stands still during a transaction.
    clock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    columns = COLUMNS
    triggers = TRIGGERS
    routines = ROUTINES
    key_actions = FOREIGN_KEY_ACTIONS
    has_arrays = True

    def with_list(self, statement: str, values: Sequence[int]) -> tuple[str, Sequence[Any]]:
        return statement.replace("IN ({})", "= ANY(%s::bigint[])"), [array_literal(values)]

    def is_in(self, values: Sequence[Any]) -> tuple[str, list[Any]]:
        return "= ANY(%s)", [list(values)]

    def is_in_subquery(self, subquery: str) -> str:
        # As an array: with a join, PostgreSQL reads all memberships of a site for fifty posts.
        return f"= ANY(ARRAY({subquery}))"

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        json_columns: Collection[str] = (),
    ) -> None:
        if not value_rows:
            return
        # All rows are one JSON parameter; values that all rows share are sent once.
        shared = {name: values[0] for name, *values in zip(columns, *value_rows) if len({*values}) == 1}
        varying = [(position, name) for position, name in enumerate(columns) if name not in shared]
        rows = json.dumps(
            [{name: row[position] for position, name in varying} for row in value_rows], default=str
        )
        expressions = [
            f"(\"{name}\" #>> '{{}}')::jsonb" if name in json_columns else f'"{name}"' for _, name in varying
        ]
        self.execute(
            f'INSERT INTO "{table}" ({quoted_columns([*shared, *(name for _, name in varying)])}) '
            f"SELECT {', '.join(['%s'] * len(shared) + expressions)} "
            f'FROM jsonb_populate_recordset(NULL::"{table}", %s)',
            [*shared.values(), rows],
        )

    def insert_with_columns_of(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        source: str,
        copied: Sequence[str],
    ) -> None:
        key, *others = columns
        values = ", ".join([f'm."{name}"' for name in others] + [f'd."{name}"' for name in copied])
        self.execute(
            f'INSERT INTO "{table}" ({quoted_columns([key, *others, *copied])}) SELECT d."id", {values} '
            f'FROM jsonb_populate_recordset(NULL::"{table}", %s) m JOIN "{source}" d ON d."id" = m."{key}"',
            [json.dumps([dict(zip(columns, row, strict=True)) for row in value_rows], default=str)],
        )

    def lease(self, table: str, columns: Sequence[str], ids: Sequence[int], milliseconds: int) -> list[Row]:
        available = (
            f'SELECT "id" FROM "{table}" WHERE "id" IN ({placeholders(len(ids))}) '
            f'AND {self.is_available} ORDER BY "id" FOR UPDATE SKIP LOCKED'
        )
        statement = LEASE.format(table=table, clock=self.clock, ids=available)
        return self.fetch_all(f"{statement} RETURNING {quoted_columns(columns)}", [milliseconds, *ids])

    def text_of_uuid(self, expression: str) -> str:
        return f"({expression})::text"

    @contextmanager
    def report_changed_tables(self) -> Iterator[Callable[[], set[str]]]:
        # PostgreSQL counts the rows of a transaction, which must be the same throughout.
        before = self._row_counts()
        yield lambda: {table for table, count in self._row_counts().items() if count > before.get(table, 0)}

    def _row_counts(self) -> dict[str, int]:
        return {table: int(count) for table, count in self.fetch_all(ROW_COUNTS)}


def array_literal(numbers: Sequence[int]) -> str:
    """Format numbers as an array. All drivers send text alike, and none is faster with a list."""
    return f"{{{str(list(numbers))[1:-1]}}}"

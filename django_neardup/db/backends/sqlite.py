"""SQLite. A list of keys is sent as JSON, so that one prepared statement serves lists of any length."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import models, transaction

from .base import LEASE, Backend, Row, placeholders, quoted_columns
from .key_table import KeyTable, split_columns

if TYPE_CHECKING:
    from .key_table import BucketRows, Numbers

PAIRS_PER_BATCH = 20_000
"""Pairs passed to the driver at once. Until they are written, they are Python objects in memory."""

PAIRS_PER_STATEMENT = 100
"""Pairs that one statement adds. That costs a third of as many single statements."""

ADD = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") SELECT value, %s FROM json_each(%s)'
REMOVE = 'DELETE FROM "neardup_key" WHERE "key" IN (SELECT value FROM json_each(%s)) AND "document" = %s'
ADD_PAIR = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") VALUES (%s, %s)'
ADD_PAIRS = ADD_PAIR + ", (%s, %s)" * (PAIRS_PER_STATEMENT - 1)
REMOVE_PAIR = 'DELETE FROM "neardup_key" WHERE "key" = %s AND "document" = %s'
SELECT_FIRST = """
SELECT asked.key, "document" FROM json_each(%s) AS asked
CROSS JOIN "neardup_key" ON "neardup_key"."key" = asked.value LIMIT %s
"""
"""Rows of all keys, up to a limit.

One post mostly shares keys with few documents, and then this is faster than ``SELECT_IN_ORDER``.
"""

SELECT_IN_ORDER = """
SELECT group_concat(~asked.key || ',' || (
    SELECT group_concat("document") FROM (
        SELECT "document" FROM "neardup_key" WHERE "key" = asked.value ORDER BY "document" {} LIMIT %s
    )
)) FROM json_each(%s) AS asked
"""
"""First documents of each key, as one text.

A full bucket costs a third of what 64 rows cost.

An empty bucket is left out. Any other bucket starts with ``~position`` of its key, the only number below 0.
"""


class SQLiteKeyTable(KeyTable):
    """Rows in a table without a rowid: the primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.execute(ADD, [document, str(list(keys))])

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.execute(REMOVE, [str(list(keys)), document])

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        batched = len(keys) - len(keys) % PAIRS_PER_STATEMENT
        with transaction.atomic(using=self.using, savepoint=False):
            self._execute_in_batches(ADD_PAIRS, keys[:batched], documents[:batched], PAIRS_PER_STATEMENT)
            self._execute_in_batches(ADD_PAIR, keys[batched:], documents[batched:])

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            self._execute_in_batches(REMOVE_PAIR, keys, documents)

    def _execute_in_batches(
        self, statement: str, keys: Numbers, documents: Numbers, pairs_per_statement: int = 1
    ) -> None:
        """Run the statement for all pairs. Each execution takes ``pairs_per_statement`` pairs."""
        import numpy as np

        parameter_rows, batch_size = (
            np.stack([keys, documents], axis=1).reshape(-1, 2 * pairs_per_statement),
            max(PAIRS_PER_BATCH // pairs_per_statement, 1),
        )
        with self.connection.cursor() as cursor:
            for start in range(0, len(parameter_rows), batch_size):
                cursor.executemany(
                    self.on_table(statement), parameter_rows[start : start + batch_size].tolist()
                )

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        # Buckets are only packed if more documents share keys with a post than one bucket holds.
        # A key of a post has two buckets.
        if len(keys) <= 2 * cap:
            rows = self.fetch_all(SELECT_FIRST, [str(list(keys)), cap + 1])
            if len(rows) <= cap:
                return split_columns(rows)
        return super().newest_documents(keys, cap)

    def _first_documents(self, keys: Sequence[int], cap: int, order: str) -> BucketRows:
        ((text,),) = self.fetch_all(SELECT_IN_ORDER.format(order), [cap, str(list(keys))])
        return _parse_in_order(text or "")


def _parse_in_order(text: str) -> BucketRows:
    """Parse the text of ``SELECT_IN_ORDER`` into positions of keys and documents."""
    import numpy as np

    numbers = np.fromstring(text, np.int64, sep=",")
    is_head = numbers < 0
    heads = is_head.nonzero()[0]
    ends = np.empty_like(heads)
    ends[:-1], ends[-1:] = heads[1:], len(numbers)
    return (~numbers.take(heads)).repeat(ends - heads - 1), numbers[~is_head]


COLUMNS = """
    SELECT known.name, part.name FROM sqlite_master known, pragma_table_info(known.name) part
    WHERE known.type = 'table' AND known.name {}
"""
TRIGGERS = "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
VIRTUAL_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%%'"
FOREIGN_KEY_ACTIONS = """
    SELECT child.name, rule."from", rule."table", rule."to", rule.on_delete = 'CASCADE'
    FROM sqlite_master child, pragma_foreign_key_list(child.name) rule
    WHERE child.type = 'table' AND rule.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
"""
CHANGES = (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
# Before Python 3.11 an authorizer could only be replaced.
NO_AUTHORIZER = None if sys.version_info >= (3, 11) else (lambda *_arguments: sqlite3.SQLITE_OK)


class SQLiteBackend(Backend):
    key_table = SQLiteKeyTable
    clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    columns = COLUMNS
    triggers = TRIGGERS
    key_actions = FOREIGN_KEY_ACTIONS
    has_one_writer = True

    def begin_writing(self) -> None:
        # SQLite cannot upgrade a read lock while another connection writes. So take the write lock first,
        # by a write of no row.
        self.execute('UPDATE "neardup_document" SET "id" = "id" WHERE "id" = -1')

    def defer_foreign_keys(self) -> None:
        self.execute("PRAGMA defer_foreign_keys = ON")

    def needs_immediate_transactions(self) -> bool:
        mode = self.connection.settings_dict.get("OPTIONS", {}).get("transaction_mode") or ""
        return str(mode).upper() not in ("IMMEDIATE", "EXCLUSIVE")

    def lease(self, table: str, columns: Sequence[str], ids: Sequence[int], milliseconds: int) -> list[Row]:
        # SQLite before 3.35 has no RETURNING.
        if not self.connection.features.can_return_columns_from_insert:
            return super().lease(table, columns, ids, milliseconds)
        statement = LEASE.format(table=table, clock=self.clock, ids=placeholders(len(ids)))
        return self.fetch_all(
            f"{statement} AND {self.is_available} RETURNING {quoted_columns(columns)}", [milliseconds, *ids]
        )

    def stream(self, queryset: models.QuerySet[Any], size: int) -> Iterable[Any]:
        # A half-read SELECT keeps its snapshot, and after a write of another process no write is allowed from
        # that snapshot. So all rows are read first.
        return list(queryset)

    @contextmanager
    def report_changed_tables(self) -> Iterator[Callable[[], set[str]]]:
        # SQLite tells what its statements may change when it prepares them.
        tables: set[str] = set()
        outer = getattr(self.connection, "neardup_authorizer", None)

        def note(action: int, table: str | None, *_rest: Any) -> int:
            # The tables of SQLite itself, such as "sqlite_master", hold no rows of the site.
            if action in CHANGES and table is not None and not table.startswith("sqlite_"):
                tables.add(table)
            return sqlite3.SQLITE_OK if outer is None else int(outer(action, table, *_rest))

        self._set_authorizer(note)
        try:
            yield lambda: set(tables)
        finally:
            self._set_authorizer(outer)

    def _set_authorizer(self, authorizer: Callable[..., int] | None) -> None:
        connection: Any = self.connection
        connection.ensure_connection()
        connection.connection.set_authorizer(authorizer or NO_AUTHORIZER)
        # A connection has one, and does not tell which. Blocks may stand in each other.
        connection.neardup_authorizer = authorizer

    def virtual_tables(self) -> frozenset[str]:
        return frozenset(name for (name,) in self.fetch_all(VIRTUAL_TABLES))

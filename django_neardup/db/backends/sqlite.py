"""SQLite."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import models

from .base import LEASE, Backend, Row, placeholders, quoted_columns

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
    clock = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
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

"""The tables that a database itself says were changed, also by what no statement of Django names."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from .sql import fetch_all, vendor

_COUNTS = """
    SELECT CASE WHEN pg_table_is_visible(known.oid) THEN relname ELSE nspname || '.' || relname END, sum(changes)
    FROM (
        SELECT coalesce(pg_partition_root(relid), relid) AS root, n_tup_upd + n_tup_del AS changes
        FROM pg_stat_xact_user_tables WHERE n_tup_upd + n_tup_del > 0
    ) counted
    JOIN pg_class known ON known.oid = root JOIN pg_namespace space ON space.oid = relnamespace
    GROUP BY 1
"""
_NOT_TRANSACTIONAL = """
    SELECT known.TABLE_NAME FROM information_schema.TABLES known
    JOIN information_schema.ENGINES used ON used.ENGINE = known.ENGINE
    WHERE known.TABLE_SCHEMA = DATABASE() AND used.TRANSACTIONS <> 'YES'
"""
_SQLITE_CHANGES = (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
# Before Python 3.11 an authorizer could only be replaced.
_NO_AUTHORIZER = None if sys.version_info >= (3, 11) else (lambda *_arguments: sqlite3.SQLITE_OK)


@contextmanager
def report_changed_tables(using: str) -> Iterator[Callable[[], set[str]]]:
    """Yield a function that returns the tables with rows that were updated or deleted since the block began.

    PostgreSQL counts the rows of a transaction, which must be the same throughout. SQLite tells what its
    statements may change when it prepares them. MariaDB and MySQL tell nothing: the set is empty.
    """
    if vendor(using) == "postgresql":
        before = _row_counts(using)
        yield lambda: {table for table, count in _row_counts(using).items() if count > before.get(table, 0)}
    elif vendor(using) == "sqlite":
        tables: set[str] = set()
        outer = getattr(connections[using], "neardup_authorizer", None)

        def note(action: int, table: str | None, *_rest: Any) -> int:
            # The tables of SQLite itself, such as "sqlite_master", hold no rows of the site.
            if action in _SQLITE_CHANGES and table is not None and not table.startswith("sqlite_"):
                tables.add(table)
            return sqlite3.SQLITE_OK if outer is None else int(outer(action, table, *_rest))

        _set_authorizer(using, note)
        try:
            yield lambda: set(tables)
        finally:
            _set_authorizer(using, outer)
    else:
        yield set


def tables_without_transactions(using: str) -> frozenset[str]:
    """Return the tables whose changes the database cannot take back, such as those of MyISAM."""
    if vendor(using) != "mysql":
        return frozenset()
    return frozenset(table for (table,) in fetch_all(using, _NOT_TRANSACTIONAL))


def _row_counts(using: str) -> dict[str, int]:
    return {table: int(count) for table, count in fetch_all(using, _COUNTS)}


def _set_authorizer(using: str, authorizer: Callable[..., int] | None) -> None:
    connection: Any = connections[using]
    connection.ensure_connection()
    connection.connection.set_authorizer(authorizer or _NO_AUTHORIZER)
    # A connection has one, and does not tell which. Blocks may stand in each other.
    connection.neardup_authorizer = authorizer

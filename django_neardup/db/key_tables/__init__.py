"""The key table ``neardup_key``, with one module of SQL for each database."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from .key_table import KeyTable
from .mysql_keys import MySQLKeyTable
from .postgresql_keys import PostgreSQLKeyTable
from .sqlite_keys import SQLiteKeyTable

KEY_TABLES: dict[str, type[KeyTable]] = {
    "sqlite": SQLiteKeyTable,
    "postgresql": PostgreSQLKeyTable,
    "mysql": MySQLKeyTable,
}
"""Classes by the vendor of the connection. MariaDB is "mysql" too."""


def get_key_table(using: str) -> KeyTable:
    """Return the key table of the database. Raise ``ImproperlyConfigured`` if it cannot store keys."""
    key_table = KEY_TABLES.get(connections[using].vendor)
    if key_table is None:
        raise ImproperlyConfigured(f"Database {using!r}: {unsupported_reason(using)}.")
    return key_table(using)


def unsupported_reason(using: str) -> str:
    """Return why the database cannot store keys. Return an empty string if it can."""
    vendor = connections[using].vendor
    if vendor in KEY_TABLES:
        return ""
    return f"keys cannot be stored on {vendor}: it is neither PostgreSQL, MariaDB, MySQL nor SQLite"

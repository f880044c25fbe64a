"""Choice of the key table by the vendor of the database."""

from __future__ import annotations

from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from .base import KeyTable


def get_key_table(using: str) -> KeyTable:
    """Return the key table of the database. Raise ``ImproperlyConfigured`` if it cannot store keys."""
    vendor = connections[using].vendor
    if reason := unsupported_reason(vendor):
        raise ImproperlyConfigured(f"Database {using!r}: {reason}.")
    return _key_table_class(vendor)(using)


@cache
def _key_table_class(vendor: str) -> type[KeyTable]:
    """Return the class for a supported vendor."""
    if vendor == "postgresql":
        from .postgresql import PostgreSQLKeyTable

        return PostgreSQLKeyTable
    if vendor == "mysql":
        from .mysql import MySQLKeyTable

        return MySQLKeyTable
    from .sqlite import SQLiteKeyTable

    return SQLiteKeyTable


def unsupported_reason(vendor: str) -> str:
    """Return why the vendor is not supported. Return an empty string if it is."""
    if vendor not in ("postgresql", "mysql", "sqlite"):
        return f"keys cannot be stored on {vendor}: it is neither PostgreSQL, MariaDB, MySQL nor SQLite"
    return ""

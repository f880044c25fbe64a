"""Choice of the key table by the vendor of the database and the setting STORAGE."""

from __future__ import annotations

from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from ..conf import get_profile
from .base import KeyTable

ARRAY, ROWS = "array", "rows"


def get_key_table(using: str) -> KeyTable:
    """Return the key table of the database.

    Raise ``ImproperlyConfigured`` if the database does not support STORAGE.
    """
    vendor, storage = connections[using].vendor, get_profile().storage
    if reason := unsupported_reason(vendor, storage):
        raise ImproperlyConfigured(f"Database {using!r}: {reason}.")
    return _key_table_class(vendor, storage)(using)


@cache
def _key_table_class(vendor: str, storage: str) -> type[KeyTable]:
    """Return the class for a supported vendor and storage."""
    if vendor == "postgresql":
        from .postgresql import PostgreSQLKeyTable
        from .postgresql_arrays import ArrayKeyTable

        return ArrayKeyTable if storage == ARRAY else PostgreSQLKeyTable
    if vendor == "mysql":
        from .mysql import MySQLKeyTable

        return MySQLKeyTable
    from .sqlite import SQLiteKeyTable

    return SQLiteKeyTable


def unsupported_reason(vendor: str, storage: str) -> str:
    """Return why the vendor does not support the storage. Return an empty string if it does."""
    if vendor not in ("postgresql", "mysql", "sqlite"):
        return f"keys cannot be stored on {vendor}: it is neither PostgreSQL, MariaDB, MySQL nor SQLite"
    if storage not in (ROWS, ARRAY):
        return f'STORAGE is {storage!r}: it is "{ROWS}" or "{ARRAY}"'
    if storage == ARRAY and vendor != "postgresql":
        return f'STORAGE "{ARRAY}" needs PostgreSQL, and this is {vendor}'
    return ""

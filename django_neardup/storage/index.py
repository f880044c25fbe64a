"""Which key table a database has: by its vendor and the setting STORAGE."""

from __future__ import annotations

from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from ..conf import get_profile
from .base import KeyTable

ARRAY, ROWS = "array", "rows"


def index(using: str) -> KeyTable:
    """The key table of that database. ``ImproperlyConfigured`` where STORAGE asks for what it cannot do."""
    vendor, storage = connections[using].vendor, get_profile().storage
    if why := refused(vendor, storage):
        raise ImproperlyConfigured(f"Database {using!r}: {why}.")
    return _kind(vendor, storage)(using)


@cache
def _kind(vendor: str, storage: str) -> type[KeyTable]:
    """The class of key tables of such a database, which can store keys so."""
    if vendor == "postgresql":
        from .arrays import Arrays
        from .postgresql import PostgreSQL

        return Arrays if storage == ARRAY else PostgreSQL
    if vendor == "mysql":
        from .mysql import MySQL

        return MySQL
    from .sqlite import SQLite

    return SQLite


def refused(vendor: str, storage: str) -> str:
    """Why that database cannot store keys so; empty where it can."""
    if vendor not in ("postgresql", "mysql", "sqlite"):
        return f"keys cannot be stored on {vendor}: it is neither PostgreSQL, MariaDB, MySQL nor SQLite"
    if storage not in (ROWS, ARRAY):
        return f'STORAGE is {storage!r}: it is "{ROWS}" or "{ARRAY}"'
    if storage == ARRAY and vendor != "postgresql":
        return f'STORAGE "{ARRAY}" needs PostgreSQL, and this is {vendor}'
    return ""

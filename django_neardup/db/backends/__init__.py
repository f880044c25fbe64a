"""Differences between databases: one class per vendor, chosen only here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from django.db import connections

from .base import Backend

CLASSES = {
    "postgresql": "postgresql.PostgreSQLBackend",
    "mysql": "mysql.MySQLBackend",
    "sqlite": "sqlite.SQLiteBackend",
}
"""By Django's name of the vendor. MariaDB is "mysql" too."""

__all__ = ["Backend", "get_backend"]


def get_backend(using: str) -> Backend:
    """Return the backend of a database. On a vendor that is not supported it is that of the SQL standard."""
    return _backend_class(connections[using].vendor)(using)


@cache
def _backend_class(vendor: str) -> type[Backend]:
    module_name, _, class_name = CLASSES.get(vendor, "base.Backend").partition(".")
    found: type[Backend] = getattr(import_module(f"{__name__}.{module_name}"), class_name)
    return found

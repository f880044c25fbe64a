"""The database of a site: the engine that NEARDUP_TEST_DATABASE names, else SQLite in memory."""

from __future__ import annotations

from typing import Any

from tests import databases


def default(**options: Any) -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES with the options."""
    if databases.engine() == "sqlite":
        return {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:", **options}}
    return {"default": {**databases.databases()["default"], **options}}

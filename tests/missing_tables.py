"""A database whose tables are not there, or are those of an older version of the app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import connection

from django_neardup.pipeline.availability import forget_tables, has_current_tables

PREFIX = "absent_"


@contextmanager
def without_tables() -> Iterator[None]:
    """The default database as before ``migrate``. Never inside a transaction."""
    tables = {
        model._meta.db_table for model in apps.get_app_config("neardup").get_models(include_auto_created=True)
    }
    with _renamed([("RENAME", table, table) for table in sorted(tables)]):
        yield


@contextmanager
def without_column(table: str, column: str) -> Iterator[None]:
    """The default database as in a rolling deploy: the code has a column that the table lacks."""
    with _renamed([("RENAME COLUMN", table, column)]):
        yield


@contextmanager
def _renamed(renames: list[tuple[str, str, str]]) -> Iterator[None]:
    done: list[tuple[str, str, str]] = []
    try:
        for action, table, name in renames:
            _rename(action, table, name, PREFIX + name)
            done.append((action, table, name))
        forget_tables("default")
        yield
    finally:
        for action, table, name in done:
            # A renamed table has its new name by now.
            _rename(action, PREFIX + table if action == "RENAME" else table, PREFIX + name, name)
        forget_tables("default")
        # Other tests count queries.
        has_current_tables("default")


def _rename(action: str, table: str, old: str, new: str) -> None:
    quote = connection.ops.quote_name
    names = f"{quote(old)} TO {quote(new)}" if action == "RENAME COLUMN" else f"TO {quote(new)}"
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {quote(table)} {action} {names}")

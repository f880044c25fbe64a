"""A flush after each test that empties the tables which the test has written, and no others.

Django's own empties every table, then makes content types and permissions anew. That took most of the time of a
short test with transactions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management import call_command
from django.db import DatabaseError, connections, transaction
from django.test import TransactionTestCase

MADE_BY_MIGRATE = {
    "django_content_type": "COUNT(*), MAX(id)",
    "auth_permission": "COUNT(*), MAX(id)",
    "django_site": "COUNT(*), MAX(domain)",
}
"""Tables that are not empty at first, and what tells that they are as they were."""

_tables: dict[str, list[str]] = {}
_made: dict[str, tuple[Any, ...]] = {}


def use_short_flush() -> None:
    """Let transaction tests end with this flush."""
    TransactionTestCase._fixture_teardown = _fixture_teardown


def remember_databases(aliases: Iterable[str]) -> None:
    """Note the tables of new databases, and what ``migrate`` has put into them."""
    for alias in aliases:
        names = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
        _tables[alias] = sorted(set(names) - set(MADE_BY_MIGRATE))
        _made[alias] = _state(alias)


def _fixture_teardown(case: Any) -> None:
    for alias in case._databases_names(include_mirrors=False):
        if not _flush_written_tables(alias):
            call_command("flush", verbosity=0, interactive=False, database=alias)
            remember_databases([alias])


def _flush_written_tables(alias: str) -> bool:
    """Return False if the database is not as after ``migrate``, or a table is missing or cannot be emptied so."""
    connection = connections[alias]
    quote = connection.ops.quote_name
    try:
        with connection.constraint_checks_disabled(), transaction.atomic(using=alias):
            if _state(alias) != _made[alias]:
                return False
            with connection.cursor() as cursor:
                cursor.execute(
                    " UNION ALL ".join(
                        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})"
                        for table in _tables[alias]
                    )
                )
                for (table,) in cursor.fetchall():
                    cursor.execute(f"DELETE FROM {quote(table)}")
    except DatabaseError:
        return False
    return True


def _state(alias: str) -> tuple[Any, ...]:
    with connections[alias].cursor() as cursor:
        rows = []
        for table, columns in MADE_BY_MIGRATE.items():
            cursor.execute(f"SELECT {columns} FROM {table}")
            rows.append(cursor.fetchone())
        return tuple(rows)

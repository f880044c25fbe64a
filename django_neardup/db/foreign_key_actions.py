"""Foreign keys of the database itself that change rows when the row that they point at is deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connections

from .backends import get_backend


class ForeignKeyAction(NamedTuple):
    """Rows of ``table`` are deleted (``is_cascade``) or lose their reference with the row that they point at."""

    table: str
    column: str
    target_column: str
    is_cascade: bool


def foreign_key_actions(using: str) -> Mapping[str, Sequence[ForeignKeyAction]]:
    """Return the actions by the tables that are pointed at."""
    actions: dict[str, list[ForeignKeyAction]] = defaultdict(list)
    for table, column, target_table, target_column, is_cascade in get_backend(using).foreign_key_actions():
        # SQLite leaves out the column of a key that points at the primary key.
        column_pointed_at = target_column or _primary_key_column(using, target_table)
        actions[target_table].append(ForeignKeyAction(table, column, column_pointed_at, bool(is_cascade)))
    return actions


def _primary_key_column(using: str, table: str) -> str:
    connection = connections[using]
    with connection.cursor() as cursor:
        return str(connection.introspection.get_primary_key_column(cursor, table) or "")

"""Foreign keys of the database itself that change rows when the row that they point at is deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connections

from .sql import fetch_all, vendor

_STATEMENTS = {
    "postgresql": """
        SELECT child.relname, child_column.attname, parent.relname, parent_column.attname, rule.confdeltype = 'c'
        FROM pg_constraint rule
        JOIN pg_class child ON child.oid = rule.conrelid
        JOIN pg_class parent ON parent.oid = rule.confrelid
        JOIN pg_attribute child_column ON child_column.attrelid = child.oid AND child_column.attnum = rule.conkey[1]
        JOIN pg_attribute parent_column ON parent_column.attrelid = parent.oid
            AND parent_column.attnum = rule.confkey[1]
        WHERE rule.contype = 'f' AND rule.confdeltype IN ('c', 'n', 'd') AND pg_table_is_visible(child.oid)
    """,
    "mysql": """
        SELECT used.TABLE_NAME, used.COLUMN_NAME, used.REFERENCED_TABLE_NAME, used.REFERENCED_COLUMN_NAME,
            rule.DELETE_RULE = 'CASCADE'
        FROM information_schema.REFERENTIAL_CONSTRAINTS rule
        JOIN information_schema.KEY_COLUMN_USAGE used ON used.CONSTRAINT_SCHEMA = rule.CONSTRAINT_SCHEMA
            AND used.CONSTRAINT_NAME = rule.CONSTRAINT_NAME AND used.TABLE_NAME = rule.TABLE_NAME
        WHERE rule.CONSTRAINT_SCHEMA = DATABASE() AND rule.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
    """,
    "sqlite": """
        SELECT child.name, rule."from", rule."table", rule."to", rule.on_delete = 'CASCADE'
        FROM sqlite_master child, pragma_foreign_key_list(child.name) rule
        WHERE child.type = 'table' AND rule.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
    """,
}


class ForeignKeyAction(NamedTuple):
    """Rows of ``table`` are deleted (``is_cascade``) or lose their reference with the row that they point at."""

    table: str
    column: str
    target_column: str
    is_cascade: bool


def foreign_key_actions(using: str) -> Mapping[str, Sequence[ForeignKeyAction]]:
    """Return the actions by the tables that are pointed at."""
    actions: dict[str, list[ForeignKeyAction]] = defaultdict(list)
    for table, column, target_table, target_column, is_cascade in fetch_all(
        using, _STATEMENTS[vendor(using)]
    ):
        # SQLite leaves out the column of a key that points at the primary key.
        column_pointed_at = target_column or _primary_key_column(using, target_table)
        actions[target_table].append(ForeignKeyAction(table, column, column_pointed_at, bool(is_cascade)))
    return actions


def _primary_key_column(using: str, table: str) -> str:
    connection = connections[using]
    with connection.cursor() as cursor:
        return str(connection.introspection.get_primary_key_column(cursor, table) or "")

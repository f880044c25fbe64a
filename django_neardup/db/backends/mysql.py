"""MariaDB and MySQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from django.db import transaction

from .base import LEASE, Backend, Row, assignments, placeholders, quoted_columns

NOT_TRANSACTIONAL = """
    SELECT known.TABLE_NAME FROM information_schema.TABLES known
    JOIN information_schema.ENGINES used ON used.ENGINE = known.ENGINE
    WHERE known.TABLE_SCHEMA = DATABASE() AND used.TRANSACTIONS <> 'YES'
"""
TRIGGERS = """
    SELECT EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS
    WHERE TRIGGER_SCHEMA = DATABASE()
"""
ROUTINES = """
    SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES
    WHERE ROUTINE_SCHEMA = DATABASE()
"""
FOREIGN_KEY_ACTIONS = """
    SELECT used.TABLE_NAME, used.COLUMN_NAME, used.REFERENCED_TABLE_NAME, used.REFERENCED_COLUMN_NAME,
        rule.DELETE_RULE = 'CASCADE'
    FROM information_schema.REFERENTIAL_CONSTRAINTS rule
    JOIN information_schema.KEY_COLUMN_USAGE used ON used.CONSTRAINT_SCHEMA = rule.CONSTRAINT_SCHEMA
        AND used.CONSTRAINT_NAME = rule.CONSTRAINT_NAME AND used.TABLE_NAME = rule.TABLE_NAME
    WHERE rule.CONSTRAINT_SCHEMA = DATABASE() AND rule.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
"""
COLLATION = (
    "SELECT character_set_name, collation_name FROM information_schema.columns "
    "WHERE table_schema = DATABASE() AND table_name = %s AND column_name = %s"
)


class MySQLBackend(Backend):
    # MariaDB gives the start of the statement, but only this function gives it in UTC. In the time zone
    # of a session one hour of the year comes twice.
    clock = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"
    triggers = TRIGGERS
    routines = ROUTINES
    key_actions = FOREIGN_KEY_ACTIONS
    # Without the introducer MariaDB takes the bytes for text, and warns of invalid characters.
    binary = "_binary %s"
    inserted = "VALUES({})"
    ignored = ("IGNORE ", "")
    heads_triggers = False

    def with_quotes(self, statement: str) -> str:
        return statement.replace('"', "`")

    def on_conflict(self, columns: Iterable[str], changes: Mapping[str, str]) -> str:
        return f"ON DUPLICATE KEY UPDATE {assignments(changes)}"

    def lease(self, table: str, columns: Sequence[str], ids: Sequence[int], milliseconds: int) -> list[Row]:
        if not self.can_skip_locked or len(ids) == 1:
            return super().lease(table, columns, ids, milliseconds)
        # MariaDB has no UPDATE … RETURNING: read the rows under their locks, then update them.
        with transaction.atomic(using=self.using):
            rows = self.fetch_all(
                f'SELECT {quoted_columns(columns)} FROM "{table}" WHERE "id" IN ({placeholders(len(ids))}) '
                f'AND {self.is_available} ORDER BY "id" FOR UPDATE SKIP LOCKED',
                ids,
            )
            leased = [row[columns.index("id")] for row in rows]
            if leased:
                statement = LEASE.format(table=table, clock=self.clock, ids=placeholders(len(leased)))
                self.execute(statement, [milliseconds, *leased])
        # The rows were read before the update added the attempt.
        place = columns.index("attempts")
        return [(*row[:place], row[place] + 1, *row[place + 1 :]) for row in rows]

    def exact_text_type(self, column_type: str) -> str:
        return f"{column_type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

    def exact_text(self, expression: str) -> str:
        return f"CONVERT({expression} USING utf8mb4) COLLATE utf8mb4_bin"

    def joined(self, parts: Sequence[str], separator: str) -> str:
        return f"CONCAT_WS('{separator}', {', '.join(parts)})"

    def like_column(self, expression: str, table: str, column: str | None) -> str:
        charset, collation = column_collation(self.using, table, column)
        return f"CONVERT({expression} USING {charset}) COLLATE {collation}"

    def tables_without_transactions(self) -> frozenset[str]:
        """Return the tables whose changes the database cannot take back, such as those of MyISAM."""
        return frozenset(table for (table,) in self.fetch_all(NOT_TRANSACTIONAL))


@cache
def column_collation(using: str, table: str, column: str | None) -> tuple[str, str]:
    """Return the character set and the collation of a column.

    A comparison in another collation cannot use the column's index.
    """
    charset, collation = MySQLBackend(using).fetch_all(COLLATION, [table, column])[0]
    return charset, collation

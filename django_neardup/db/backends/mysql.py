"""MariaDB and MySQL. Keys are written into the statement, which costs less than parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from django.db import transaction

from .base import LEASE, Backend, Row, assignments, placeholders, quoted_columns
from .key_table import KeyTable

if TYPE_CHECKING:
    from .key_table import BucketRows, Numbers

PAIRS_PER_STATEMENT = 5000
"""Pairs in one statement: well below the smallest ``max_allowed_packet``."""

INTERLEAVED_PASSES = 8
"""Passes over the table in which a long run is written.

At the end of a run of ascending keys, InnoDB splits the page, wherever in the page that is. Written in one
pass, a run of a quarter of the table makes the table half as large again.
"""

BUCKETS_PER_STATEMENT = 100
"""Buckets in one statement. Longer statements are slower."""

LOCK_WAIT_SECONDS = 5
"""Longest wait for transactions that have read the table.

New transactions queue up behind that wait.

If it takes longer, the table is not packed.
"""

ADD = "INSERT IGNORE INTO `neardup_key` (`key`, `document`) VALUES "
REMOVE = "DELETE FROM `neardup_key` WHERE (`key`, `document`) IN "
REMOVE_ONE = "DELETE FROM `neardup_key` WHERE `key` = {} AND `document` = {}"
"""Statement for one pair. With a list of one pair MariaDB reads the whole table."""

Pairs = Sequence[tuple[int, int]]


class MySQLKeyTable(KeyTable):
    """Rows in InnoDB's clustered index: the primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self._execute_in_chunks([(key, document) for key in keys], ADD)

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self._remove_pairs([(key, document) for key in keys])

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        pairs = list(zip(keys.tolist(), documents.tolist()))
        passes = INTERLEAVED_PASSES if len(pairs) > PAIRS_PER_STATEMENT else 1
        with transaction.atomic(using=self.using, savepoint=False):
            for offset in range(passes):
                self._execute_in_chunks(pairs[offset::passes], ADD)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            self._remove_pairs(list(zip(keys.tolist(), documents.tolist())))

    def compact(self) -> None:
        """Rebuild the table while others read and write.

        Runs leave split pages that are half empty.

        At its start and its end the rebuild waits briefly for open transactions, and they wait for it.
        """
        # ALTER TABLE would commit the caller's transaction.
        if self.connection.in_atomic_block:
            return
        ((old_timeout,),) = self.fetch_all("SELECT @@SESSION.lock_wait_timeout")
        self.execute("SET SESSION lock_wait_timeout = %s", [LOCK_WAIT_SECONDS])
        try:
            self.execute("ALTER TABLE `neardup_key` ENGINE=InnoDB, ALGORITHM=INPLACE, LOCK=NONE")
        finally:
            self.execute("SET SESSION lock_wait_timeout = %s", [old_timeout])

    def _first_documents(self, keys: Sequence[int], cap: int, order: str) -> BucketRows:
        import numpy as np

        rows = [
            row for statement in _bucket_statements(keys, cap, order) for row in self.fetch_all(statement)
        ]
        positions, documents = zip(*rows) if rows else ((), ())
        return np.array(positions, np.int64), np.array(documents, np.int64)

    def _execute_in_chunks(self, pairs: Pairs, prefix: str) -> None:
        for start in range(0, len(pairs), PAIRS_PER_STATEMENT):
            self.execute(prefix + str(pairs[start : start + PAIRS_PER_STATEMENT])[1:-1])

    def _remove_pairs(self, pairs: Pairs) -> None:
        for start in range(0, len(pairs), PAIRS_PER_STATEMENT):
            portion = pairs[start : start + PAIRS_PER_STATEMENT]
            listed = str(portion)[1:-1]
            self.execute(f"{REMOVE}({listed})" if len(portion) > 1 else REMOVE_ONE.format(*portion[0]))


def _bucket_statements(keys: Sequence[int], cap: int, order: str) -> Iterator[str]:
    for start in range(0, len(keys), BUCKETS_PER_STATEMENT):
        yield " UNION ALL ".join(
            _bucket_selects(enumerate(keys[start : start + BUCKETS_PER_STATEMENT], start), cap, order)
        )


def _bucket_selects(keys: Iterable[tuple[int, int]], cap: int, order: str) -> Iterator[str]:
    for position, key in keys:
        yield (
            f"(SELECT {position}, `document` FROM `neardup_key` WHERE `key` = {key}"
            f" ORDER BY `document` {order} LIMIT {cap})"
        )


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
COLUMNS = """
    SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME {}
"""
COLLATION = (
    "SELECT character_set_name, collation_name FROM information_schema.columns "
    "WHERE table_schema = DATABASE() AND table_name = %s AND column_name = %s"
)


class MySQLBackend(Backend):
    key_table = MySQLKeyTable
    # MariaDB gives the start of the statement, but only this function gives it in UTC. In the time zone
    # of a session one hour of the year comes twice.
    clock = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"
    columns = COLUMNS
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

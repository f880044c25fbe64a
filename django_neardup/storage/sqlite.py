"""The key table on SQLite: lists of keys travel as JSON, so that one prepared statement serves any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from .base import KeyTable, columns

if TYPE_CHECKING:
    from .base import Found, Numbers

PORTION = 20_000
"""Pairs handed over at once: they are Python objects meanwhile."""

ROWS = 100
"""Pairs that one statement adds, which costs a third of what so many statements do."""

ADD = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") SELECT value, %s FROM json_each(%s)'
REMOVE = 'DELETE FROM "neardup_key" WHERE "key" IN (SELECT value FROM json_each(%s)) AND "document" = %s'
ADD_PAIR = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") VALUES (%s, %s)'
ADD_PAIRS = ADD_PAIR + ", (%s, %s)" * (ROWS - 1)
REMOVE_PAIR = 'DELETE FROM "neardup_key" WHERE "key" = %s AND "document" = %s'
FIRST = """
SELECT asked.key, "document" FROM json_each(%s) AS asked
CROSS JOIN "neardup_key" ON "neardup_key"."key" = asked.value LIMIT %s
"""
"""One post mostly meets few documents, which this gives sooner than `NEWEST` does."""

NEWEST = """
SELECT group_concat(~asked.key || ',' || (
    SELECT group_concat("document") FROM (
        SELECT "document" FROM "neardup_key" WHERE "key" = asked.value ORDER BY "document" DESC LIMIT %s
    )
)) FROM json_each(%s) AS asked
"""
"""One row, and not one a document: a full bucket costs a third of what 64 rows do. An empty one is left out; each
of the others begins with the ``~place`` of its key, the only number below 0."""


class SQLite(KeyTable):
    """Rows in a table without a rowid: the primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.execute(ADD, [document, str(list(keys))])

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.execute(REMOVE, [str(list(keys)), document])

    def add_run(self, keys: Numbers, documents: Numbers, fresh: bool) -> None:
        whole = len(keys) - len(keys) % ROWS
        with transaction.atomic(using=self.using, savepoint=False):
            self._run(ADD_PAIRS, keys[:whole], documents[:whole], ROWS)
            self._run(ADD_PAIR, keys[whole:], documents[whole:])

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            self._run(REMOVE_PAIR, keys, documents)

    def _run(self, statement: str, keys: Numbers, documents: Numbers, rows: int = 1) -> None:
        """The statement, which takes so many pairs, for all of them."""
        import numpy as np

        pairs, portion = np.stack([keys, documents], axis=1).reshape(-1, 2 * rows), max(PORTION // rows, 1)
        with self.connection.cursor() as cursor:
            for start in range(0, len(pairs), portion):
                cursor.executemany(statement, pairs[start : start + portion].tolist())

    def newest(self, keys: Sequence[int], cap: int) -> Found:
        asked = str(list(keys))
        if len(keys) <= cap:
            found = self.rows(FIRST, [asked, cap + 1])
            if len(found) <= cap:
                return columns(found)
        ((text,),) = self.rows(NEWEST, [cap, asked])
        return _apart(text or "")


def _apart(text: str) -> Found:
    """Places of keys, and beside each a document that has that key, of what `NEWEST` gives."""
    import numpy as np

    numbers = np.fromstring(text, np.int64, sep=",")
    begins = numbers < 0
    heads = begins.nonzero()[0]
    ends = np.empty_like(heads)
    ends[:-1], ends[-1:] = heads[1:], len(numbers)
    return (~numbers.take(heads)).repeat(ends - heads - 1), numbers[~begins]

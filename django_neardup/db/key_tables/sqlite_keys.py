"""The key table on SQLite.

A list of keys is sent as JSON, so that one prepared statement serves lists of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from .key_table import KeyTable, split_columns

if TYPE_CHECKING:
    from .key_table import BucketRows, Numbers

PAIRS_PER_BATCH = 20_000
"""Pairs passed to the driver at once. Until they are written, they are Python objects in memory."""

PAIRS_PER_STATEMENT = 100
"""Pairs that one statement adds. That costs a third of as many single statements."""

ADD = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") SELECT value, %s FROM json_each(%s)'
REMOVE = 'DELETE FROM "neardup_key" WHERE "key" IN (SELECT value FROM json_each(%s)) AND "document" = %s'
ADD_PAIR = 'INSERT OR IGNORE INTO "neardup_key" ("key", "document") VALUES (%s, %s)'
ADD_PAIRS = ADD_PAIR + ", (%s, %s)" * (PAIRS_PER_STATEMENT - 1)
REMOVE_PAIR = 'DELETE FROM "neardup_key" WHERE "key" = %s AND "document" = %s'
SELECT_FIRST = """
SELECT asked.key, "document" FROM json_each(%s) AS asked
CROSS JOIN "neardup_key" ON "neardup_key"."key" = asked.value LIMIT %s
"""
"""Rows of all keys, up to a limit.

One post mostly shares keys with few documents, and then this is faster than ``SELECT_NEWEST``.
"""

SELECT_NEWEST = """
SELECT group_concat(~asked.key || ',' || (
    SELECT group_concat("document") FROM (
        SELECT "document" FROM "neardup_key" WHERE "key" = asked.value ORDER BY "document" DESC LIMIT %s
    )
)) FROM json_each(%s) AS asked
"""
"""Newest documents of each key, as one text.

A full bucket costs a third of what 64 rows cost.

An empty bucket is left out. Any other bucket starts with ``~position`` of its key, the only number below 0.
"""


class SQLiteKeyTable(KeyTable):
    """Rows in a table without a rowid: the primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self.execute(ADD, [document, str(list(keys))])

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self.execute(REMOVE, [str(list(keys)), document])

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        batched = len(keys) - len(keys) % PAIRS_PER_STATEMENT
        with transaction.atomic(using=self.using, savepoint=False):
            self._execute_in_batches(ADD_PAIRS, keys[:batched], documents[:batched], PAIRS_PER_STATEMENT)
            self._execute_in_batches(ADD_PAIR, keys[batched:], documents[batched:])

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            self._execute_in_batches(REMOVE_PAIR, keys, documents)

    def _execute_in_batches(
        self, statement: str, keys: Numbers, documents: Numbers, pairs_per_statement: int = 1
    ) -> None:
        """Run the statement for all pairs. Each execution takes ``pairs_per_statement`` pairs."""
        import numpy as np

        parameter_rows, batch_size = (
            np.stack([keys, documents], axis=1).reshape(-1, 2 * pairs_per_statement),
            max(PAIRS_PER_BATCH // pairs_per_statement, 1),
        )
        with self.connection.cursor() as cursor:
            for start in range(0, len(parameter_rows), batch_size):
                cursor.executemany(statement, parameter_rows[start : start + batch_size].tolist())

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        key_list = str(list(keys))
        # The keys of one post. Buckets are only packed if more documents share keys with it than one bucket
        # holds.
        if len(keys) <= cap:
            rows = self.fetch_all(SELECT_FIRST, [key_list, cap + 1])
            if len(rows) <= cap:
                return split_columns(rows)
        ((text,),) = self.fetch_all(SELECT_NEWEST, [cap, key_list])
        return _parse_newest(text or "")


def _parse_newest(text: str) -> BucketRows:
    """Parse the text of ``SELECT_NEWEST`` into positions of keys and documents."""
    import numpy as np

    numbers = np.fromstring(text, np.int64, sep=",")
    is_head = numbers < 0
    heads = is_head.nonzero()[0]
    ends = np.empty_like(heads)
    ends[:-1], ends[-1:] = heads[1:], len(numbers)
    return (~numbers.take(heads)).repeat(ends - heads - 1), numbers[~is_head]

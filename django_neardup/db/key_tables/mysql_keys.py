"""The key table on MariaDB and MySQL.

Numbers are written into the statement, which costs less than parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from django.db import transaction

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

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        import numpy as np

        rows = [row for statement in _bucket_statements(keys, cap) for row in self.fetch_all(statement)]
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


def _bucket_statements(keys: Sequence[int], cap: int) -> Iterator[str]:
    for start in range(0, len(keys), BUCKETS_PER_STATEMENT):
        yield " UNION ALL ".join(
            _bucket_selects(enumerate(keys[start : start + BUCKETS_PER_STATEMENT], start), cap)
        )


def _bucket_selects(keys: Iterable[tuple[int, int]], cap: int) -> Iterator[str]:
    for position, key in keys:
        yield (
            f"(SELECT {position}, `document` FROM `neardup_key` WHERE `key` = {key}"
            f" ORDER BY `document` DESC LIMIT {cap})"
        )

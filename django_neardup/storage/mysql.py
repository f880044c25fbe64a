"""The key table on MariaDB and MySQL: numbers are written into the statement, which costs less than parameters do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from django.db import transaction

from .base import KeyTable

if TYPE_CHECKING:
    from .base import Found, Numbers

PORTION = 5000
"""Pairs of one statement: well below the shortest ``max_allowed_packet``."""

PASSES = 8
"""Passes over the table in which a long run is written. InnoDB splits a page at the end of a run of ascending keys,
wherever in the page that is: written in one pass, a run of a quarter of the table leaves it half as large again."""

SELECTS = 100
"""Buckets of one statement: longer ones are slower."""

WAIT_SECONDS = 5
"""For transactions that have read the table, before it is packed or left as it is: new ones queue up behind."""

ADD = "INSERT IGNORE INTO `neardup_key` (`key`, `document`) VALUES "
REMOVE = "DELETE FROM `neardup_key` WHERE (`key`, `document`) IN "
REMOVE_ONE = "DELETE FROM `neardup_key` WHERE `key` = {} AND `document` = {}"
"""MariaDB reads the whole table for a list of one pair."""

Pairs = Sequence[tuple[int, int]]


class MySQL(KeyTable):
    """Rows in InnoDB's clustered index: the primary key is the whole row."""

    def add(self, document: int, keys: Sequence[int]) -> None:
        self._each([(key, document) for key in keys], ADD)

    def remove(self, document: int, keys: Sequence[int]) -> None:
        self._remove([(key, document) for key in keys])

    def add_run(self, keys: Numbers, documents: Numbers, fresh: bool) -> None:
        pairs = list(zip(keys.tolist(), documents.tolist()))
        passes = PASSES if len(pairs) > PORTION else 1
        with transaction.atomic(using=self.using, savepoint=False):
            for start in range(passes):
                self._each(pairs[start::passes], ADD)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        with transaction.atomic(using=self.using, savepoint=False):
            self._remove(list(zip(keys.tolist(), documents.tolist())))

    def compact(self) -> None:
        """Pages that runs have split are half empty. Others read and write while the table is built anew; it waits a
        little for their transactions, and they for it, at its beginning and its end."""
        if self.connection.in_atomic_block:
            return
        ((before,),) = self.rows("SELECT @@SESSION.lock_wait_timeout")
        self.execute("SET SESSION lock_wait_timeout = %s", [WAIT_SECONDS])
        try:
            self.execute("ALTER TABLE `neardup_key` ENGINE=InnoDB, ALGORITHM=INPLACE, LOCK=NONE")
        finally:
            self.execute("SET SESSION lock_wait_timeout = %s", [before])

    def newest(self, keys: Sequence[int], cap: int) -> Found:
        import numpy as np

        found = [row for statement in _selects(keys, cap) for row in self.rows(statement)]
        places, documents = zip(*found) if found else ((), ())
        return np.array(places, np.int64), np.array(documents, np.int64)

    def _each(self, pairs: Pairs, begin: str) -> None:
        for start in range(0, len(pairs), PORTION):
            self.execute(begin + str(pairs[start : start + PORTION])[1:-1])

    def _remove(self, pairs: Pairs) -> None:
        for start in range(0, len(pairs), PORTION):
            portion = pairs[start : start + PORTION]
            listed = str(portion)[1:-1]
            self.execute(f"{REMOVE}({listed})" if len(portion) > 1 else REMOVE_ONE.format(*portion[0]))


def _selects(keys: Sequence[int], cap: int) -> Iterator[str]:
    for start in range(0, len(keys), SELECTS):
        yield " UNION ALL ".join(_buckets(enumerate(keys[start : start + SELECTS], start), cap))


def _buckets(keys: Iterable[tuple[int, int]], cap: int) -> Iterator[str]:
    for place, key in keys:
        yield (
            f"(SELECT {place}, `document` FROM `neardup_key` WHERE `key` = {key}"
            f" ORDER BY `document` DESC LIMIT {cap})"
        )

"""The operations of a key table, and the SQL that all databases share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import connections

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    BucketRows = tuple[Numbers, Numbers]
    """Positions in the list of requested keys, and for each position a document with that key."""


TABLE = "neardup_key"

SELECT_FREQUENT = (
    "SELECT {key} FROM {keys} GROUP BY {key} HAVING COUNT(*) >= %s ORDER BY COUNT(*) DESC, {key} LIMIT %s"
)


class KeyTable(ABC):
    """The pairs of a key and a document in one database.

    A pair exists once or not at all. Keys and documents are signed 64-bit numbers. A method reads only the
    requested rows, and creates no model instance. Statements name ``TABLE``. If ``table`` is another one with the
    same columns, they are run on that.
    """

    def __init__(self, using: str, table: str = TABLE) -> None:
        self.using, self.table = using, table
        self.connection = connections[using]

    def change_keys(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        """Remove keys of a document and add others. Both lists are sorted."""
        if removed:
            self.remove(document, removed)
        if added:
            self.add(document, added)

    @abstractmethod
    def add(self, document: int, keys: Sequence[int]) -> None:
        """Add keys of a document. Existing pairs stay."""

    @abstractmethod
    def remove(self, document: int, keys: Sequence[int]) -> None:
        """Remove keys of a document."""

    @abstractmethod
    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        """Add many pairs in key order, all or none.

        Existing pairs stay. If ``assume_new`` is true, the caller expects no pair to exist.
        """

    @abstractmethod
    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        """Remove many pairs, in key order."""

    def newest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        """Return for each distinct key the ``cap`` documents with the highest ids, in no order."""
        return self._first_documents(keys, cap, "DESC")

    def oldest_documents(self, keys: Sequence[int], cap: int) -> BucketRows:
        """Return for each distinct key the ``cap`` documents with the lowest ids, in no order."""
        return self._first_documents(keys, cap, "ASC")

    @abstractmethod
    def _first_documents(self, keys: Sequence[int], cap: int, order: str) -> BucketRows:
        """Return for each distinct key the first ``cap`` documents by id, in no order. ``order``: ASC or DESC."""

    def frequent_keys(self, min_documents: int, limit: int) -> list[int]:
        """Return the keys of at least so many documents, the most frequent ones first."""
        return [key for (key,) in self.fetch_all(self._format(SELECT_FREQUENT), [min_documents, limit])]

    def compact(self) -> None:
        """Pack pages that a first index left loosely filled, without blocking other connections.

        Most databases do not need it.
        """
        return

    def execute(self, statement: str, parameters: Sequence[Any] | None = None) -> None:
        """Run a statement that returns nothing."""
        with self.connection.cursor() as cursor:
            cursor.execute(self.on_table(statement), parameters)

    def fetch_all(self, statement: str, parameters: Sequence[Any] | None = None) -> Sequence[Any]:
        """Return the rows of a statement."""
        with self.connection.cursor() as cursor:
            cursor.execute(self.on_table(statement), parameters)
            rows: Sequence[Any] = cursor.fetchall()
        return rows

    def on_table(self, statement: str) -> str:
        """Return a statement about ``TABLE`` as one about this table."""
        return statement if self.table == TABLE else statement.replace(TABLE, self.table)

    def _format(self, statement: str, **parts: str) -> str:
        """Return a statement with the quoted names of the table and its columns."""
        names = {"keys": TABLE, "key": "key", "document": "document"}
        quote = self.connection.ops.quote_name
        return statement.format(**{name: quote(value) for name, value in names.items()}, **parts)


def split_columns(rows: Sequence[tuple[int, int]]) -> BucketRows:
    """Return the two columns of rows of two numbers."""
    import numpy as np

    positions, documents = np.array(rows, np.int64).reshape(-1, 2).T
    return positions, documents


def parse_document_lists(rows: Sequence[tuple[int, str]]) -> BucketRows:
    """Parse rows of a key's position and its documents, which are numbers joined by commas."""
    import numpy as np

    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    positions, texts = zip(*rows)
    sizes = [text.count(",") + 1 for text in texts]
    return np.array(positions).repeat(sizes), np.fromstring(",".join(texts), np.int64, sep=",")

"""What every database does for the key table, each in its own SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import connections

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

Found = tuple[Sequence[int], Sequence[int]]
"""Places of the keys asked for, and beside each a document that has that key."""


class KeyTable(ABC):
    """The pairs of a key and a document in one database; a pair is there once or not at all.

    Keys and documents are signed 64-bit numbers. No method looks at what it is not asked for, none makes a model's
    object.
    """

    def __init__(self, using: str) -> None:
        self.using = using
        self.connection = connections[using]

    def change(self, document: int, gone: Sequence[int], come: Sequence[int]) -> None:
        """Take keys of a document away and add others, both sorted."""
        if gone:
            self.remove(document, gone)
        if come:
            self.add(document, come)

    @abstractmethod
    def add(self, document: int, keys: Sequence[int]) -> None:
        """Add keys of a document; those that are there stay."""

    @abstractmethod
    def remove(self, document: int, keys: Sequence[int]) -> None:
        """Remove keys of a document."""

    @abstractmethod
    def add_run(self, keys: Numbers, documents: Numbers, fresh: bool) -> None:
        """Add many pairs in key order, all or none; those that are there stay. ``fresh``: none is, it is thought."""

    @abstractmethod
    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        """Remove many pairs, in key order."""

    @abstractmethod
    def newest(self, keys: Sequence[int], cap: int) -> Found:
        """Of each distinct key the ``cap`` documents of the highest ids, in no order."""

    def shared(self, keys: Sequence[int], cap: int) -> Counter[int]:
        """How many of the distinct keys each document has, as far as ``newest`` reads."""
        return Counter(self.newest(keys, cap)[1])

    def compact(self) -> None:
        """Pack what a first index has left loosely filled, without keeping anybody from it; most databases need not."""
        return

    def execute(self, statement: str, parameters: Sequence[Any] | None = None) -> None:
        """Run a statement that returns nothing."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement, parameters)

    def rows(self, statement: str, parameters: Sequence[Any] | None = None) -> Sequence[Any]:
        """The rows that a statement returns."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            found: Sequence[Any] = cursor.fetchall()
        return found


def columns(rows: Sequence[tuple[int, int]]) -> Found:
    """Rows of two numbers as two sequences."""
    places, documents = zip(*rows) if rows else ((), ())
    return places, documents

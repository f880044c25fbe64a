"""What every database does for the key table, each in its own SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import connections

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

    Found = tuple[Numbers, Numbers]
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
    """The two columns of rows of two numbers."""
    import numpy as np

    places, documents = np.array(rows, np.int64).reshape(-1, 2).T
    return places, documents


def listed(rows: Sequence[tuple[int, str]]) -> Found:
    """Places of keys and the documents of each, written as numbers with commas between them."""
    import numpy as np

    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places, texts = zip(*rows)
    sizes = [text.count(",") + 1 for text in texts]
    return np.array(places).repeat(sizes), np.fromstring(",".join(texts), np.int64, sep=",")
